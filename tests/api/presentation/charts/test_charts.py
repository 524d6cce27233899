"""Charts are drawn as their values say, on both grounds, and with any names."""

import re
import subprocess
import sys
import time
from datetime import date, timedelta
from typing import Any

import altair as alt
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from api.control.categories import CATEGORIES
from api.presentation.charts.bars import horizontal_bars, stacked_bars
from api.presentation.charts.drawing import VEGA_LITE, draw
from api.presentation.charts.frames import Specification, noted, on_page, titled
from api.presentation.charts.lines import line_chart, sparkline
from api.presentation.charts.models import (
    Band,
    Bar,
    Bucket,
    HorizontalBars,
    Line,
    LineChart,
    Part,
    Periods,
    Reference,
    Sparkline,
    StackedBars,
)
from api.presentation.charts.texts import printable, ticks
from api.presentation.charts.themes import COLOURS, FONT, Theme
from api.presentation.charts.units import NO_DATA, unit_of
from api.presentation.metrics import METRICS
from api.web.drawing.figures import chart_notes
from tests.api.presentation.charts.drawn import read
from tests.suite.tiers import fewer

ETV = unit_of(METRICS["etv"])
MONTHS = [date(2025, 11, 1), date(2025, 12, 1), date(2026, 1, 1), date(2026, 2, 1)]
BY_MONTH = Periods("MONTH", [Bucket(day, is_part=day == MONTHS[-1]) for day in MONTHS])
USUAL = Reference(50, "the average")
VALUES = (12.5, None, 0.0, 80.0)


def weeks(count: int) -> Periods:
    return Periods("WEEK", [Bucket(date(2025, 9, 1) + timedelta(weeks=number)) for number in range(count)])


def stacked(reference: Reference | None = None) -> Specification:
    parts = [Part(category.capitalize(), category, VALUES) for category in CATEGORIES]
    return stacked_bars(StackedBars("ETV by category and month", ETV, BY_MONTH, parts, reference))


CHARTS = {
    "line": line_chart(
        LineChart(
            "ETV by month", ETV, BY_MONTH, [Line("", VALUES)], USUAL, Band("usual", [1] * 4, [9] * 4)
        )
    ),
    "lines": line_chart(LineChart("ETV", ETV, BY_MONTH, [Line("web", VALUES), Line("api", VALUES)])),
    "no lines": line_chart(LineChart("ETV", ETV, BY_MONTH, [])),
    "no buckets": line_chart(LineChart("ETV", ETV, Periods("WEEK", []), [Line("", [])])),
    "stacked": stacked(reference=USUAL),
    "no parts": stacked_bars(StackedBars("ETV", ETV, BY_MONTH, [])),
    "horizontal": horizontal_bars(HorizontalBars("Objectives", ETV, [Bar("Faster builds", 3.2), Bar("x", None)])),
    "sparkline": sparkline(Sparkline("ETV", ETV, BY_MONTH, VALUES, USUAL)),
}  # fmt: skip


@pytest.mark.parametrize("name", CHARTS)
def test_a_specification_is_one_of_the_version_that_draws_it(name: str) -> None:
    assert alt.SCHEMA_VERSION.startswith(f"v{VEGA_LITE}.")
    for specification in (CHARTS[name], titled(noted(CHARTS[name], "Only the first."))):
        alt.Chart.from_dict(specification)


@pytest.mark.parametrize("name", CHARTS)
def test_a_picture_has_the_colours_of_its_theme_alone_and_one_font(name: str) -> None:
    for theme in Theme:
        svg = draw(CHARTS[name], theme)
        read(svg)
        patterns = {f"url(#{name})" for name in re.findall(r'<pattern id="([^"]*)"', svg)}
        painted = set(re.findall(r' (?:fill|stroke)="([^"]*)"', svg)) - {"none", "transparent"} - patterns
        assert painted <= set(COLOURS[theme].values())
        assert set(re.findall(r'font-family="([^"]*)"', svg)) <= {FONT}


def test_a_line_passes_through_its_values_and_stops_at_gaps() -> None:
    drawn = read(draw(CHARTS["line"], Theme.LIGHT))
    pixels, zero = drawn.grid()
    found = {mark.label: mark.y for mark in drawn.marks}
    assert found == {
        "Nov 2025: 12.5 ETV": pytest.approx(zero - 12.5 * pixels),
        "Jan 2026: 0.0 ETV": pytest.approx(zero),
        "Feb 2026: 80.0 ETV": pytest.approx(zero - 80 * pixels),
    }
    assert drawn.title == "ETV by month"
    assert drawn.description == (
        "4 months: Nov 2025 to Feb 2026. Most: 80.0 ETV (Feb 2026). Least: 0.0 ETV (Jan 2026). No data: 1. "
        "Dashed: 50.0 ETV, the average. Pale: usual. Dotted: only a part of the month."
    )


def test_the_line_itself_has_the_places_of_its_marks() -> None:
    values = [3.0, 7.0, None, 2.0, 5.0, 1.0]
    svg = draw(line_chart(LineChart("ETV", ETV, weeks(6), [Line("", values)])), Theme.LIGHT)
    drawn = read(svg)
    (path,) = re.findall(r'mark-line role-mark.*?<path[^>]* d="([^"]*)"', svg)[:1]
    strokes = [stroke.split("L") for stroke in path.removeprefix("M").split("M")]
    heights = [[float(place.split(",")[1]) for place in stroke] for stroke in strokes]
    by_label = {mark.label: mark.y for mark in drawn.marks}
    placed = [by_label.get(f"W{36 + number} 2025: {value} ETV") for number, value in enumerate(values)]
    assert heights == [pytest.approx(placed[:2], abs=1e-3), pytest.approx(placed[3:], abs=1e-3)]


def test_every_one_of_several_lines_has_its_name_and_the_scale_of_all() -> None:
    lines = [Line("web", [40.0] * 4), Line("api", [10.0] * 4)]
    drawn = read(draw(line_chart(LineChart("ETV", ETV, BY_MONTH, lines)), Theme.DARK))
    assert {"web", "api"} <= set(drawn.texts)
    pixels, zero = drawn.grid()
    for mark in drawn.marks:
        assert mark.y == pytest.approx(zero - (40 if mark.label.startswith("web, ") else 10) * pixels)
    assert len(drawn.marks) == 8


def test_bars_stack_the_categories_in_one_order_and_leave_unknown_buckets_empty() -> None:
    drawn = read(draw(stacked(), Theme.LIGHT))
    pixels, _ = drawn.grid()
    found = {mark.label: mark.height for mark in drawn.marks if mark.kind == "bar"}
    assert found == {
        f"{month}, {category.capitalize()}: {value:.1f} ETV": pytest.approx(value * pixels)
        for category in CATEGORIES
        for month, value in (("Nov 2025", 12.5), ("Jan 2026", 0.0), ("Feb 2026", 80.0))
    }
    assert drawn.spoken("text") == [f"Dec 2025: {NO_DATA}"]
    # The total of a known bucket stands over it, and 0 is not a dash.
    assert {"62.5", "0.0", "400.0", "–"} <= set(drawn.texts)
    fills = [COLOURS[Theme.LIGHT][category] for category in CATEGORIES]
    svg = draw(stacked(), Theme.LIGHT)
    assert re.findall(r'aria-label="Nov 2025[^>]*fill="([^"]*)"', svg) == fills
    # The key has the order of the categories, too.
    assert [text for text in drawn.texts if text.lower() in CATEGORIES] == [
        category.capitalize() for category in CATEGORIES
    ]


def hatchings(svg: str) -> list[tuple[str, float, float]]:
    """Of each mark with a pattern: the pattern's name, and the mark's width and height in pixels."""
    found = re.findall(r'd="M[^h"]*h([-\d.]+)v([-\d.]+)[^"]*" fill="url\(#([^)]*)\)"', svg)
    return [(name, float(width), float(height)) for width, height, name in found]


def test_the_bar_of_a_part_of_a_bucket_is_hatched_to_its_whole_height() -> None:
    svg = draw(stacked(), Theme.LIGHT)
    drawn = read(svg)
    ((name, width, height),) = hatchings(svg)
    assert svg.count(f'<pattern id="{name}"') == 1
    february = [mark for mark in drawn.marks if mark.kind == "bar" and mark.label.startswith("Feb 2026")]
    assert len(february) == len(CATEGORIES)
    assert height == pytest.approx(sum(mark.height for mark in february))
    assert [mark.width for mark in february] == pytest.approx([width] * len(february))
    assert "Hatched: only a part of the month." in drawn.description
    assert name not in draw(stacked(reference=USUAL), Theme.LIGHT)


@pytest.mark.parametrize("shown", [CHARTS["stacked"], titled(CHARTS["stacked"])], ids=["alone", "titled"])
def test_notes_are_seen_above_the_chart_with_and_without_a_title(shown: dict[str, Any]) -> None:
    drawn = read(draw(noted(shown, "Only the first repositories."), Theme.PAGE))
    notes = " ".join(drawn.texts)
    for note in (
        "Dashed: 50.0 ETV, the average.",
        "Hatched: only a part of the month.",
        "Only the first repos",
    ):
        assert note in notes


@pytest.mark.parametrize("name", ["stacked", "line"])
def test_a_chart_of_a_page_leaves_its_notes_to_the_page(name: str) -> None:
    svg = draw(noted(on_page(CHARTS[name]), "Only the first <b>."), Theme.PAGE)
    drawn = read(svg)
    (notes,) = drawn.root.iter("{http://www.w3.org/2000/svg}metadata")
    assert str(notes.text).startswith("Dashed: 50.0 ETV, the average.")
    assert str(notes.text).endswith(" Only the first <b>.")
    assert chart_notes(svg).unescape() == notes.text
    assert not [text for text in drawn.texts if "Dashed" in text or "Only" in text]


def test_whole_buckets_have_no_hatching() -> None:
    parts = [Part("Growth", "features", [1.0] * 4)]
    svg = draw(stacked_bars(StackedBars("ETV", ETV, weeks(4), parts)), Theme.LIGHT)
    assert "pattern" not in svg
    assert "Hatched" not in svg


def test_a_bar_with_one_unknown_part_has_no_total() -> None:
    parts = [Part("Growth", "features", [1.0] * 4), Part("Fixes", "fixes", [1.0, None, 1.0, 1.0])]
    drawn = read(draw(stacked_bars(StackedBars("ETV", ETV, BY_MONTH, parts)), Theme.LIGHT))
    assert drawn.texts.count("2.0") == 2 * 3  # with its halo
    assert f"Dec 2025: {NO_DATA}" in drawn.spoken("text")


def test_horizontal_bars_are_as_long_as_their_values() -> None:
    bars = [
        Bar("Faster builds", 30.0),
        Bar("Fewer failures", 12.0),
        Bar("Nothing yet", 0.0),
        Bar("Hidden", None),
    ]
    drawn = read(draw(horizontal_bars(HorizontalBars("Objectives", ETV, bars)), Theme.LIGHT))
    widths = {mark.label: mark.width for mark in drawn.marks}
    assert widths.keys() == {"Faster builds: 30.0 ETV", "Fewer failures: 12.0 ETV", "Nothing yet: 0.0 ETV"}
    assert widths["Fewer failures: 12.0 ETV"] == pytest.approx(0.4 * widths["Faster builds: 30.0 ETV"])
    assert widths["Nothing yet: 0.0 ETV"] == 0
    assert drawn.texts == [*(bar.name for bar in bars), "30.0", "12.0", "0.0", "–"]
    assert drawn.description.endswith(f"Hidden: {NO_DATA}")


@given(st.lists(st.one_of(st.none(), st.floats(0, 1e7, allow_subnormal=False)), min_size=1, max_size=60))
@settings(max_examples=fewer(25))
def test_every_known_value_of_any_line_is_a_mark_in_proportion(values: list[float | None]) -> None:
    periods = weeks(len(values))
    drawn = read(draw(line_chart(LineChart("ETV", ETV, periods, [Line("", values)])), Theme.LIGHT))
    known = [value for value in values if value is not None]
    assert len(drawn.marks) == len(known)
    assert sorted(drawn.spoken("point")) == sorted(
        f"W{bucket.start.isocalendar().week} {bucket.start.isocalendar().year}: {value:,.1f} ETV"
        for bucket, value in zip(periods.buckets, values, strict=True)
        if value is not None
    )
    most = max(known, default=0)
    if most >= 1e-3:
        heights = sorted(180 - mark.y for mark in drawn.marks)
        scale = heights[-1] / most
        assert heights == pytest.approx(sorted(value * scale for value in known), abs=1e-6)


@given(st.text(max_size=40))
@example("<script>alert(1)</script>")
@example('"/><image href="https://elsewhere.example/x"/>')
@example("]]> &amp; --> \x00\x1b[31m \ud800 \uffff")
@example("datum.value + names[0]")
# Wider than the chart, and each character is two units of UTF-16.
@example("\U0001f680\U0001f469\U0001f3fd" * 100)
@example("W" * 300)
@settings(max_examples=fewer(25))
def test_any_name_is_text_and_nothing_else(name: str) -> None:
    shown = printable(name)
    charts = (
        line_chart(LineChart(name, ETV, BY_MONTH, [Line(name, VALUES), Line(name, VALUES)])),
        stacked_bars(StackedBars(name, ETV, BY_MONTH, [Part(name, "features", VALUES)], Reference(3, name))),
        horizontal_bars(HorizontalBars(name, ETV, [Bar(name, 3.0), Bar(name, 4.0)])),
    )
    for chart in charts:
        drawn = read(draw(titled(chart), Theme.LIGHT))
        assert drawn.title == shown
        assert float(drawn.root.get("width", "")) <= 800
    assert [mark.label for mark in drawn.marks] == [f"{shown}: 3.0 ETV", f"{shown}: 4.0 ETV"]


def test_weeks_have_their_number_and_the_year_where_it_changes() -> None:
    shown = ticks(weeks(52), 724)
    assert shown[0] == ["W36", "2025"]
    assert [lines for lines in shown.values() if len(lines) == 2] == [["W36", "2025"], ["W2", "2026"]]
    assert len(shown) * 32 <= 724
    # 29 December 2025 is in the first week of 2026.
    assert ticks(Periods("WEEK", [Bucket(date(2025, 12, 29))]), 724) == {0: ["W1", "2026"]}
    assert list(ticks(BY_MONTH, 724).values()) == [["Nov", "2025"], ["Dec"], ["Jan", "2026"], ["Feb"]]
    quarters = Periods("QUARTER", [Bucket(date(2026, 4, 1)), Bucket(date(2026, 7, 1))])
    assert list(ticks(quarters, 724).values()) == [["Q2", "2026"], ["Q3"]]
    assert ticks(Periods("YEAR", [Bucket(date(2026, 1, 1))]), 724) == {0: ["2026"]}
    assert ticks(Periods("DAY", [Bucket(date(2026, 8, 14))]), 724) == {0: ["14 Aug", "2026"]}


def test_values_read_as_their_unit() -> None:
    said = {
        name: unit_of(METRICS[name]).said(value)
        for name, value in (
            ("etv", 1234.56),
            ("commits", 1202),
            ("performance", 49.6),
            ("roadmapAlignment", 0.584),
            ("aiShareAtLeast", 0.127),
            ("linesAdded", None),
        )
    }
    assert said == {
        "etv": "1,234.6 ETV",
        "commits": "1,202 commits",
        "performance": "50",
        "roadmapAlignment": "58 %",
        "aiShareAtLeast": "≥ 12 %",
        "linesAdded": NO_DATA,
    }


def test_a_chart_of_performance_always_ends_at_a_hundred() -> None:
    score = unit_of(METRICS["performance"])
    drawn = read(draw(line_chart(LineChart("Performance", score, weeks(2), [Line("", [3, 7])])), Theme.LIGHT))
    assert "100" in drawn.texts


def test_a_chart_of_counts_has_whole_numbers_at_its_axis() -> None:
    commits = unit_of(METRICS["commits"])
    for most in (0, 1, 3, 7):
        drawn = read(
            draw(line_chart(LineChart("Commits", commits, weeks(2), [Line("", [0, most])])), Theme.LIGHT)
        )
        assert [text for text in drawn.texts if "." in text] == []


def test_drawing_reaches_nothing_outside() -> None:
    elsewhere = CHARTS["no lines"] | {"data": {"url": "http://127.0.0.1:9/rows.json"}}
    with pytest.raises(ValueError, match="External data url not allowed"):
        draw(elsewhere, Theme.LIGHT)


def test_a_year_of_bars_is_drawn_in_less_than_300_ms_of_a_processor() -> None:
    parts = [Part(category, category, [12.5] * 52) for category in CATEGORIES]
    chart = stacked_bars(StackedBars("ETV", ETV, weeks(52), parts))
    spent = []
    for _ in range(5):
        started = time.process_time()
        draw(chart, Theme.LIGHT)
        spent.append(time.process_time() - started)
    # The first one starts Vega.
    assert min(spent[1:]) < 0.3


def test_fonts_of_the_machine_change_nothing() -> None:
    """The widest texts are the names of horizontal bars; a machine without any font draws them as this one."""
    program = (
        "from tests.api.presentation.charts.test_charts import CHARTS, draw, Theme\n"
        "print(*(draw(chart, Theme.LIGHT) for chart in CHARTS.values()), end='')"
    )
    alone = subprocess.run(
        [sys.executable, "-c", program],
        env={"FONTCONFIG_FILE": "/dev/null", "HOME": "/nonexistent", "PATH": "", "PYTHONPATH": "."},
        capture_output=True,
        text=True,
        check=True,
    )
    assert alone.stdout == " ".join(draw(chart, Theme.LIGHT) for chart in CHARTS.values())
