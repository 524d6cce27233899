"""What several resources answer with: the base of every shape, pages, the metric fields.

Shapes document; on the hot path rows become JSON without them, and tests hold the two together.
"""

from collections.abc import Callable, Iterable
from datetime import date
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.alias_generators import to_camel

from api.read.columns import Kind
from api.read.metrics import METRICS, Metric

EXAMPLES: dict[Kind, Any] = {Kind.MICRO: 12.345678, Kind.NUMBER: 0.25, Kind.INTEGER: 7}


class Shape(BaseModel):
    """Base of what is answered: camelCase in JSON, nothing undocumented."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")


Measured = TypeVar("Measured", bound=Shape)


class Empty(Shape):
    """Nothing to tell: it is done."""


class Page(Shape):
    """Base of every list answer."""

    next_page_token: str = Field(
        description="Send it as `pageToken` for the next page; empty on the last.", examples=[""]
    )
    total_size: int = Field(description="Items on all pages together.", examples=[1])


class ItemStatus(Shape):
    """google.rpc.Status of one item of a bulk call."""

    code: int = Field(description="google.rpc.Code; 0 where it succeeded.", examples=[0])
    message: str = Field(description="Why it failed, and what to do.", examples=[""])
    details: list[dict[str, Any]]


class Days(Shape):
    """A range of days, both included."""

    start_date: date
    end_date: date


SUPPRESSED = Field(
    description="Why every metric is null: fewer people made them than the organization's settings ask for, or from "
    "these and others shown the work of so few could be told. Null where they are shown.",
    examples=[None],
)


def _field(metric: Metric, *, optional: bool) -> tuple[Any, Any]:
    kind: Any = int if metric.kind is Kind.INTEGER else float
    options: dict[str, Any] = {
        "description": f"{metric.description} Unit: {metric.unit}.",
        "examples": [EXAMPLES[metric.kind]],
    }
    if optional:
        return kind | None, Field(default=None, **options)
    if metric.is_ai:
        options["description"] += (
            " Missing from lists whose columns about AI the organization's settings leave out."
        )
        return kind | None, Field(default=None, **options)
    return kind | None, Field(**options)


def _with_metrics(
    chosen: Iterable[Metric], *, optional: bool = False
) -> Callable[[type[Measured]], type[Measured]]:
    """Gives a shape a field for each of these metrics, in place of writing them down again."""

    def made(shape: type[Measured]) -> type[Measured]:
        fields: dict[str, Any] = {metric.name: _field(metric, optional=optional) for metric in chosen}
        if not optional:
            fields["suppressed_reason"] = (Literal["MINIMUM_GROUP_SIZE"] | None, SUPPRESSED)
        return create_model(shape.__name__, __base__=shape, __doc__=shape.__doc__, **fields)

    return made


@_with_metrics(METRICS.values())
class Figures(Shape):
    """Every metric over a range of days."""


@_with_metrics(METRICS.values(), optional=True)
class SomeFigures(Shape):
    """The metrics that were asked for."""


@_with_metrics(metric for metric in METRICS.values() if metric.expression is not None)
class Totals(Shape):
    """Metrics over all items on all pages together: sums, and ratios of sums. Bots and sandboxes are left out.

    With a minimum group size only those without search and filter are shown.
    """
