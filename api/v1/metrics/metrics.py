"""`/organizations/{organization}/metrics`: time series, and the definitions of the metrics."""

from typing import Literal

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.dependencies import Viewer
from api.http.parameters import NoQuery, Queried
from api.presentation.metrics import METRICS
from api.query.pages import Page, Position
from api.query.parameters import BenchmarkId
from api.read.benchmarks.series import beside
from api.read.entities import DEVELOPERS
from api.read.figures.points import ENTITIES
from api.read.figures.series import SeriesQuery, list_series
from api.read.figures.shapes import SomeFigures
from api.shapes import Shape
from api.snapshot.build import Build
from api.v1.benchmarks.chosen import chosen_benchmark, varies_by
from api.v1.benchmarks.shapes import BenchmarkSeries
from api.v1.metrics.pictures import PICTURE, ThemeName, answer_series
from api.v1.metrics.shapes import BucketPoint, Descriptions, SeriesRange, descriptions

router = APIRouter(prefix="/organizations/{organization}/metrics", tags=["metrics"])


class MetricsQuery(SeriesQuery):
    """Parameters of a time series, and of its picture."""

    benchmark: BenchmarkId = ""
    theme: ThemeName = "LIGHT"


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
    benchmark: BenchmarkSeries | None = Field(
        None,
        description="The benchmark of the request, for the same buckets and metrics; null without one. It has all work "
        "of its members: only `category` narrows it.",
    )


@router.get("", summary="Time series", response_model=SeriesPage, responses=PICTURE)
async def list_metrics(viewer: Viewer, query: Queried[MetricsQuery], request: Request) -> Response:
    """Metrics per day, week, month, quarter or year: one series for the total, or one per repository, developer, team
    or category.

    Buckets are in the organization's time zone; weeks are ISO weeks. Work in a sandbox is left out, unless
    `repository` names the sandbox. A page has at most a hundred series, and every series has a point for every
    bucket.

    In an organization with a minimum group size, figures cover complete months, and a request for single developers
    gets PERMISSION_DENIED. Figures by category are null for a month in which at least one person, but fewer than the
    minimum, worked in one of the five categories.
    """
    benchmark = await chosen_benchmark(
        request, viewer, query.benchmark, ENTITIES.get(query.group_by or "", DEVELOPERS)
    )

    def read(build: Build, access: RowAccess, asked: MetricsQuery, position: Position | None) -> Page:
        return beside(build, access, benchmark, asked, list_series(build, access, asked, position))

    return await answer_series(
        request, viewer, query, read, METRICS, "metrics", query.theme, varies=varies_by(benchmark)
    )


# The path is the collection's with a verb, hence no slash before it.
@router.get(":describe", summary="Definitions of metrics")
async def describe_metrics(_: Viewer, _query: NoQuery) -> Descriptions:
    """The name, unit and definition of every metric. `…/pullRequestMetrics:describe` has those of pull requests."""
    return descriptions(METRICS)
