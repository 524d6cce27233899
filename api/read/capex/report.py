"""Capitalized development effort per developer and month."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import Annotated, Any, Protocol

from pydantic import Field

from api.access.row_access import RowAccess
from api.query.columns import Kind
from api.query.conditions import Condition, both, days, without
from api.query.fields import Id, Micro, columns_of
from api.query.pages import Page, Position
from api.query.parameters import ControlQuery, Day, FileFormat, Filter, OneOf, OrderBy
from api.query.periods import Interval, refuse_backwards, start_of
from api.read.capex.months import capex_months
from api.read.lists import Listing
from api.shapes import Shape
from api.snapshot.build import Build, Row


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
        description="true: the joining date is unknown, so the months from the first to the last delivery or day in a "
        "team have a row, idle ones included."
    )
    is_draft: bool = Field(description="true: the month has not ended.")
    policy_version: str = Field(description="Name of the CapEx policy version for the month.")
    calculation_version: str = Field(description="Version of the calculation rules.")


COLUMNS = columns_of(CapexRow)
UNIQUE = (COLUMNS["month"], COLUMNS["developerId"])
CAPEX = Listing(COLUMNS, "month, developerName, developerId", UNIQUE)


class MonthQuery(Protocol):
    """A query of whole months."""

    @property
    def start_date(self) -> date | None:
        """A day of the first month; None: all before."""

    @property
    def end_date(self) -> date | None:
        """A day of the last month; None: all after."""

    @property
    def include_drafts(self) -> bool:
        """Whether the current month belongs to them."""


class CapexQuery(ControlQuery):
    """Parameters of the report."""

    start_date: Day | None = Field(None, description="The report starts with the month of this day.")
    end_date: Day | None = Field(None, description="The report ends with the month of this day.")
    version: Annotated[
        str,
        OneOf("CURRENT", "LOCKED"),
        Field(description="LOCKED: only closed months, with the signed figures."),
    ] = "CURRENT"
    include_drafts: bool = Field(False, description="Include the current month.")
    format: FileFormat = "JSON"
    filter: Filter = ""
    order_by: OrderBy = ""


def list_capex(build: Build, access: RowAccess, query: CapexQuery, position: Position | None) -> Page:
    """A page of the current rows of the report, with the sums of all pages by month. Default order: by month and name.

    Raises InvalidArgument, and PermissionDenied where no row is visible.
    """
    source = Condition(access.table(build, "capex"))
    found = CAPEX.page(build, query, position, source, in_months(query))
    selected = both(in_months(query), CAPEX.condition(build, query))
    return replace(found, after_rows={"months": capex_months(build, source, selected)})


def capex_batches(build: Build, access: RowAccess, query: CapexQuery) -> Iterator[list[tuple[Any, ...]]]:
    """All current rows of the report in batches. Raises as `list_capex`."""
    yield from CAPEX.batches(build, query, access.table(build, "capex"), in_months(query))


def rows_to_sign(build: Build, access: RowAccess, month: date) -> list[Row]:
    """All columns of the rows of a month, as they are signed when it is closed."""
    return build.rows(f"select * from {access.table(build, 'capex')} where month = ?", (month,))


def shown_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A stored row as the report shows it."""
    return {
        column.field: row[column.sql] / 1e6 if column.kind is Kind.MICRO else row.get(column.sql)
        for column in COLUMNS.values()
    }


def months(query: MonthQuery) -> tuple[date | None, date | None]:
    """The first and the last month of a query, by their first days. Raises InvalidArgument."""
    refuse_backwards(query.start_date, query.end_date)
    first, last = (day and start_of(Interval.MONTH, day) for day in (query.start_date, query.end_date))
    return first, last


def in_months(query: MonthQuery) -> Condition:
    """The condition for whole months from that of the first day to that of the last, drafts only where asked for."""
    return both(days("month", *months(query)), without("is_draft", unless=query.include_drafts))
