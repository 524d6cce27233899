"""Facts of a build about its organization."""

from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from api.access.row_access import RowAccess
from api.query.columns import Column, Kind, columns, select_list
from api.snapshot.builds import Build

COLUMNS = columns(
    Column("as_of", Kind.INSTANT, "as_of"),
    Column("first_delivered_on", Kind.DATE, "first_delivered_on", nullable=True),
    Column("last_delivered_on", Kind.DATE, "last_delivered_on", nullable=True),
    Column("last_complete_week_start", Kind.DATE, "last_complete_week_start", nullable=True),
    Column("last_complete_month_start", Kind.DATE, "last_complete_month_start", nullable=True),
    Column("calculation_version", Kind.TEXT, "calculation_version"),
    Column("waiting_commits", Kind.INTEGER, "waiting_commits"),
)


def analysed(build: Build, access: RowAccess) -> dict[str, Any]:
    """As-of instant, delivered range, last complete periods and calculation version of the build."""
    return build.rows(f"select {select_list(COLUMNS.values())} from {access.table(build, 'organizations')}")[
        0
    ]


def local_date(build: Build, access: RowAccess) -> date:
    """The build's as-of date in the organization's time zone."""

    def found(build: Build) -> date:
        row = build.rows(f"select as_of, time_zone from {access.table(build, 'organizations')}")[0]
        as_of: datetime = row["as_of"]
        return as_of.astimezone(ZoneInfo(row["time_zone"])).date()

    return build.remembered("local date", found)
