"""Facts of a build about its organization."""

from datetime import date, datetime, timedelta
from typing import Annotated, Any, Literal, Protocol
from zoneinfo import ZoneInfo

from pydantic import Field

from api.access.group_privacy.groups import shown_range
from api.access.row_access import RowAccess
from api.query.columns import select_list
from api.query.fields import NOT_STORED, columns_of, reordered
from api.query.periods import Interval, Range
from api.shapes import Shape
from api.snapshot.build import Build


class Organization(Shape):
    """An organization. Fields from the analysis are null before the first build."""

    # The control database holds these.
    id: Annotated[str, NOT_STORED] = Field(examples=["0190d3b0-0000-7000-8000-000000000001"])
    name: Annotated[str, NOT_STORED] = Field(examples=["Acme"])
    slug: Annotated[str, NOT_STORED] = Field(description="Unique short name in URLs.", examples=["acme"])
    time_zone: Annotated[str, NOT_STORED] = Field(
        description="IANA time zone of all periods.", examples=["Europe/Berlin"]
    )
    work_category_grouping: Annotated[Literal["FIVE", "THREE", "TWO"], NOT_STORED] = Field(
        description="Default grouping of the five categories in series."
    )
    created_at: Annotated[datetime, NOT_STORED]
    as_of: datetime | None = Field(
        description="The instant of the newest build: figures cover work until then."
    )
    first_delivered_on: date | None = Field(
        description="First day with counted work, in the organization's time zone."
    )
    last_delivered_on: date | None = Field(
        description="Last day with counted work, in the organization's time zone."
    )
    last_complete_week_start: date | None = Field(description="Monday of the last completed ISO week.")
    last_complete_month_start: date | None = Field(description="First day of the last completed month.")
    waiting_commits: int | None = Field(
        description="Delivered commits that wait for the license, the payment or the limit of the plan; they are "
        "not counted yet. …/zeroReasons says for which, and the service analyses them after that."
    )
    calculation_version: str | None = Field(
        examples=["0.2.0"], description="Version of the calculation rules."
    )


# Answers have their keys in an earlier order than the OpenAPI document, because clients may rely on it.
COLUMNS = reordered(columns_of(Organization), ["calculationVersion"], before="waitingCommits")


class RangeOfDays(Protocol):
    """A query with a first and a last day."""

    @property
    def start_date(self) -> date | None:
        """The first day."""

    @property
    def end_date(self) -> date | None:
        """The last day, included."""


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


def hours_until_build(build: Build, access: RowAccess, since: datetime) -> float:
    """Calendar hours from an instant to the build's as-of instant, at least 0."""
    as_of: datetime = build.remembered("as-of instant", lambda build: analysed(build, access)["asOf"])
    return max(0.0, (as_of - since) / timedelta(hours=1))


def shown_days(
    build: Build, access: RowAccess, query: RangeOfDays, interval: Interval = Interval.WEEK
) -> Range:
    """The days of a query for which the access sees figures. Raises InvalidArgument as `shown_range`."""
    return shown_range(access, query.start_date, query.end_date, local_date(build, access), interval)
