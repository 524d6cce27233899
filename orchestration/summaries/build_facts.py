"""The facts of summaries in a published build.

Keep out: which facts a summary has (the model fct_summary_facts), their wording (`api.presentation.summaries`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path

import duckdb

from api.control.summaries.kinds import Period, ScopeKind, SummaryKey
from api.presentation.summaries.composing.causes import with_other_cause
from api.presentation.summaries.facts import COLUMNS, Fact
from orchestration.summaries.periods import oldest_told

SELECTED = ", ".join(COLUMNS)
OF_KEY = "scope_kind = ? and scope_id = ? and period = ? and period_start = ?"
NAMES = """
    select 'organization', organization_id, name from organizations
    union all
    select 'team', team_id, name from teams
    union all
    select 'repository', repository_id, name from repositories
"""


@dataclass(frozen=True)
class BuildFacts:
    """The facts of an open build. `today` is the day that decided which periods are complete."""

    build_id: str
    connection: duckdb.DuckDBPyConnection
    organization_id: str
    today: date
    time_zone: str
    calculation_version: str

    @cached_property
    def digests(self) -> Mapping[SummaryKey, str]:
        """A digest of the facts of every scope and completed period, in the order of periods and scopes.

        Equal for equal facts, as long as DuckDB hashes alike; who finds a difference compares the facts.
        """
        rows = self.connection.execute(
            "select lower(scope_kind), scope_id, period, period_start, period_end, "
            f"cast(bit_xor(hash({SELECTED})) as varchar) from summary_facts where not is_draft "
            "group by scope_kind, scope_id, period, period_start, period_end "
            "order by period_start, scope_kind, scope_id, period"
        ).fetchall()
        return {
            SummaryKey(ScopeKind(kind), scope, Period(period), start, end): digest
            for kind, scope, period, start, end, digest in rows
        }

    @property
    def horizon(self) -> Mapping[Period, date]:
        """The first day of the oldest completed period that can have facts, by length."""
        return {period: oldest_told(period, self.today) for period in Period}

    @cached_property
    def names(self) -> Mapping[tuple[str, str], str]:
        """Names by kind and id of the scope."""
        rows = self.connection.execute(NAMES).fetchall()
        return {(kind, scope): name for kind, scope, name in rows}

    def facts(self, key: SummaryKey) -> tuple[Fact, ...]:
        """The facts of a scope and a period, in a fixed order."""
        rows = self.connection.execute(
            f"select {SELECTED} from summary_facts where {OF_KEY} order by kind, position, fact_id",
            [key.scope_kind.name, key.scope_id, key.period.value, key.period_start],
        ).fetchall()
        return with_other_cause(Fact(*row) for row in rows)

    def name(self, key: SummaryKey) -> str:
        """The name of a scope; its id where the build has no name."""
        return self.names.get((key.scope_kind.value, key.scope_id), key.scope_id)

    def title(self, key: SummaryKey) -> str:
        """A summary in a message."""
        return f"{key.period.value} from {key.period_start} of {key.scope_kind.value} {self.name(key)}"


@contextmanager
def opened(file: Path, build_id: str) -> Iterator[BuildFacts]:
    """Open the file of a published build."""
    with duckdb.connect(str(file), read_only=True, config={"threads": 2}) as connection:
        connection.execute("set TimeZone = 'UTC'")
        yield of(connection, build_id)


def of(connection: duckdb.DuckDBPyConnection, build_id: str) -> BuildFacts:
    """The facts of a build that is open in UTC."""
    [(organization_id, today, zone, version)] = connection.execute(
        "select organization_id, local_date, time_zone, calculation_version from organizations"
    ).fetchall()
    return BuildFacts(build_id, connection, organization_id, today, zone, version)
