"""How figures are written: a number and its unit stay on one line, and differences are those of what is shown."""

import re

import pytest

from api.web.drawing.figures import (
    DASH,
    at_least,
    bound,
    cost_basis,
    difference_from,
    duration,
    issues_done,
    measured,
    money,
    of_number,
    percent,
    sure,
)
from api.web.drawing.lists import Ordered
from api.web.drawing.share_bars import share_bar
from api.web.drawing.sums import etv_note, etv_shares, parts_note, shares_of

HARD = "\u00a0"
USED = "sessions that name it, or recorded use of its authors on that day or up to four days before"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (percent(0.58), f"58{HARD}%"),
        (percent(0.003), f"0.3{HARD}%"),
        (percent(0.0005), f"0.1{HARD}%"),
        (percent(0.0004), f"<{HARD}0.1{HARD}%"),
        (at_least(0.129), f"≥{HARD}12{HARD}%"),
        (bound(0.129), f"12{HARD}%"),
        (bound(1.0), f"100{HARD}%"),
        (duration(148), f"6{HARD}d 4{HARD}h"),
        (money(12.5, "EUR"), f"EUR{HARD}12.50"),
    ],
)
def test_a_number_is_not_parted_from_its_unit(written: str, expected: str) -> None:
    assert written == expected


@pytest.mark.parametrize(
    ("now", "before", "expected"),
    [(18.74, 25.46, "−6.8"), (25.46, 18.74, "+6.8"), (1.04, 1.0, "0.0"), (None, 1.0, "no data")],
)
def test_a_difference_is_that_of_the_written_figures(now: float | None, before: float, expected: str) -> None:
    assert expected in difference_from(now, before)


@pytest.mark.parametrize(
    ("cost", "confidence", "told"),
    [
        (None, None, ""),
        (0.0, None, ""),
        (9.7, 0.3, f"{USED}; on average the links are 30{HARD}% sure"),
        (10.0, 0.996, f"{USED}; on average the links are 99{HARD}% sure"),
        (9.7, 1.0, "sessions of the tool name it"),
    ],
)
def test_a_cost_of_work_says_why_it_is_there(cost: float | None, confidence: float | None, told: str) -> None:
    assert cost_basis({"aiCost": cost, "aiCostConfidence": confidence}) == told


@pytest.mark.parametrize(
    ("cost", "confidence", "told"),
    [
        (None, None, ""),
        (0.0, None, ""),
        (-1.0, None, ""),
        (77.42, 0.3, f"30{HARD}% sure"),
        (9.7, 0.996, f"99{HARD}% sure"),
        (9.7, 1.0, "certain"),
    ],
)
def test_a_cost_says_how_sure_it_is(cost: float | None, confidence: float | None, told: str) -> None:
    assert sure({"aiCost": cost, "aiCostConfidence": confidence}) == told


def test_a_note_says_where_categories_do_not_add_up_as_they_are_shown() -> None:
    names = ("features", "fixes", "tests")
    apart = {"featuresEtv": 4.84, "fixesEtv": 3.14, "testsEtv": 2.44, "etv": 10.42}
    sums = {"featuresEtv": 4.8, "fixesEtv": 3.1, "testsEtv": 2.5, "etv": 10.4}
    assert "rounded by itself" in parts_note([sums, apart], names)
    assert parts_note([sums], names) == parts_note([apart | {"fixesEtv": None}], names) == ""
    assert parts_note([apart | {"etv": None}], names) == ""


def test_rows_with_pages_of_their_own_keep_their_figures_and_say_their_sum() -> None:
    rows = [{"etv": 111.73}, {"etv": 110.13}]
    assert "221.9" in etv_note(rows, 221.86)
    assert etv_note([*rows, {"etv": None}], 221.86) == etv_note(rows, None) == ""


@pytest.mark.parametrize(
    ("order", "falls", "direction", "next_order"),
    [
        ("createdAt", True, "descending", "createdAt desc"),
        ("createdAt desc", True, "ascending", "createdAt"),
        ("etv desc", True, None, "createdAt"),
        ("createdAt", False, "ascending", "createdAt desc"),
        ("createdAt desc", False, "descending", "createdAt"),
    ],
)
def test_an_arrow_follows_the_values_that_a_column_shows(
    order: str, falls: bool, direction: str | None, next_order: str
) -> None:
    listed = Ordered("", order, "", {})
    assert listed.shown_direction("createdAt", falls=falls) == direction
    assert listed.turned("createdAt", falls=falls) == next_order


@pytest.mark.parametrize(("canceled", "told"), [(1, "4 of 4, and 1 cancelled"), (0, "4 of 5")])
def test_done_issues_are_counted_as_progress_counts_them(canceled: int, told: str) -> None:
    assert issues_done({"issueCount": 5, "doneIssueCount": 4, "canceledIssueCount": canceled}) == told


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (65.6178, "65.6"),
        (8.202, "8.2"),
        (1.25, "1.25"),
        (24.0, "24"),
        (1200.0, "1,200"),
        (-0.001, "0"),
        (-1.5, "−1.5"),
    ],
)
def test_a_value_of_a_check_has_no_more_decimals_than_somebody_reads(value: float, told: str) -> None:
    assert measured(value) == told


def test_shares_that_stand_in_a_table_add_up_to_a_hundred_percent() -> None:
    values = (25.2, 28.0, 33.7, 20.6, 16.9)
    names = ("features", "maintenance", "tests", "documentation", "fixes")
    row = {f"{name}Etv": value for name, value in zip(names, values, strict=True)} | {"etv": sum(values)}
    page = {
        "people": [{"id": name, "etv": value} for name, value in zip(names, values, strict=True)],
        "totals": {"etv": sum(values)},
    }
    for shares in (etv_shares(row, names), shares_of(page, "people")):
        assert sum(int(percent(one).split(HARD)[0]) for one in shares.values()) == 100
    assert etv_shares(row | {"etv": 0}, names) == dict.fromkeys(names)


def test_the_bar_of_a_row_has_a_part_for_each_category_that_can_be_seen_and_says_every_share() -> None:
    names = ("features", "maintenance", "fixes")
    row = {"featuresEtv": 3.0, "maintenanceEtv": 0.001, "fixesEtv": 1.0, "etv": 4.001}
    bar = share_bar(row, names)
    assert f'aria-label="features 75{HARD}%, maintenance &lt;{HARD}0.1{HARD}%, fixes 25{HARD}%"' in bar
    assert re.findall(r'class="b-(\w+)" x="([\d.]+)" y="0" width="([\d.]+)"', bar) == [
        ("features", "0.0", "82.98"),
        ("fixes", "84.01", "26.99"),
    ]
    assert share_bar(dict.fromkeys(row, 0.0), names) == share_bar(dict.fromkeys(row), names) == DASH


@pytest.mark.parametrize(
    ("noun", "number", "told"),
    [
        ("rows", 1, "row"),
        ("rows", 0, "rows"),
        ("repositories", 1, "repository"),
        ("sandboxes", 1, "sandbox"),
        ("sandboxes", 2, "sandboxes"),
        ("person", 1, "person"),
    ],
)
def test_a_noun_stands_in_the_number_of_its_things(noun: str, number: int, told: str) -> None:
    assert of_number(noun, number) == told
