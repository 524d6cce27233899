"""`/organizations/{organization}/pullRequestMetrics`: time series of merged pull requests, and their definitions."""

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.callers.dependencies import Viewer
from api.http.parameters import NoQuery, Queried
from api.presentation.pull_request_metrics import PULL_REQUEST_METRICS
from api.read.figures.shapes import SomePullRequestFigures
from api.read.pull_requests.figures import PullRequestSeriesQuery, list_series
from api.shapes import Shape
from api.v1.metrics.pictures import PICTURE, ThemeName, answer_series
from api.v1.metrics.shapes import BucketPoint, Descriptions, SeriesRange, descriptions

router = APIRouter(prefix="/organizations/{organization}/pullRequestMetrics", tags=["pull requests"])


class PullRequestMetricsQuery(PullRequestSeriesQuery):
    """Parameters of a time series of pull requests, and of its picture."""

    theme: ThemeName = "LIGHT"


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
    "", summary="Time series of pull requests", response_model=PullRequestSeriesPage, responses=PICTURE
)
async def list_pull_request_metrics(
    viewer: Viewer, query: Queried[PullRequestMetricsQuery], request: Request
) -> Response:
    """Throughput, typical times and size of merged pull requests per day, week, month, quarter or year: one series for
    the total, or one per repository, developer or team.

    A pull request counts on the day of its merge. Times are medians, in calendar and in working hours. Pull requests of
    bots are left out, and so are sandboxes, unless `repository` names the sandbox.

    In an organization with a minimum group size, figures cover complete months, a point of fewer authors is null, and a
    request for single developers gets PERMISSION_DENIED.
    """
    return await answer_series(
        request, viewer, query, list_series, PULL_REQUEST_METRICS, "pullRequestMetrics", query.theme
    )


# The path is the collection's with a verb, hence no slash before it.
@router.get(":describe", summary="Definitions of metrics of pull requests")
async def describe_pull_request_metrics(_: Viewer, _query: NoQuery) -> Descriptions:
    """The name, unit and definition of every metric of pull requests."""
    return descriptions(PULL_REQUEST_METRICS)
