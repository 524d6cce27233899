"""What the specifications of all charts share: title and description, axes, and the reference line."""

import textwrap
from collections.abc import Iterable
from itertools import chain
from typing import Any

from api.presentation.charts.models import WIDTH, Periods, Reference
from api.presentation.charts.texts import fitting, printable, ticks
from api.presentation.charts.themes import NAME_SIZE, NOTES, TITLE_SIZE
from api.presentation.charts.units import Unit

Specification = dict[str, Any]

# Pixels left of the axis, which its numbers fit into, so that charts below one another align.
MARGIN = 44
PADDING = 4
MAX_GRID_LINES = 4
# Characters of a line of notes, which fill three quarters of a chart.
NOTE_LENGTH = 100


def frame(title: str, description: str, notes: Iterable[str] = (), **parameters: Any) -> Specification:
    """The head of a specification. `parameters` are values that its expressions name.

    The title is only read aloud, unless `titled` adds it; the notes stand above the chart.
    """
    said = list(notes)
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "usermeta": {"title": printable(title)},
        "description": " ".join([description, *said]),
        # The picture itself has title and description; read aloud here, they would be said twice.
        # Vega draws no subtitle below an empty title, so the notes are the title until there is one.
        "title": {"text": [*chain(*map(_lines, said))] or "", "style": NOTES, "aria": False},
        "padding": PADDING,
        "params": [{"name": name, "value": value} for name, value in parameters.items()],
    }


def titled(specification: Specification) -> Specification:
    """The specification with its title above the chart, for a picture that stands alone."""
    text = fitting(specification["usermeta"]["title"], WIDTH, TITLE_SIZE)
    title = {"text": text, "subtitle": [*specification["title"]["text"]], "aria": False}
    return specification | {"title": title}


def on_page(specification: Specification) -> Specification:
    """The specification for a page, which shows the key of its colours and its notes itself.

    Both stay in sight there when the chart scrolls. The notes are the metadata of the picture.
    """
    layers = [
        one | {"encoding": one["encoding"] | {"color": one["encoding"]["color"] | {"legend": None}}}
        if "color" in one.get("encoding", {})
        else one
        for one in specification.get("layer", [])
    ]
    said = [*specification["title"]["text"]]
    return (
        specification
        | {
            "usermeta": specification["usermeta"] | {"notes": said},
            "title": specification["title"] | {"text": ""},
        }
        | ({"layer": layers} if layers else {})
    )


def noted(specification: Specification, note: str) -> Specification:
    """The specification with another note above the chart."""
    title, meta = specification["title"], specification["usermeta"]
    described = specification | {"description": f"{specification['description']} {note}"}
    if "notes" in meta:
        return described | {"usermeta": meta | {"notes": [*meta["notes"], note]}}
    place = "subtitle" if "subtitle" in title else "text"
    return described | {"title": title | {place: [*title[place], *_lines(note)]}}


def _lines(note: str) -> list[str]:
    return textwrap.wrap(note, NOTE_LENGTH)


def inner_width(width: int) -> int:
    """Pixels of the axis of a chart."""
    return width - MARGIN - 2 * PADDING


def bucket_axis(periods: Periods, width: int, scale: str) -> Specification:
    """The horizontal axis, on which every bucket has its place. Labels come from the parameter `labels`."""
    return {
        "field": "bucket",
        "type": "ordinal",
        "scale": {"type": scale, "domain": list(range(len(periods.buckets)))}
        | ({"padding": 0.5} if scale == "point" else {}),
        "axis": {
            "labelAngle": 0,
            "labelExpr": "labels[datum.value]",
            "labelOverlap": False,
            "values": list(ticks(periods, width)),
        },
    }


def bucket_labels(periods: Periods, width: int) -> list[list[str]]:
    """The parameter `labels`: the lines of the label of each bucket."""
    found = ticks(periods, width)
    return [found.get(number, []) for number in range(len(periods.buckets))]


def value_axis(unit: Unit, values: Iterable[float | None], grid_lines: int = MAX_GRID_LINES) -> Specification:
    """The vertical axis from 0, with room for these values."""
    most = max((value for value in values if value is not None), default=0)
    end = unit.top or max(most, unit.least_top) or 1
    return {
        "type": "quantitative",
        "scale": {"domain": [0, end], "nice": unit.top is None},
        "axis": {
            "grid": True,
            "labelExpr": unit.axis,
            "minExtent": MARGIN,
            "maxExtent": MARGIN,
            "tickCount": grid_lines,
        },
    }


def layer(mark: str, style: str, encoding: Specification, **options: Any) -> Specification:
    """A layer that is only seen: screen readers pass over it. Options beside `data` and `transform` are the mark's."""
    outside = {name: options.pop(name) for name in ("data", "transform") if name in options}
    return {
        **outside,
        "mark": {"type": mark, "style": style, "aria": False} | options,
        "encoding": encoding,
    }


def reference_layer(reference: Reference) -> Specification:
    """The dashed line."""
    data = {"values": [{"reference": reference.value}]}
    encoding = {"y": {"field": "reference", "type": "quantitative"}}
    return layer("rule", "reference", encoding, data=data)


def base_layer() -> Specification:
    """The line at 0."""
    encoding = {"y": {"field": "base", "type": "quantitative"}}
    return layer("rule", "base", encoding, data={"values": [{"base": 0}]})


def notes(unit: Unit, periods: Periods, reference: Reference | None, *more: str, part_is: str) -> list[str]:
    """What the chart does not write beside its marks: the reference, and how a part of a bucket looks, if any does."""
    found = (
        [f"Dashed: {unit.said(reference.value)}, {fitting(reference.name, WIDTH / 2, NAME_SIZE)}."]
        if reference
        else []
    )
    found += more
    if part_is and any(bucket.is_part for bucket in periods.buckets):
        found.append(f"{part_is}: only a part of the {periods.interval.lower()}.")
    return [" ".join(found)] if found else []
