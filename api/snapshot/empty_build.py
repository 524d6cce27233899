"""The build of an organization that has published nothing: every table, without rows.

Reads of it answer empty lists, and NotFound for single things, as reads of any build do. The tables are those of the
models; `python -m tests.api.snapshot.empty_tables` writes them anew. Keep out: the next step (http/responses.py).
"""

import io
import json
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import duckdb

from api.control.store import OrganizationRecord
from api.operator.release import release
from api.snapshot.build import Build
from api.snapshot.table_cache import TableCache

TABLES = Path(__file__).with_name("empty_tables.json")
# No build id has this form.
NOTHING = "nothing published"
MEMORY_MB = 64
# Each takes 4 MB.
MAX_KEPT = 4


class EmptyBuild(Build):
    """The build of an organization without one, in memory, on a day in its time zone."""

    def __init__(self, organization: OrganizationRecord, today: date) -> None:
        self._begin(NOTHING, TABLES)
        self._lock = io.BytesIO()
        self._connection = duckdb.connect(config={"threads": 1, "memory_limit": f"{MEMORY_MB}MB"})
        self._connection.execute("attach ':memory:' as build")
        self._connection.execute("set TimeZone = 'UTC'")
        with self.cursor() as cursor:
            cursor.execute(_statements())
            row = _row(organization, today)
            names, marks = ", ".join(row), ", ".join("?" for _ in row)
            cursor.execute(f"insert into organizations ({names}) values ({marks})", list(row.values()))
        self.tables = TableCache(self.cursor, MEMORY_MB * 1_000_000 // 2)


def empty_build(organization: OrganizationRecord, now: datetime) -> EmptyBuild:
    """The empty build of an organization at an instant; kept for its day, because making one takes 25 ms."""
    return _of_day(organization, now.astimezone(ZoneInfo(organization.time_zone)).date())


# A build that is pushed out closes when its last reader lets it go.
_of_day = lru_cache(MAX_KEPT)(EmptyBuild)


@cache
def declared_tables() -> Mapping[str, Mapping[str, str]]:
    """The columns of every published table with their types, in order."""
    found: dict[str, dict[str, str]] = json.loads(TABLES.read_text())
    return found


@cache
def _statements() -> str:
    return ";\n".join(
        f"create table {table} ({', '.join(f'{name} {kind}' for name, kind in columns.items())})"
        for table, columns in declared_tables().items()
    )


def _row(organization: OrganizationRecord, today: date) -> dict[str, Any]:
    return {
        "organization_id": organization.id,
        "name": organization.name,
        "slug": organization.slug,
        "time_zone": organization.time_zone,
        "work_category_grouping": organization.work_category_grouping,
        # Any time of the day; no answer shows it.
        "as_of": datetime.combine(today, time(12), ZoneInfo(organization.time_zone)),
        "calculation_version": release(),
        "last_complete_week_start": today - timedelta(days=today.weekday() + 7),
        "last_complete_month_start": (date(today.year, today.month, 1) - timedelta(days=1)).replace(day=1),
        "waiting_commits": 0,
        "local_date": today,
    }
