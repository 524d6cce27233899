"""Capitalized development effort per developer and month."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from pydantic import Field

from api.access.row_access import RowAccess
from api.query.columns import Kind
from api.query.fields import Id, Micro, columns_of
from api.query.ordering import Condition, Term, both
from api.query.periods import Interval, start_of
from api.shapes import Shape
from api.snapshot.builds import Build


class CapexRow(Shape):
    """Capitalized development effort of a developer in a month."""

    organization_id: Id
    month: date = Field(description="First day of the month.", examples=["2026-10-01"])
    developer_id: Id
    developer_name: str
    primary_email: str | None
    role: str | None
    seniority: str | None
    team: str | None
    hours: float = Field(description="Working hours of the month, minus absences.")
    capex_percent: float | None = Field(description="0–100; null without output.")
    capex_percent_low: float | None = Field(
        description="Lower end of the 95 % interval of the share, from the uncertainty of the "
        "category model; the share itself without uncertainty. Null without output, and "
        "in months that were closed before intervals existed."
    )
    capex_percent_high: float | None = Field(description="Upper end of that interval.")
    capex_hours: float | None
    opex_hours: float | None
    etv: Micro
    capitalizable_etv: Micro
    effort: Micro
    capitalizable_effort: Micro
    commits: int
    dates_inferred: bool = Field(
        description="Joining and leaving dates are unknown, so only months with a delivery have rows."
    )
    is_draft: bool
    policy_version: str
    calculation_version: str


COLUMNS = columns_of(CapexRow)
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
    """The condition for the selected rows."""
    conditions = []
    if selection.first is not None:
        conditions.append(Condition(f"month >= date '{start_of(Interval.MONTH, selection.first)}'"))
    if selection.last is not None:
        conditions.append(Condition(f"month <= date '{start_of(Interval.MONTH, selection.last)}'"))
    if not selection.with_drafts:
        conditions.append(Condition("not is_draft"))
    return both(*conditions)
