"""What every answer with time series has: the range, the bucket of a point, and definitions of metrics.

Keep out: the metrics and figures of one kind of series (`metrics`, `api.v1.pull_requests.metrics`).
"""

from collections.abc import Mapping
from datetime import date

from pydantic import Field

from api.presentation.metrics import Metric
from api.query.periods import MAX_POINTS
from api.shapes import Days, IntervalOfAnswer, Page, Shape


class BucketPoint(Shape):
    """The bucket of a point of a time series."""

    start: date = Field(description="First day of the whole bucket.")
    end: date = Field(description="Last day of the whole bucket.")
    label: str = Field(examples=["2026-W47"])
    week_number: int | None = Field(
        description="ISO week number; null for other intervals than WEEK.", ge=1, le=53
    )
    is_partial: bool = Field(
        description="true: the range covers only a part of the bucket, and so do the figures."
    )
    is_draft: bool = Field(description="true: the period has not ended.")


class SeriesRange(Page, Days):
    """The range of a page of time series, and the length of its buckets."""

    interval: IntervalOfAnswer = Field(
        description="Length of the buckets; longer than requested when the range has too many."
    )
    requested_interval: IntervalOfAnswer = Field(description="The `interval` of the request.")
    allowed_intervals: list[IntervalOfAnswer] = Field(
        description=f"The intervals that this range allows, finest first: those with at most {MAX_POINTS} buckets, and "
        "with a minimum group size none shorter than a month. The answer uses the first that is not finer than the "
        "requested one.",
        examples=[["DAY", "WEEK", "MONTH", "QUARTER", "YEAR"]],
    )


class Description(Shape):
    """The definition of a metric."""

    name: str = Field(examples=["etv"])
    label: str
    unit: str = Field(description="Unit of the figures.")
    description: str
    nullable: bool = Field(description="true: the metric can be null. Null means unknown, not zero.")


class Descriptions(Shape):
    """Every metric."""

    metrics: list[Description]


def descriptions(metrics: Mapping[str, Metric]) -> Descriptions:
    """The definitions of metrics."""
    return Descriptions(
        metrics=[
            Description(
                name=metric.field,
                label=metric.label,
                unit=metric.unit,
                description=metric.description,
                nullable=metric.nullable,
            )
            for metric in metrics.values()
        ]
    )
