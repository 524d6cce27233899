"""Capitalized development effort per developer and month."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from api.access.row_access import RowAccess
from api.query.columns import Column, Kind, columns
from api.query.ordering import Condition, Term, both
from api.query.periods import Interval, start_of
from api.snapshot.builds import Build

COLUMNS = columns(
    Column("organization_id", Kind.ID, "organization_id"),
    Column("month", Kind.DATE, "month"),
    Column("developer_id", Kind.ID, "developer_id"),
    Column("developer_name", Kind.TEXT, "developer_name"),
    Column("primary_email", Kind.TEXT, "primary_email", nullable=True),
    Column("role", Kind.TEXT, "role", nullable=True),
    Column("seniority", Kind.TEXT, "seniority", nullable=True),
    Column("team", Kind.TEXT, "team", nullable=True),
    Column("hours", Kind.NUMBER, "hours"),
    Column("capex_percent", Kind.NUMBER, "capex_percent", nullable=True),
    Column("capex_percent_low", Kind.NUMBER, "capex_percent_low", nullable=True),
    Column("capex_percent_high", Kind.NUMBER, "capex_percent_high", nullable=True),
    Column("capex_hours", Kind.NUMBER, "capex_hours", nullable=True),
    Column("opex_hours", Kind.NUMBER, "opex_hours", nullable=True),
    Column("etv", Kind.MICRO, "etv_micro"),
    Column("capitalizable_etv", Kind.MICRO, "capitalizable_etv_micro"),
    Column("effort", Kind.MICRO, "effort_micro"),
    Column("capitalizable_effort", Kind.MICRO, "capitalizable_effort_micro"),
    Column("commits", Kind.INTEGER, "commits"),
    Column("dates_inferred", Kind.FLAG, "dates_inferred"),
    Column("is_draft", Kind.FLAG, "is_draft"),
    Column("policy_version", Kind.TEXT, "policy_version"),
    Column("calculation_version", Kind.TEXT, "calculation_version"),
)
BY_MONTH = (
    Term(COLUMNS["month"], False),
    Term(COLUMNS["developerName"], False),
    Term(COLUMNS["developerId"], False),
)
UNIQUE = (COLUMNS["month"], COLUMNS["developerId"])


@dataclass(frozen=True, slots=True)
class CapexSelection:
    """Months from the one of `first` to the one of `last` (None: all), whole; drafts only where asked for."""

    first: date | None
    last: date | None
    with_drafts: bool


def source(build: Build, access: RowAccess) -> Condition:
    """The rows of every month."""
    return Condition(access.table(build, "capex"))


def shown_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A stored row as the report shows it."""
    return {
        column.field: row[column.sql] / 1e6 if column.kind is Kind.MICRO else row.get(column.sql)
        for column in COLUMNS.values()
    }


def condition(selection: CapexSelection) -> Condition:
    """Which rows are selected."""
    conditions = []
    if selection.first is not None:
        conditions.append(Condition(f"month >= date '{start_of(Interval.MONTH, selection.first)}'"))
    if selection.last is not None:
        conditions.append(Condition(f"month <= date '{start_of(Interval.MONTH, selection.last)}'"))
    if not selection.with_drafts:
        conditions.append(Condition("not is_draft"))
    return both(*conditions)
