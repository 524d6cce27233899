"""Lines over buckets, one or several below one another, and sparklines."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

from api.presentation.charts.frames import (
    MAX_GRID_LINES,
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
from api.presentation.charts.models import WIDTH, Line, LineChart, Sparkline
from api.presentation.charts.texts import described, fitting, full_labels, printable
from api.presentation.charts.themes import NAME_SIZE

HEIGHT = 180
# Of each of several lines.
PANEL_HEIGHT = 64
PANEL_GRID_LINES = 2
_VALUE = {"field": "value", "type": "quantitative"}
# A gap interrupts the line, and the axis keeps the place of its bucket.
_BROKEN = {"invalid": "break-paths-show-domains"}


def line_chart(chart: LineChart) -> Specification:
    """The specification of lines."""
    inside = inner_width(chart.width)
    names = [printable(line.name) for line in chart.lines]
    limits = chain(*(line.values for line in chart.lines), chart.band.high if chart.band else ())
    reference = [chart.reference.value] if chart.reference else []
    y = value_axis(chart.unit, [*limits, *reference], PANEL_GRID_LINES if any(names) else MAX_GRID_LINES)
    head = frame(
        chart.title,
        _description(chart, names),
        notes(chart.unit, chart.periods, chart.reference, *_band_note(chart), part_is="Dotted"),
        labels=bucket_labels(chart.periods, inside),
        names=[fitting(name, inside, NAME_SIZE) for name in names],
    )
    x = bucket_axis(chart.periods, inside, "point")
    layers = [base_layer()]
    if chart.band is not None:
        layers.insert(0, _band(chart, x))
    if chart.reference is not None:
        layers.append(reference_layer(chart.reference))
    layers += _lines(x, y)
    data = {"values": list(chain(*(_rows(chart, number) for number in range(len(chart.lines)))))}
    if not any(names):
        return {**head, "width": inside, "height": HEIGHT, "data": data, "layer": layers}
    return {
        **head,
        "data": data,
        "facet": {
            "row": {
                "field": "line",
                "type": "ordinal",
                "header": {
                    "labelAlign": "left",
                    "labelAnchor": "start",
                    "labelAngle": 0,
                    "labelExpr": "names[datum.value]",
                    "labelOrient": "top",
                },
            }
        },
        "spacing": 12,
        "spec": {"width": inside, "height": PANEL_HEIGHT, "layer": layers},
    }


def sparkline(chart: Sparkline) -> Specification:
    """The specification of a sparkline."""
    reference = [chart.reference.value] if chart.reference else []
    y = value_axis(chart.unit, [*chart.values, *reference]) | {"axis": None}
    x = bucket_axis(chart.periods, chart.width, "point") | {"axis": None}
    layers = [reference_layer(chart.reference)] if chart.reference is not None else []
    drawn = LineChart(chart.title, chart.unit, chart.periods, [Line("", chart.values)])
    return {
        **frame(chart.title, described(chart.periods, chart.values, chart.unit)),
        "width": chart.width,
        "height": chart.height,
        "data": {"values": _rows(drawn, 0)},
        "layer": layers + _lines(x, y),
    }


def _description(chart: LineChart, names: Sequence[str]) -> str:
    said = [described(chart.periods, line.values, chart.unit) for line in chart.lines]
    named = [f"{name}: {text}" if name else text for name, text in zip(names, said, strict=True)]
    return " ".join(named) or "No lines."


def _band_note(chart: LineChart) -> list[str]:
    return [f"Pale: {fitting(chart.band.name, WIDTH / 2, NAME_SIZE)}."] if chart.band else []


def _rows(chart: LineChart, number: int) -> list[dict[str, Any]]:
    """A row per bucket: the value, where its line is solid or dotted, and the text that is read aloud."""
    line = chart.lines[number]
    before = f"{printable(line.name)}, " if line.name else ""
    values, is_part = line.values, [bucket.is_part for bucket in chart.periods.buckets]
    last = max((place for place, value in enumerate(values) if value is not None), default=None)
    rows = []
    for place, (value, label) in enumerate(zip(values, full_labels(chart.periods), strict=True)):
        around = slice(max(0, place - 1), place + 2)
        alone = sum(value is not None for value in values[around]) == 1
        rows.append(
            {
                "line": number,
                "bucket": place,
                "value": value,
                "solid": None if is_part[place] else value,
                "dotted": value if any(is_part[around]) else None,
                "dot": _dot(is_part[place], shown=alone or place == last),
                "text": f"{before}{label}: {chart.unit.said(value)}",
            }
        )
    return rows


def _dot(is_part: bool, *, shown: bool) -> str:
    if is_part:
        return "part-dot"
    return "dot" if shown else "hidden-dot"


def _lines(x: Specification, y: Specification) -> list[Specification]:
    """The line, what is dotted of it, the dots, and a mark per known value for screen readers."""
    solid, dotted = ({"x": x, "y": y | {"field": field}} for field in ("solid", "dotted"))
    point = {"x": x, "y": y | _VALUE, "description": {"field": "text", "type": "nominal"}}
    return [
        layer("line", "series", solid, **_BROKEN),
        layer("line", "part-line", dotted, **_BROKEN),
        *(
            {
                "transform": [{"filter": f"isValid(datum.value) && datum.dot === '{style}'"}],
                "mark": {"type": "point", "style": style, "aria": True},
                "encoding": point,
            }
            for style in ("hidden-dot", "dot", "part-dot")
        ),
    ]


def _band(chart: LineChart, x: Specification) -> Specification:
    assert chart.band is not None
    rows = [
        {"bucket": place, "low": low, "high": high}
        for place, (low, high) in enumerate(zip(chart.band.low, chart.band.high, strict=True))
    ]
    encoding = {
        "x": x,
        "y": {"field": "low", "type": "quantitative"},
        "y2": {"field": "high"},
    }
    return layer("area", "band", encoding, data={"values": rows}, **_BROKEN)
