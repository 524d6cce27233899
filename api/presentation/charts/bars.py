"""Stacked bars of categories over buckets, and horizontal bars with names."""

from itertools import chain
from typing import Any

from api.control.categories import CATEGORIES
from api.presentation.charts.frames import (
    Specification,
    base_layer,
    bucket_axis,
    bucket_labels,
    frame,
    inner_width,
    layer,
    notes,
    reference_layer,
    value_axis,
)
from api.presentation.charts.models import HorizontalBars, StackedBars
from api.presentation.charts.texts import described, fitting, full_labels, printable
from api.presentation.charts.themes import AXIS_SIZE, NAME_SIZE
from api.presentation.formats import DASH

HEIGHT = 200
MAX_BAR = 44
# Pixels for each bucket from which on the totals over the bars keep clear of one another.
ROOM_OF_TOTAL = 34
ROW_HEIGHT = 26
# Of the name of a part in the key.
KEY_WIDTH = 130
NAMES_WIDTH = 260
# Right of a horizontal bar, for its value.
VALUES_WIDTH = 64
_SAID = {"field": "text", "type": "nominal"}


def stacked_bars(chart: StackedBars) -> Specification:
    """The specification of stacked bars. A bucket in which any part is unknown has no total."""
    inside = inner_width(chart.width)
    totals = _totals(chart)
    reference = [chart.reference.value] if chart.reference else []
    heights = [sum(value or 0 for value in column) for column in _columns(chart)]
    step = inside / max(1, len(totals))
    x = bucket_axis(chart.periods, inside, "band")
    y = value_axis(chart.unit, [*heights, *reference])
    width = min(MAX_BAR, 0.7 * step)
    hatching = _hatching(chart, x, heights, width)
    bars = {
        "mark": {"type": "bar", "style": "segment", "aria": True, "width": width},
        "encoding": {
            "x": x,
            "y": y | {"field": "value", "stack": "zero"},
            "order": {"field": "part", "type": "quantitative"},
            "color": _colour(chart),
            "description": _SAID,
        },
    }
    return {
        **frame(
            chart.title,
            described(chart.periods, totals, chart.unit),
            notes(chart.unit, chart.periods, chart.reference, part_is="Hatched" if hatching else ""),
            labels=bucket_labels(chart.periods, inside),
            names={part.category: fitting(part.name, KEY_WIDTH, NAME_SIZE) for part in chart.parts},
        ),
        "width": inside,
        "height": HEIGHT,
        "data": {"values": _segments(chart)},
        "layer": [
            *([reference_layer(chart.reference)] if chart.reference else []),
            bars,
            *hatching,
            base_layer(),
            *_tops(chart, x, show_totals=step >= ROOM_OF_TOTAL),
        ],
    }


def horizontal_bars(chart: HorizontalBars) -> Specification:
    """The specification of horizontal bars."""
    inside = chart.width - NAMES_WIDTH - VALUES_WIDTH
    names = [printable(bar.name) for bar in chart.bars]
    most = max((bar.value for bar in chart.bars if bar.value is not None), default=0)
    rows: list[dict[str, Any]] = [
        {
            "bar": number,
            "value": bar.value,
            "end": bar.value or 0,
            "shown": DASH if bar.value is None else chart.unit.text(bar.value),
            "text": f"{name}: {chart.unit.said(bar.value)}",
        }
        for number, (bar, name) in enumerate(zip(chart.bars, names, strict=True))
    ]
    shown = [fitting(name, NAMES_WIDTH - 16, AXIS_SIZE) for name in names]
    y = {
        "field": "bar",
        "type": "ordinal",
        "axis": {
            "labelExpr": "names[datum.value]",
            "labelAlign": "left",
            "labelPadding": NAMES_WIDTH,
            "minExtent": NAMES_WIDTH,
            "maxExtent": NAMES_WIDTH,
        },
    }
    x = {"type": "quantitative", "scale": {"domain": [0, chart.unit.top or most or 1]}, "axis": None}
    return {
        **frame(chart.title, "; ".join(row["text"] for row in rows) or "No bars.", names=shown),
        "width": inside,
        "height": {"step": ROW_HEIGHT},
        "data": {"values": rows},
        "layer": [
            {
                "mark": {"type": "bar", "style": "bar", "aria": True, "height": 10},
                "encoding": {"x": x | {"field": "value"}, "y": y, "description": _SAID},
            },
            layer(
                "text",
                "total",
                {"x": x | {"field": "end"}, "y": y, "text": {"field": "shown", "type": "nominal"}},
                align="left",
                dx=6,
            ),
        ],
    }


def _columns(chart: StackedBars) -> list[tuple[float | None, ...]]:
    """The values of all parts of each bucket."""
    return list(zip(*(part.values for part in chart.parts), strict=True)) or [()] * len(chart.periods.buckets)


def _totals(chart: StackedBars) -> list[float | None]:
    return [None if None in column or not column else sum(filter(None, column)) for column in _columns(chart)]


def _segments(chart: StackedBars) -> list[dict[str, Any]]:
    labels = full_labels(chart.periods)
    return [
        {
            "bucket": place,
            "part": number,
            "category": part.category,
            "value": value,
            "text": f"{label}, {printable(part.name)}: {chart.unit.said(value)}",
        }
        for number, part in enumerate(chart.parts)
        for place, (label, value) in enumerate(zip(labels, part.values, strict=True))
        if value is not None
    ]


def _hatching(
    chart: StackedBars, x: Specification, heights: list[float], width: float
) -> list[Specification]:
    """Lines over the bars of a part of a bucket."""
    rows = [
        {"bucket": place, "top": height}
        for place, (bucket, height) in enumerate(zip(chart.periods.buckets, heights, strict=True))
        if bucket.is_part and height
    ]
    encoding = {"x": x, "y": {"field": "top", "type": "quantitative"}}
    return [layer("bar", "hatching", encoding, data={"values": rows}, width=width)] if rows else []


def _colour(chart: StackedBars) -> Specification:
    """The colours of the categories, always in the same order, and a key of those that the chart shows."""
    return {
        "field": "category",
        "type": "nominal",
        "scale": {"domain": list(CATEGORIES), "range": "category"},
        "legend": {
            "labelExpr": "names[datum.value]",
            "orient": "bottom",
            "values": [part.category for part in chart.parts],
        },
    }


def _tops(chart: StackedBars, x: Specification, *, show_totals: bool) -> list[Specification]:
    """The total over each bar, and a dash in the place of a bar that is unknown."""
    labels = full_labels(chart.periods)
    known, unknown = [], []
    for place, total in enumerate(_totals(chart)):
        if total is None:
            unknown.append({"bucket": place, "top": 0, "shown": DASH, "text": f"{labels[place]}: no data"})
        else:
            known.append({"bucket": place, "top": total, "shown": chart.unit.text(total)})
    encoding = {
        "x": x,
        "y": {"field": "top", "type": "quantitative"},
        "text": {"field": "shown", "type": "nominal"},
    }
    totals = [layer("text", style, encoding, data={"values": known}, dy=-9) for style in ("halo", "total")]
    dashes = {
        "data": {"values": unknown},
        "mark": {"type": "text", "style": "unknown", "aria": True, "dy": -9},
        "encoding": encoding | {"description": _SAID},
    }
    return list(chain(totals if show_totals and known else [], [dashes] if unknown else []))
