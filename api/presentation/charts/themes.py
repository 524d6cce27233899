"""The colours of charts on light and dark ground, and the Vega-Lite configuration that gives them to a specification.

A specification names styles, and only this module knows what they look like. Colour means a category; all else is ink.
"""

from enum import StrEnum
from functools import cache
from typing import Any

from api.control.categories import CATEGORIES

# Metrics of the first one are in vl_convert itself, so a text has the same width on every machine. Arial is as wide.
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
# Pixels.
AXIS_SIZE, NAME_SIZE, TITLE_SIZE = 11, 12, 14


# The style of notes above a chart without title.
NOTES = "notes"
# The pattern of marks that stand for a part of a bucket; drawing.py defines it.
HATCHING = "hatching"


class Theme(StrEnum):
    """The ground of a picture. PAGE takes its colours from CSS variables of the page that it stands in."""

    LIGHT = "LIGHT"
    DARK = "DARK"
    PAGE = "PAGE"


_LIGHT = {
    "ground": "#ffffff",
    "line": "#e5e7ea",
    "line-2": "#c6cbd1",
    "ink": "#1b1f24",
    "ink-2": "#535b65",
    "ink-3": "#626a75",
    "band": "#e9ebee",
    "features": "#2a62d9",
    "maintenance": "#565e6e",
    "tests": "#1fa598",
    "documentation": "#9a840f",
    "fixes": "#6b0b49",
}
_DARK = {
    "ground": "#131619",
    "line": "#272c32",
    "line-2": "#434b55",
    "ink": "#e7eaee",
    "ink-2": "#a7afb9",
    "ink-3": "#8f98a3",
    "band": "#252a30",
    "features": "#4a80ea",
    "maintenance": "#8b98b0",
    "tests": "#66d6ca",
    "documentation": "#cfbd55",
    "fixes": "#b83c82",
}
COLOURS = {
    Theme.LIGHT: _LIGHT,
    Theme.DARK: _DARK,
    Theme.PAGE: {name: f"var(--{name})" for name in _LIGHT},
}


@cache
def configuration(theme: Theme) -> dict[str, Any]:
    """The configuration of Vega-Lite for this theme."""
    colour = COLOURS[theme]
    label = {"labelColor": colour["ink-2"], "labelFont": FONT, "labelFontSize": AXIS_SIZE, "labelLimit": 0}
    text = {"font": FONT, "fontSize": AXIS_SIZE, "color": colour["ink"]}
    return {
        "background": None if theme is Theme.PAGE else colour["ground"],
        "font": FONT,
        "view": {"stroke": None},
        "axis": {
            **label,
            # Every mark is read aloud with its bucket and unit.
            "aria": False,
            "domain": False,
            "grid": False,
            "gridColor": colour["line"],
            "labelPadding": 6,
            "ticks": False,
            "title": None,
        },
        "header": {
            **label,
            "labelColor": colour["ink"],
            "labelFontSize": 12,
            "labelPadding": 4,
            "title": None,
        },
        "legend": {
            **label,
            "columnPadding": 20,
            "labelFontSize": 12,
            "symbolType": "square",
            "symbolSize": 100,
            "title": None,
        },
        "title": {
            "anchor": "start",
            "color": colour["ink"],
            "font": FONT,
            "fontSize": TITLE_SIZE,
            "fontWeight": 600,
            "frame": "bounds",
            "offset": 16,
            "subtitleColor": colour["ink-2"],
            "subtitleFont": FONT,
            "subtitleFontSize": NAME_SIZE,
            "subtitlePadding": 6,
        },
        "range": {"category": [colour[category] for category in CATEGORIES]},
        "style": {
            "band": {"color": colour["band"], "opacity": 1},
            "bar": {"color": colour["maintenance"]},
            "base": {"color": colour["line-2"]},
            "dot": {"color": colour["ink"], "filled": True, "opacity": 1, "size": 22},
            "hatching": {"color": f"url(#{HATCHING})"},
            "halo": {**text, "stroke": colour["ground"], "strokeWidth": 3, "strokeJoin": "round"},
            "reference": {"color": colour["ink"], "strokeDash": [4, 3]},
            NOTES: {**text, "fill": colour["ink-2"], "fontSize": NAME_SIZE, "fontWeight": "normal"},
            # Only heard: the mark that a screen reader finds.
            "hidden-dot": {"color": colour["ink"], "opacity": 0, "size": 22},
            "part-dot": {
                "color": colour["ground"],
                "filled": True,
                "opacity": 1,
                "size": 22,
                "stroke": colour["ink"],
                "strokeWidth": 1.25,
            },
            "part-line": {"color": colour["ink"], "strokeDash": [2, 3], "strokeWidth": 1.5},
            "segment": {"stroke": colour["ground"], "strokeWidth": 1},
            "series": {"color": colour["ink"], "strokeJoin": "round", "strokeWidth": 1.5},
            "total": text,
            "unknown": {**text, "color": colour["ink-3"]},
        },
    }
