"""Benchmarks in answers: the group, its figures beside a list, and its series beside others."""

from typing import Any, Literal

from pydantic import Field, create_model

from api.presentation.metrics import METRICS
from api.shapes import Shape
from api.v1.metrics.shapes import BucketPoint

BENCHMARK = Field(description="The benchmark of the request; null without one.")
MEMBER_COUNT = Field(
    description="The members that the figures are of: those employed on one of the days or with counted work (of "
    "repositories: somebody worked in it). One without output counts 0. Null where the figures are suppressed.",
    ge=0,
)
SPENDERS = Field(
    description="The members with recorded AI spend: aiCost and aiCostPerEtv are of these alone. Null without aiCost.",
    examples=[2],
    ge=0,
)
IS_SUPPRESSED = Field(
    description="true: all metrics are null, because the caller could learn the work of too few people. See the "
    "description of …/benchmarks."
)


class BenchmarkGroup(Shape):
    """The group of a benchmark, and how the figures of its members become one."""

    id: str = Field(description="Id of the benchmark, or ORGANIZATION_AVERAGE or ZERO_DAY_INDEX.")
    name: str = Field(examples=["Backend engineers"])
    member_kind: Literal["DEVELOPER", "REPOSITORY", "TEAM"]
    aggregation: Literal["AVERAGE", "MEDIAN", "PERCENTILE"] = Field(
        description="Percentiles are interpolated linearly between the two nearest members."
    )
    percentile: int | None = Field(description="1 to 99; null for other aggregations.", ge=1, le=99)
    missing_members: int = Field(
        description="Saved members that the newest build does not have (any more), and merged ones beyond the first.",
        ge=0,
    )


_METRICS: dict[str, Any] = {
    metric.name: (
        float | None,
        Field(
            default=None,
            description=f"{metric.label} of the benchmark. Unit: {metric.unit}; in the zero-day index, percent of the "
            "member's first complete bucket.",
            examples=[12.5],
        ),
    )
    for metric in METRICS.values()
}


class _Figures(BenchmarkGroup):
    member_count: int | None = MEMBER_COUNT
    is_suppressed: bool = IS_SUPPRESSED
    ai_cost_member_count: int | None = SPENDERS


class _Point(BucketPoint):
    member_count: int | None = MEMBER_COUNT
    is_suppressed: bool = IS_SUPPRESSED
    ai_cost_member_count: int | None = SPENDERS


BenchmarkFigures = create_model(
    "BenchmarkFigures",
    __base__=_Figures,
    __doc__="A benchmark over a range of days: one value per metric of the list.",
    **_METRICS,
)
BenchmarkPoint = create_model(
    "BenchmarkPoint", __base__=_Point, __doc__="A benchmark in one bucket of a time series.", **_METRICS
)


class BenchmarkSeries(BenchmarkGroup):
    """A benchmark as a time series."""

    is_index: bool = Field(
        description="true: the figures of each member are divided by those of its first complete bucket in the range "
        "with output, times 100; earlier buckets of the member are left out."
    )
    points: list[BenchmarkPoint]
