"""Answer shapes with a field for every metric, and the columns of these fields.

Shapes document the answers and give the columns of queries. Rows become JSON without them; tests compare both.
"""

from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal, TypeVar

from pydantic import Field, create_model

from api.presentation.metrics import METRICS, Metric
from api.presentation.pull_request_metrics import PULL_REQUEST_METRICS
from api.query.columns import Column, Kind
from api.query.fields import Stored, columns_of
from api.shapes import Shape

EXAMPLES: dict[Kind, Any] = {Kind.MICRO: 12.345678, Kind.NUMBER: 0.25, Kind.INTEGER: 7}


NO_PERFORMANCE: dict[str, Any] = {
    "description": "The reason why performance is null. NO_COMPARISON_YET: the organization has fewer than 26 "
    "developer-weeks in the year before. NO_ETV: no output, or nobody was employed. NOT_SEEN: it would contain "
    "work that the reader may not see. NO_WHOLE_WEEK: the range or bucket has no whole week. PARTIAL: the bucket is "
    "cut or still runs. MIXTURE: of several things together the employed weeks are unknown. Null with a performance, "
    "and where a minimum group size hides the figures.",
    "examples": [None],
}
NoPerformance = Literal["NO_COMPARISON_YET", "NO_ETV", "NOT_SEEN", "NO_WHOLE_WEEK", "PARTIAL", "MIXTURE"]


Measured = TypeVar("Measured", bound=Shape)


SUPPRESSED = Field(
    description="The reason why all metrics are null: fewer people than the organization's minimum group "
    "size did the work, or a reader could compute the figures of fewer people from these "
    "metrics. Null when the answer has metrics.",
    examples=[None],
)


def _field(metric: Metric, *, optional: bool) -> tuple[Any, Any]:
    number: Any = int if metric.kind is Kind.INTEGER else float
    kind = Annotated[number | None, metric.kind, Stored(metric.name)]
    options: dict[str, Any] = {
        "description": f"{metric.description} Unit: {metric.unit}.",
        "examples": [EXAMPLES[metric.kind]],
    }
    if optional:
        return kind, Field(default=None, **options)
    if metric.is_ai:
        options["description"] += (
            " Lists omit it when the settings of the organization switch off columns about AI."
        )
        return kind, Field(default=None, **options)
    return kind, Field(**options)


def _with_metrics(
    chosen: Iterable[Metric], *, optional: bool = False
) -> Callable[[type[Measured]], type[Measured]]:
    """Give a shape a field for each of these metrics."""

    given = list(chosen)

    def made(shape: type[Measured]) -> type[Measured]:
        fields: dict[str, Any] = {metric.name: _field(metric, optional=optional) for metric in given}
        if not optional:
            fields["suppressed_reason"] = (Literal["MINIMUM_GROUP_SIZE"] | None, SUPPRESSED)
        if any(metric.name == "performance" for metric in given):
            fields["performance_missing_reason"] = (
                NoPerformance | None,
                Field(default=None, **NO_PERFORMANCE) if optional else Field(**NO_PERFORMANCE),
            )
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
    """Metrics over the items of all pages: sums, and ratios of sums, without bots and sandboxes.

    In an organization with a minimum group size, they are null for a request with `search` or `filter`.
    """


@_with_metrics(PULL_REQUEST_METRICS.values(), optional=True)
class SomePullRequestFigures(Shape):
    """The metrics of pull requests that were asked for."""


FIGURES = columns_of(Figures)
PULL_REQUEST_FIGURES = columns_of(SomePullRequestFigures)
TOTALS = columns_of(Totals)


def entity_columns(shape: type[Figures]) -> dict[str, Column]:
    """The columns of an entity: its own, then its figures, which the document names first."""
    return {field: column for field, column in columns_of(shape).items() if field not in FIGURES} | FIGURES
