"""Time series as JSON or, where `Accept` asks for SVG, as a picture of one metric.

Keep out: what a chart looks like (presentation/charts), and which figures a series has (read/).
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeVar

from fastapi import Request
from pydantic import Field
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.errors import InvalidArgument
from api.http.media_types import JSON, accepted
from api.http.pictures import SVG
from api.presentation.charts.bars import stacked_bars
from api.presentation.charts.frames import Specification, noted, on_page, titled
from api.presentation.charts.lines import line_chart
from api.presentation.charts.models import Bucket, Line, LineChart, Part, Periods, StackedBars
from api.presentation.charts.themes import Theme
from api.presentation.charts.units import unit_of
from api.presentation.metrics import Metric
from api.query.columns import Kind
from api.query.pages import Page, Position
from api.query.parameters import OneOf
from api.read.figures.category_groups import GROUPINGS
from api.read.figures.time_series import TimeSeriesQuery, chosen_metrics
from api.snapshot.build import Build
from api.v1.answers import answer_page, answer_picture

# Drawing twelve lines of 400 points takes 250 ms.
MAX_LINES = 12
Series = TypeVar("Series", bound=TimeSeriesQuery)
ThemeName = Annotated[
    str,
    OneOf(Theme.LIGHT, Theme.DARK, Theme.PAGE),
    Field(
        description="The ground of a picture (`Accept: image/svg+xml`): light, dark, or the CSS variables of the "
        "page that it stands in, which has the title and the key of the categories."
    ),
]
PICTURE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The series. `Accept: image/svg+xml` asks for a picture of them: stacked bars for ETV by "
        f"category, otherwise lines. It shows one metric, by default the first, and at most {MAX_LINES} series. A "
        "null value is a gap.",
        "content": {SVG: {"schema": {"type": "string"}}},
    }
}


async def answer_series(
    request: Request,
    access: RowAccess,
    query: Series,
    read: Callable[[Build, RowAccess, Series, Position | None], Page],
    metrics: Mapping[str, Metric],
    resource: str,
    theme: str,
    *,
    varies: str = "",
) -> Response:
    """The page of series that `read` finds, or their picture. Raises InvalidArgument for a picture of two metrics."""
    if accepted(request, JSON, SVG) == SVG:
        chosen = chosen_metrics(query.metrics, metrics)
        if query.metrics.strip(", ") and len(chosen) > 1:
            raise InvalidArgument(
                "metrics", f"a picture shows one metric; name one, such as {chosen[0].field}"
            )
        metric = chosen[0]
        # A page may end before the series of a picture do.
        drawn = query.model_copy(update={"metrics": metric.field, "page_size": min(query.limit, MAX_LINES)})

        def specify(build: Build, position: Position | None) -> Specification:
            chart = series_chart(read(build, access, drawn, position), metric, query.group_by)
            # A page has a heading of its own.
            return on_page(chart) if theme == Theme.PAGE else titled(chart)

        answer = await answer_picture(request, access, query, resource, specify, Theme(theme), varies=varies)
    else:
        answer = await answer_page(request, access, query, "series", read, resource=resource, varies=varies)
    answer.headers["Vary"] = "Accept, Authorization"
    return answer


def series_chart(page: Page, metric: Metric, group: str | None) -> Specification:
    """The chart of a page of series with this metric, which are grouped by `group`."""
    interval, grouping = str(page.before_rows["interval"]), page.before_rows.get("categoryGrouping")
    first = page.rows[0]["points"] if page.rows else []
    buckets = [Bucket(point["start"], point["isPartial"] or point["isDraft"]) for point in first]
    periods, unit = Periods(interval, buckets), unit_of(metric)
    dimensions = [name.lower() for name in (group, interval) if name]
    title = f"{metric.label} by {' and '.join(dimensions)}"
    lines = [
        Line(row["name"] if group else "", [point[metric.field] for point in row["points"]])
        for row in page.rows
    ]
    benchmark = page.before_rows.get("benchmark")
    if benchmark is not None:
        if benchmark["isIndex"]:
            raise InvalidArgument("benchmark", "a picture has one unit, and an index another; ask for JSON")
        lines.append(Line(benchmark["name"], [point[metric.field] for point in benchmark["points"]]))
    # Shares and counts of commits do not add up over categories.
    if grouping is not None and metric.kind is Kind.MICRO:
        colours = [GROUPINGS[grouping][row["key"].lower()][0] for row in page.rows]
        if benchmark is not None:
            raise InvalidArgument(
                "benchmark", "stacked bars have no line; leave groupBy=CATEGORY out, or ask for JSON"
            )
        parts = [Part(line.name, colour, line.values) for line, colour in zip(lines, colours, strict=True)]
        chart = stacked_bars(StackedBars(title, unit, periods, parts))
    else:
        chart = line_chart(LineChart(title, unit, periods, lines))
    if len(page.rows) < page.total:
        chart = noted(chart, f"{len(page.rows)} of {page.total} series.")
    return chart
