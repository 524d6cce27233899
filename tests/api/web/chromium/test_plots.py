"""A chart of categories that a mouse points at and drags across, and the keyboard too; and one that scrolls."""

import re
from collections.abc import Callable
from contextlib import suppress

import pytest
from playwright.sync_api import Locator, expect

from tests.api.web.chromium.conftest import DAYS, Visit
from tests.api.web.conftest import HOME

Visits = Callable[..., Visit]
MONTHS = f"{HOME}/overview?{DAYS}&interval=MONTH"


def point_at(seen: Visit, share: float) -> None:
    """Move the mouse over the chart, as far from its left end as this share of its width."""
    seen.page.locator(".u-over").scroll_into_view_if_needed()
    box = seen.page.locator(".u-over").bounding_box()
    assert box is not None
    seen.page.mouse.move(box["x"] + share * box["width"], box["y"] + 40)


def rows_of(seen: Visit) -> list[list[str]]:
    """The texts of the chart's table, without the words for a running bucket."""
    seen.page.get_by_text(re.compile(r"^The \d+ months of the chart")).click()
    rows = seen.page.locator("table[data-plots] tbody tr")
    return [[cell.split("\n")[0] for cell in row.split("\t")] for row in rows.all_inner_texts()]


def told(tip: Locator) -> list[str]:
    """The figures of the tip from its last line up: the sum, then each category in the order of the table."""
    return [line.split("\n")[-1] for line in tip.locator(".tip-row").all_inner_texts()][::-1]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_mouse_reads_the_figures_of_the_table_and_zooms_and_returns(visit: Visits, scheme: str) -> None:
    seen = visit("admin", scheme=scheme)
    seen.open(MONTHS)
    expect(seen.page.locator(".plotted.is-live .chart")).to_be_hidden()
    rows = rows_of(seen)
    tip, whole = seen.page.locator(".tip"), seen.page.get_by_role("button", name="Whole range")
    for place in (0, len(rows) // 2, len(rows) - 1):
        point_at(seen, (place + 0.5) / len(rows))
        expect(tip.locator(".main")).to_have_text(re.compile(f"^{rows[place][0].removesuffix(' running')}"))
        assert told(tip) == rows[place][1:]
    expect(whole).to_be_hidden()
    point_at(seen, 2.5 / len(rows))
    seen.page.mouse.down()
    point_at(seen, 5.5 / len(rows))
    seen.page.mouse.up()
    expect(whole).to_be_visible()
    point_at(seen, 0.01)
    expect(tip.locator(".main")).to_have_text(rows[2][0])
    whole.click()
    expect(whole).to_be_hidden()
    point_at(seen, 0.01)
    expect(tip.locator(".main")).to_have_text(re.compile(f"^{rows[0][0]}"))
    assert (seen.complaints, seen.strangers) == ([], [])


def test_the_keyboard_reads_zooms_and_returns(visit: Visits) -> None:
    seen = visit("viewer")
    seen.open(MONTHS)
    rows = rows_of(seen)
    heard = seen.page.locator(".plot [role=status]")
    seen.page.locator(".plot").focus()
    seen.page.keyboard.press("ArrowRight")
    expect(heard).to_have_text(re.compile(f"^{rows[0][0]}.*: {re.escape(rows[0][1])} ETV"))
    seen.page.keyboard.press("End")
    expect(heard).to_have_text(re.compile(f"^{rows[-1][0].removesuffix(' running')}"))
    seen.page.keyboard.press("+")
    seen.page.keyboard.press("Home")
    assert not (heard.text_content() or "").startswith(rows[0][0])
    seen.page.keyboard.press("Tab")
    expect(seen.page.get_by_role("button", name="Whole range")).to_be_focused()
    seen.page.keyboard.press("Enter")
    expect(seen.page.locator(".plot")).to_be_focused()
    seen.page.keyboard.press("Home")
    expect(heard).to_have_text(re.compile(f"^{rows[0][0]}"))
    assert seen.complaints == []


def test_a_page_that_comes_in_place_has_the_chart_too_and_it_fits_a_narrower_window(visit: Visits) -> None:
    seen = visit("admin")
    seen.open(f"{HOME}/commits?{DAYS}")
    assert seen.page.evaluate("typeof uPlot") == "undefined"
    seen.page.get_by_role("navigation", name="Pages").get_by_role("link", name="Overview").click()
    expect(seen.page.locator(".plotted.is-live")).to_have_count(1)
    for width in (1440, 768, 360):
        seen.page.set_viewport_size({"width": width, "height": 800})
        canvas, box = seen.page.locator(".plot canvas"), seen.page.locator(".plot").bounding_box()
        assert box is not None
        expect(canvas).to_have_css("width", f"{round(box['width'])}px")
        assert seen.page.evaluate("document.scrollingElement.scrollWidth - window.innerWidth") <= 0
    assert (seen.complaints, seen.strangers) == ([], [])


def test_a_chart_that_leaves_the_page_ends(visit: Visits) -> None:
    seen = visit("viewer")
    seen.open(MONTHS)
    expect(seen.page.locator(".plotted.is-live")).to_have_count(1)
    seen.page.evaluate(
        """() => {
          window.ended = [];
          const [one] = shown;
          one.chart.hooks.destroy = [() => ended.push("chart")];
          const disconnect = ResizeObserver.prototype.disconnect;
          ResizeObserver.prototype.disconnect = function () { ended.push("observer"); disconnect.call(this); };
        }"""
    )
    seen.page.get_by_role("navigation", name="Pages").get_by_role("link", name="Objectives").click()
    expect(seen.page.locator("h1")).to_have_text("Objectives")
    assert seen.page.evaluate("[shown.size, ...ended]") == [0, "chart", "observer"]
    assert seen.complaints == []


def test_the_numbers_of_the_axis_stay_while_a_chart_scrolls(visit: Visits) -> None:
    seen = visit("viewer", width=360, scripts=False)
    seen.open(MONTHS)
    chart, axis = seen.page.locator(".chart").first, seen.page.locator(".chart .axis").first
    numbers = axis.locator("text").all_text_contents()
    assert numbers
    assert set(numbers) <= set(chart.locator("svg.marks text").all_text_contents())
    for _ in range(2):
        frame, stays = chart.bounding_box(), axis.bounding_box()
        assert frame is not None
        assert stays is not None
        assert abs(stays["x"] - frame["x"]) < 1
        chart.scroll_into_view_if_needed()
        seen.page.mouse.move(frame["x"] + 100, frame["y"] + 50)
        seen.page.mouse.wheel(-2000, 0)


def test_the_ground_of_the_axis_leaves_the_names_below_it_whole(visit: Visits) -> None:
    seen = visit("viewer", width=360, scripts=False)
    seen.open(MONTHS)
    wide, narrow = (
        seen.page.locator(".chart .axis").first.locator("rect").nth(number).bounding_box()
        for number in (0, 1)
    )
    lowest = seen.page.locator(".chart .axis text").first.bounding_box()
    assert wide is not None
    assert narrow is not None
    assert lowest is not None
    # Half of a name of the other axis stands left of the edge, below the numbers.
    assert wide["width"] - narrow["width"] == pytest.approx(14, abs=0.5)
    assert wide["y"] + wide["height"] == pytest.approx(lowest["y"] + lowest["height"], abs=6)
    assert narrow["height"] > wide["height"]


class Fingers:
    """Fingers on the chart of a telephone."""

    def __init__(self, seen: Visit) -> None:
        seen.page.locator(".u-over").scroll_into_view_if_needed()
        box = seen.page.locator(".u-over").bounding_box()
        assert box is not None
        self.box, self.device = box, seen.page.context.new_cdp_session(seen.page)

    def put(self, kind: str, *places: tuple[float, float]) -> None:
        """Fingers at these shares of the width and height of the chart."""
        points = [
            {
                "x": self.box["x"] + across * self.box["width"],
                "y": self.box["y"] + down * self.box["height"],
                "id": number,
            }
            for number, (across, down) in enumerate(places)
        ]
        self.device.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def draw(self, *ways: tuple[tuple[float, float], tuple[float, float]]) -> None:
        """Each finger goes from a place to another, and all are lifted."""
        self.put("touchStart", *(begin for begin, _ in ways))
        for step in range(1, 11):
            places = [
                tuple(one + (other - one) * step / 10 for one, other in zip(begin, end, strict=True))
                for begin, end in ways
            ]
            self.put("touchMove", *((across, down) for across, down in places))
        self.put("touchEnd")


def tap_until_gone(button: Locator) -> None:
    """Tap as a person would: a busy browser may take the first tap for the end of the gesture before."""
    for _ in range(3):
        button.tap()
        with suppress(AssertionError):
            expect(button).to_be_hidden(timeout=2000)
            return
    raise AssertionError("three taps did not bring the whole range back")


def range_of(seen: Visit) -> tuple[int, int]:
    """The first and the last bucket that the chart shows."""
    first, last = seen.page.evaluate("[...shown].map(one => [one.from, one.to])[0]")
    return first, last


# Events instead of gestures: what a busy browser makes of real fingers is tried by the tests of a release, below.
ONE_FINGER = """(over, shares) => {
    const box = over.getBoundingClientRect();
    const put = (type, share) => over.dispatchEvent(new PointerEvent(type, {
        pointerId: 1, pointerType: "touch", clientX: box.left + share * box.width, clientY: box.top + 20,
    }));
    put("pointerdown", shares[0]);
    put("pointermove", shares[1]);
    put("pointerup", shares[1]);
}"""


def test_events_of_one_finger_zoom_and_the_button_returns(visit: Visits) -> None:
    seen = visit("viewer", width=390, is_phone=True)
    seen.open(MONTHS)
    whole, rows = seen.page.get_by_role("button", name="Whole range"), range_of(seen)[1] + 1
    expect(whole).to_be_hidden()
    seen.page.locator(".u-over").evaluate(ONE_FINGER, [2.5 / rows, 6.5 / rows])
    assert range_of(seen) == (2, 6)
    whole.click()
    expect(whole).to_be_hidden()
    assert range_of(seen) == (0, rows - 1)
    assert (seen.complaints, seen.strangers) == ([], [])


@pytest.mark.release
def test_a_finger_that_moves_sideways_zooms_and_the_way_back_is_seen(visit: Visits) -> None:
    seen = visit("viewer", width=390, is_phone=True)
    seen.open(MONTHS)
    whole, fingers = seen.page.get_by_role("button", name="Whole range"), Fingers(seen)
    rows = range_of(seen)[1] + 1
    expect(whole).to_be_hidden()
    fingers.draw((((2.5 / rows, 0.5)), (6.5 / rows, 0.5)))
    assert range_of(seen) == (2, 6)
    expect(whole).to_be_visible()
    button = whole.bounding_box()
    assert button is not None
    assert button["height"] >= 32
    assert button["x"] >= 0
    assert button["x"] + button["width"] <= 390
    tap_until_gone(whole)
    assert range_of(seen) == (0, rows - 1)
    assert (seen.complaints, seen.strangers) == ([], [])


@pytest.mark.release
def test_two_fingers_spread_the_range_and_draw_it_together(visit: Visits) -> None:
    seen = visit("viewer", width=390, is_phone=True)
    seen.open(MONTHS)
    every, fingers = range_of(seen), Fingers(seen)
    fingers.draw(((0.4, 0.5), (0.1, 0.5)), ((0.6, 0.5), (0.9, 0.5)))
    first, last = range_of(seen)
    assert every[0] < first <= last < every[1]
    # A quarter of the range fills the chart.
    assert last - first + 1 <= (every[1] + 1) / 3
    fingers.draw(((0.05, 0.5), (0.45, 0.5)), ((0.95, 0.5), (0.55, 0.5)))
    assert range_of(seen) == every
    assert seen.complaints == []


@pytest.mark.release
def test_a_finger_that_moves_up_scrolls_the_page_and_a_tap_points_at_a_bucket(visit: Visits) -> None:
    seen = visit("viewer", width=390, is_phone=True)
    seen.open(MONTHS)
    every, fingers = range_of(seen), Fingers(seen)
    before = seen.page.evaluate("scrollY")
    fingers.draw(((0.5, 0.9), (0.52, -1.0)))
    seen.page.wait_for_function("before => scrollY > before + 50", arg=before)
    assert range_of(seen) == every
    seen.page.locator(".u-over").tap(position={"x": 60, "y": 30})
    expect(seen.page.locator(".tip")).to_be_visible()
    assert range_of(seen) == every
    assert seen.complaints == []


def test_a_click_on_a_bar_and_enter_lead_to_its_commits(visit: Visits) -> None:
    seen = visit("admin")
    for act in ("click", "enter"):
        seen.open(MONTHS)
        rows = rows_of(seen)
        place = next(number for number, row in enumerate(rows) if row[1] != "0.0")
        link = seen.page.locator("table[data-plots] tbody tr").nth(place).locator("td a")
        expected = link.get_attribute("href")
        assert expected is not None
        if act == "click":
            point_at(seen, (place + 0.5) / len(rows))
            seen.page.mouse.down()
            seen.page.mouse.up()
        else:
            seen.page.locator(".plot").focus()
            for _ in range(place + 1):
                seen.page.keyboard.press("ArrowRight")
            seen.page.keyboard.press("Enter")
        expect(seen.page.locator("h1")).to_have_text("Commits")
        assert seen.page.url.endswith(expected)
    assert (seen.complaints, seen.strangers) == ([], [])


def test_without_scripts_each_bar_of_the_picture_is_a_link(visit: Visits) -> None:
    seen = visit("viewer", scripts=False)
    seen.open(MONTHS)
    bar = seen.page.locator(".ways a").first
    name = bar.get_attribute("aria-label")
    assert name is not None
    assert " ETV" in name
    seen.page.get_by_role("link", name=name).click()
    expect(seen.page.locator("h1")).to_have_text("Commits")
