"""`/organizations/{organization}/metrics`: time series, and the definitions of the metrics."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import AfterValidator, Field
from starlette.responses import Response

from api.access.group_privacy.groups import shown_interval, shown_range
from api.callers.dependencies import ReadService, Viewer
from api.errors import InvalidArgument
from api.http.parameters import NoQuery
from api.http.responses import Continuation
from api.presentation.metrics import METRICS
from api.query.pages import Position
from api.query.parameters import Category, FirstDayByInterval, Id, IntervalName, LastDay, PageQuery, enum_name
from api.query.periods import Interval, allowed, coarsened
from api.read.figures.category_groups import GROUPINGS, own_grouping
from api.read.figures.figures import Slice, visible_slice
from api.read.figures.series import MAX_GROUPS, SeriesQuery, refuse_fine, series
from api.read.figures.shapes import SomeFigures
from api.read.organizations import local_date
from api.shapes import Shape
from api.snapshot.build import Build
from api.v1.metrics.shapes import (
    BucketPoint,
    Descriptions,
    SeriesRange,
    chosen_metrics,
    descriptions,
)

router = APIRouter(prefix="/organizations/{organization}/metrics", tags=["metrics"])

GROUPS = ("REPOSITORY", "DEVELOPER", "TEAM", "CATEGORY")

GroupName = Annotated[str, AfterValidator(enum_name(GROUPS)), Field(json_schema_extra={"enum": list(GROUPS)})]

GroupingName = Annotated[
    str, AfterValidator(enum_name(tuple(GROUPINGS))), Field(json_schema_extra={"enum": list(GROUPINGS)})
]


class SeriesParameters(PageQuery):
    """Parameters of a time series."""

    interval: IntervalName = "WEEK"
    start_date: FirstDayByInterval = None
    end_date: LastDay = None
    group_by: GroupName | None = Field(
        None, description="One series per value of this dimension. Default: one series for the total."
    )
    category_grouping: GroupingName | None = Field(
        None,
        description="The grouping of categories for groupBy=CATEGORY. Default: the organization's setting.",
    )
    metrics: str = Field(
        "",
        max_length=500,
        description="Names of metrics, separated by commas; empty means all. `…/metrics:describe` "
        "lists them.",
        examples=["etv,performance"],
    )
    repository: list[Id] = Field(
        [], max_length=50, description="Ids of repositories. Repeat the parameter for several."
    )
    developer: list[Id] = Field(
        [], max_length=50, description="Ids of developers. Repeat the parameter for several."
    )
    team: list[Id] = Field(
        [],
        max_length=50,
        description="Ids of teams, each including its sub-teams: one, or several with groupBy=TEAM.",
    )
    category: list[Category] = Field(
        [], max_length=5, description="Categories. Repeat the parameter for several."
    )
    include_bots: bool = Field(False, description="Include the work of bots.")


class Point(BucketPoint, SomeFigures):
    """One bucket of a time series."""

    is_suppressed: bool = Field(
        description="true: all metrics are null, because fewer people than the minimum group size worked in "
        "the bucket, or, for series and filters by category, in one of the five categories."
    )


class Line(Shape):
    """A time series."""

    key: str | None = Field(
        description="Id of the repository, developer or team, or the category or group of categories (GROWTH, "
        "MAINTENANCE, FIXES; GROWTH, KEEP_THE_LIGHTS_ON); null for the total."
    )
    name: str = Field(examples=["acme/web"])
    points: list[Point]


class SeriesPage(SeriesRange):
    """Time series, most ETV first."""

    category_grouping: Literal["FIVE", "THREE", "TWO"] | None = Field(
        description="The grouping of the five categories. THREE: GROWTH is features, MAINTENANCE includes "
        "tests and documentation, FIXES is fixes. TWO: GROWTH is features, KEEP_THE_LIGHTS_ON is "
        "everything else. Null for series without categories."
    )
    is_coarsened: bool = Field(
        description="true: the range has more than 400 buckets of the requested length, so the buckets are "
        "longer."
    )
    series: list[Line]


@router.get("", summary="Time series", operation_id="listMetrics", response_model=SeriesPage)
async def list_metrics(
    viewer: Viewer, query: Annotated[SeriesParameters, Query()], request: Request, reads: ReadService
) -> Response:
    """Metrics per day, week, month, quarter or year: one series for the total, or one per repository, developer, team
    or category.

    Buckets are in the organization's time zone; weeks are ISO weeks. Work in a sandbox is left out, unless
    `repository` names the sandbox. A page has at most a hundred series, and every series has a point for every
    bucket.

    In an organization with a minimum group size, figures cover complete months, and a request for single developers
    gets PERMISSION_DENIED. Figures by category are null for a month in which at least one person, but fewer than the
    minimum, worked in one of the five categories.
    """
    if len(query.team) > 1 and query.group_by != "TEAM":
        raise InvalidArgument(
            "team",
            "a sum over several teams could count work twice, because teams contain sub-teams; name one team, or use "
            "groupBy=TEAM",
        )
    metrics = chosen_metrics(query.metrics, METRICS)
    requested = Interval(query.interval)
    digest = query.digest("metrics", viewer.key)

    def read(build: Build, position: Position | None) -> dict[str, Any]:
        today = local_date(build, viewer)
        days = shown_range(viewer, query.start_date, query.end_date, today, requested)
        interval = coarsened(shown_interval(viewer, requested), days)
        asked = Slice(
            days,
            tuple(query.repository),
            tuple(query.developer),
            tuple(query.team),
            tuple(category.lower() for category in query.category),
            with_bots=query.include_bots,
        )
        refuse_fine(viewer, asked, query.group_by)
        piece = visible_slice(build, viewer, asked)
        grouping = query.category_grouping or own_grouping(build)
        cut = SeriesQuery(piece, interval, metrics, query.group_by, min(query.limit, MAX_GROUPS), grouping)
        found = series(build, viewer, cut, today, position)
        return {
            "startDate": days.first,
            "endDate": days.last,
            "interval": interval,
            "requestedInterval": requested,
            "allowedIntervals": allowed(shown_interval(viewer, Interval.DAY), days),
            "categoryGrouping": grouping if query.group_by == "CATEGORY" else None,
            "isCoarsened": interval != requested,
            "series": found.lines,
            "nextPageToken": reads.tokens.next(digest, build.id, found.next_values),
            "totalSize": found.total,
        }

    return await reads.answer(request, viewer, read, Continuation(query.page_token, digest))


# The path is the collection's with a verb, hence no slash before it.
@router.get(":describe", summary="Definitions of metrics", operation_id="describeMetrics")
async def describe_metrics(_: Viewer, _query: Annotated[NoQuery, Query()]) -> Descriptions:
    """The name, unit and definition of every metric. `…/pullRequestMetrics:describe` has those of pull requests."""
    return descriptions(METRICS)
