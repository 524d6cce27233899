"""`/organizations/{organization}/pullRequestMetrics`: time series of merged pull requests, and their definitions."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import AfterValidator, Field
from starlette.responses import Response

from api.access.group_privacy.groups import shown_interval, shown_range
from api.callers.dependencies import ReadService, Viewer
from api.http.parameters import NoQuery
from api.http.responses import Continuation
from api.presentation.pull_request_metrics import PULL_REQUEST_METRICS
from api.query.pages import Position
from api.query.parameters import FirstDayByInterval, Id, IntervalName, LastDay, PageQuery, enum_name
from api.query.periods import Interval, allowed, coarsened
from api.read.figures.figures import Slice, visible_slice
from api.read.figures.series import MAX_GROUPS, refuse_fine
from api.read.figures.shapes import SomePullRequestFigures
from api.read.organizations import local_date
from api.read.pull_requests.figures import PullRequestSeries, pull_request_series
from api.shapes import Shape
from api.snapshot.build import Build
from api.v1.metrics.shapes import (
    BucketPoint,
    Descriptions,
    SeriesRange,
    chosen_metrics,
    descriptions,
)

router = APIRouter(prefix="/organizations/{organization}/pullRequestMetrics", tags=["pull requests"])

GROUPS = ("REPOSITORY", "DEVELOPER", "TEAM")
GroupName = Annotated[str, AfterValidator(enum_name(GROUPS)), Field(json_schema_extra={"enum": list(GROUPS)})]


class PullRequestSeriesParameters(PageQuery):
    """Parameters of a time series of pull requests."""

    interval: IntervalName = "WEEK"
    start_date: FirstDayByInterval = None
    end_date: LastDay = None
    group_by: GroupName | None = Field(
        None, description="One series per value of this dimension. Default: one series for the total."
    )
    metrics: str = Field(
        "",
        max_length=500,
        description="Names of metrics, separated by commas; empty means all. `…/pullRequestMetrics:describe` lists "
        "them.",
        examples=["mergedPullRequests,cycleHours"],
    )
    repository: list[Id] = Field(
        [], max_length=50, description="Ids of repositories. Repeat the parameter for several."
    )
    developer: list[Id] = Field(
        [], max_length=50, description="Ids of the authors. Repeat the parameter for several."
    )
    team: list[Id] = Field(
        [],
        max_length=50,
        description="Ids of teams, each including its sub-teams: pull requests of authors in one of these teams on the "
        "day of creation.",
    )
    include_bots: bool = Field(False, description="Include the pull requests of bots.")


class PullRequestPoint(BucketPoint, SomePullRequestFigures):
    """One bucket of a time series of pull requests, by the day of the merge."""

    is_suppressed: bool = Field(
        description="true: all metrics are null, because fewer people than the minimum group size opened the pull "
        "requests."
    )


class PullRequestLine(Shape):
    """A time series of pull requests."""

    key: str | None = Field(description="Id of the repository, developer or team; null for the total.")
    name: str = Field(examples=["acme/web"])
    points: list[PullRequestPoint]


class PullRequestSeriesPage(SeriesRange):
    """Time series of pull requests, most merged ones first."""

    series: list[PullRequestLine]


@router.get(
    "",
    summary="Time series of pull requests",
    operation_id="listPullRequestMetrics",
    response_model=PullRequestSeriesPage,
)
async def list_pull_request_metrics(
    viewer: Viewer,
    query: Annotated[PullRequestSeriesParameters, Query()],
    request: Request,
    reads: ReadService,
) -> Response:
    """Throughput, typical times and size of merged pull requests per day, week, month, quarter or year: one series for
    the total, or one per repository, developer or team.

    A pull request counts on the day of its merge. Times are medians, in calendar and in working hours. Pull requests of
    bots are left out, and so are sandboxes, unless `repository` names the sandbox.

    In an organization with a minimum group size, figures cover complete months, a point of fewer authors is null, and a
    request for single developers gets PERMISSION_DENIED.
    """
    metrics = chosen_metrics(query.metrics, PULL_REQUEST_METRICS)
    requested = Interval(query.interval)
    digest = query.digest("pullRequestMetrics", viewer.key)

    def read(build: Build, position: Position | None) -> dict[str, Any]:
        today = local_date(build, viewer)
        days = shown_range(viewer, query.start_date, query.end_date, today, requested)
        interval = coarsened(shown_interval(viewer, requested), days)
        asked = Slice(
            days,
            tuple(query.repository),
            tuple(query.developer),
            tuple(query.team),
            with_bots=query.include_bots,
        )
        refuse_fine(viewer, asked, query.group_by)
        piece = visible_slice(build, viewer, asked)
        cut = PullRequestSeries(piece, interval, metrics, query.group_by, min(query.limit, MAX_GROUPS))
        found = pull_request_series(build, viewer, cut, today, position)
        return {
            "startDate": days.first,
            "endDate": days.last,
            "interval": interval,
            "requestedInterval": requested,
            "allowedIntervals": allowed(shown_interval(viewer, Interval.DAY), days),
            "series": found.lines,
            "nextPageToken": reads.tokens.next(digest, build.id, found.next_values),
            "totalSize": found.total,
        }

    return await reads.answer(request, viewer, read, Continuation(query.page_token, digest))


# The path is the collection's with a verb, hence no slash before it.
@router.get(
    ":describe", summary="Definitions of metrics of pull requests", operation_id="describePullRequestMetrics"
)
async def describe_pull_request_metrics(_: Viewer, _query: Annotated[NoQuery, Query()]) -> Descriptions:
    """The name, unit and definition of every metric of pull requests."""
    return descriptions(PULL_REQUEST_METRICS)
