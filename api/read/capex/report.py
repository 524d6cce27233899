"""Capitalized development effort per developer and month."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from pydantic import Field

from api.access.row_access import RowAccess
from api.query.columns import Kind
from api.query.conditions import Condition, both
from api.query.fields import Id, Micro, columns_of
from api.query.ordering import Term
from api.query.periods import Interval, start_of
from api.shapes import Shape
from api.snapshot.build import Build


class CapexRow(Shape):
    """Capitalized development effort of a developer in a month."""

    organization_id: Id
    month: date = Field(description="First day of the month.", examples=["2026-10-01"])
    developer_id: Id
    developer_name: str
    primary_email: str | None
    role: str | None = Field(description="Role of the developer, as entered; null: not entered.")
    seniority: str | None = Field(description="Seniority of the developer, as entered; null: not entered.")
    team: str | None = Field(
        description="Current name of the developer's team with the most working days of the month; null: "
        "none."
    )
    hours: float = Field(description="Working hours of the month between the joining and the leaving date.")
    capex_percent: float | None = Field(
        description="Capitalizable part of the effort, 0–100. Null for a month without effort."
    )
    capex_percent_low: float | None = Field(
        description="Lower end of the 95 % interval of `capexPercent`. The interval comes from the "
        "uncertainty of the category model; equal to `capexPercent` when no category is "
        "uncertain. Null for a month without effort, and in months closed before the service "
        "computed intervals."
    )
    capex_percent_high: float | None = Field(description="Upper end of the interval.")
    capex_hours: float | None = Field(
        description="Hours × `capexPercent` ÷ 100. Null for a month without effort."
    )
    opex_hours: float | None = Field(description="Hours minus `capexHours`. Null for a month without effort.")
    etv: Micro = Field(description="ETV of counted work.")
    capitalizable_etv: Micro = Field(description="The part of the ETV that the policy capitalizes.")
    effort: Micro = Field(description="Effort of counted work: points ÷ 58, in approximate hours.")
    capitalizable_effort: Micro = Field(
        description="The part of the effort that the policy capitalizes, in approximate hours."
    )
    commits: int = Field(
        description="Counted commits of which the developer is the author; excluded ones are left out."
    )
    dates_inferred: bool = Field(
        description="true: the joining date is unknown, so only months with a delivery have a row."
    )
    is_draft: bool = Field(description="true: the month has not ended.")
    policy_version: str = Field(description="Name of the CapEx policy version for the month.")
    calculation_version: str = Field(description="Version of the calculation rules.")


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
