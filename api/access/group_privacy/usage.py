"""The figures of AI tools that stay hidden because too few people used one.

The rules are those of groups.py, with the people who used a tool in place of those with counted work. Each month is
decided by itself. Groups that are hidden for work are hidden for usage too, because spend would reveal their work.
"""

from collections import defaultdict
from collections.abc import Hashable
from datetime import date

from api.access.group_privacy.groups import hidden, months_of
from api.access.group_privacy.trees import hidden_with_few
from api.access.row_access import RowAccess
from api.query.periods import Range
from api.snapshot.build import Build


def hidden_usage(build: Build, access: RowAccess, kind: str, days: Range) -> frozenset[str]:
    """Ids of the teams or organization (`kind`) with hidden usage over the range. Repositories have no usage."""
    if access.has_individuals or kind not in ("team", "organization"):
        return frozenset()
    found = hidden(build, access, kind, days)
    for month in months_of(days):
        found |= _hidden_in(build, access, kind, month)
    return found


def _hidden_in(build: Build, access: RowAccess, kind: str, month: date) -> frozenset[str]:
    def find(build: Build) -> frozenset[str]:
        key = "team_id" if kind == "team" else "null::varchar"
        rows = build.rows(
            f"select distinct {key} as key, developer_id from {access.table(build, 'ai_days')} "
            f"where date_trunc('month', used_on) = date '{month}' and not is_bot"
        )
        own: dict[str | None, set[Hashable]] = defaultdict(set)
        for row in rows:
            own[row["key"]].add(row["developer_id"])
        return hidden_with_few(build, access, kind, own)

    return build.remembered(f"hidden usage {access.rows_key} {kind} {month}", find)
