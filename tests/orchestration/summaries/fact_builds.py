"""Published builds that have facts of summaries and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import get_type_hints

import duckdb

from api.presentation.summaries.facts import Fact
from orchestration.deployment import LOCAL_ORGANIZATION

TEAM, REPOSITORY = "0190d3b0-0000-7000-8000-0000000000aa", "0190d3b0-0000-7000-8000-0000000000bb"
SCOPES = (("ORGANIZATION", LOCAL_ORGANIZATION), ("TEAM", TEAM), ("REPOSITORY", REPOSITORY))
WEEKS, MONTHS, QUARTERS = 13, 13, 9
TYPES = {
    bool: "boolean", int: "bigint", int | None: "bigint", date: "date", date | None: "date", str: "varchar",
    str | None: "varchar",
}  # fmt: skip


def built(
    folder: Path,
    today: date,
    *,
    name: str = "b1",
    zone: str = "UTC",
    etv: Mapping[tuple[str, date], int] | None = None,
    without: tuple[str, ...] = (),
) -> Path:
    """A build of a day. Every fact `etv` is ten, or what `etv` has by kind of the scope and first day of the period.

    Scopes of the kinds `without` have no facts.
    """
    file = folder / f"{name}.duckdb"
    with duckdb.connect(str(file)) as connection:
        connection.execute(
            "create table organizations (organization_id varchar, name varchar, local_date date, time_zone varchar, "
            "calculation_version varchar)"
        )
        connection.execute(
            "insert into organizations values (?, 'Acme', ?, ?, '0.6.0')", [LOCAL_ORGANIZATION, today, zone]
        )
        connection.execute("create table teams as select ? as team_id, 'Payments' as name", [TEAM])
        connection.execute(
            "create table repositories as select ? as repository_id, 'web' as name", [REPOSITORY]
        )
        columns = ", ".join(f"{name} {TYPES[hint]}" for name, hint in get_type_hints(Fact).items())
        connection.execute(f"create table summary_facts ({columns})")
        rows = [
            (kind, scope, period, start, end, today <= end, (etv or {}).get((kind, start), 10))
            for period, start, end in periods(today)
            for kind, scope in SCOPES
            if kind not in without
        ]
        if rows:
            connection.executemany(
                "insert into summary_facts by name select ? as scope_kind, ? as scope_id, ? as period, "
                "? as period_start, ? as period_end, ? as is_draft, 'etv' as fact_id, 'etv' as kind, "
                "1 as position, 'ETV' as unit, "
                "cast(? as bigint) * 1000000 as value_micro, 3 as people, '0.6.0' as calculation_version",
                rows,
            )
    return file


def periods(today: date) -> Iterator[tuple[str, date, date]]:
    """The running week, month and quarter, and the completed ones within the horizon, by stepping through days."""
    days = [today + timedelta(days=number) for number in range(-900, 120)]
    firsts = [day for day in days if day.day == 1]
    for period, kept, starts in (
        ("week", WEEKS, [day for day in days if day.isoweekday() == 1]),
        ("month", MONTHS, firsts),
        ("quarter", QUARTERS, [day for day in firsts if day.month in (1, 4, 7, 10)]),
    ):
        begun = [number for number, day in enumerate(starts) if day <= today]
        for number in begun[-kept - 1 :]:
            yield period, starts[number], starts[number + 1] - timedelta(days=1)
