"""The page of CapEx leads from the ETV of a month to its hours, and hours add up as they are shown."""

from datetime import date

import httpx
import pytest

from api.web.money.capex import lede
from api.web.money.effort import split_of, way_to_hours
from api.web.money.months import Month, Share, note_on_rounding
from tests.api.web.conftest import HOME
from tests.api.web.pages import Page
from tests.api.web.test_settings import told


def person(effort: float, part: float, *, more: float = 0.0) -> dict[str, float | None]:
    capex = round(176 * part / effort, 2) if effort else None
    return {
        "hours": 176.0,
        "effort": effort,
        "capitalizableEffort": part,
        "etv": effort + more,
        "capexHours": capex,
        "opexHours": None if capex is None else 176 - capex,
    }


def share(rows: list[dict[str, float | None]]) -> Share:
    capex = sum(row["capexHours"] or 0 for row in rows)
    hours = sum(row["hours"] or 0 for row in rows)
    idle = sum(row["hours"] or 0 for row in rows if row["capexHours"] is None)
    return Share(len(rows), hours, idle, capex, hours - idle - capex, capex / (hours - idle))


def test_the_share_of_effort_leads_to_that_of_hours() -> None:
    rows = [person(4.0, 1.0), person(8.0, 6.0)]
    told = way_to_hours(rows, share(rows), "October 2026").replace("\u00a0", " ")
    assert "the 352.0 hours with output are those of contracts." in told
    assert "Of an output of 12.0 ETV, 7.0 can be capitalized: 58 %." in told
    assert told.endswith("and all hours with output weigh the same: 50 %.")
    assert split_of(rows[0]) == "1.0\u00a0of\u00a04.0"


def test_equal_shares_need_no_second_figure_and_no_effort_needs_no_word() -> None:
    rows = [person(4.0, 2.0, more=1.0)]
    told = way_to_hours(rows, share(rows), "May 2026")
    assert told.endswith("by the share of that person’s own effort.")
    assert "(without what fixes of costly bugs add)" in told
    assert way_to_hours([person(0.0, 0.0)], Share(1, 176.0, 176.0), "May 2026") == ""
    assert split_of(person(0.0, 0.0)) == ""


def test_hours_without_output_are_in_no_sentence_about_the_share() -> None:
    rows = [person(4.0, 2.0), person(0.0, 0.0), person(0.0, 0.0)]
    told = way_to_hours(rows, share(rows), "July 2026")
    assert "output of July 2026, and is no record of time: the 176.0 hours with output" in told
    sentences = [
        text.replace("\u00a0", " ") for _, text in lede(Month(date(2026, 7, 1), "open", share(rows)), None)
    ]
    assert sentences[:2] == [
        "50 % of July 2026’s hours with output can be capitalized: 88.0 hours, against 88.0 of OpEx.",
        "352.0 hours have no output and so no share.",
    ]


@pytest.mark.parametrize(("hours", "is_apart"), [(8.04, True), (8.0, False)])
def test_hours_that_round_apart_have_a_note(hours: float, is_apart: bool) -> None:
    none = {"effort": 0.0, "capitalizableEffort": 0.0}
    rows = [{"hours": hours, "capexHours": hours, "opexHours": 0.0} | none for _ in range(3)]
    whole = Share(3, 3 * hours, 0.0, 3 * hours, 0.0, 1.0)
    assert bool(note_on_rounding(rows, whole)) is is_apart


@pytest.mark.parametrize(("part", "is_apart"), [(3.04, True), (3.0, False)])
def test_effort_that_rounds_apart_has_a_note(part: float, is_apart: bool) -> None:
    effort = {"effort": 8.0, "capitalizableEffort": part}
    rows = [{"hours": 8.0, "capexHours": 8.0, "opexHours": 0.0} | effort for _ in range(3)]
    assert bool(note_on_rounding(rows, Share(3, 24.0, 0.0, 24.0, 0.0, 1.0))) is is_apart


def test_rows_of_the_page_are_those_of_the_file(browser: httpx.Client) -> None:
    asked = {"startDate": "2026-10-01", "endDate": "2026-10-01"}
    rows = told(browser, "capex", **asked)["rows"]
    assert rows
    page = Page(browser.get(f"{HOME}/capex?month=2026-10").text)
    for row in rows:
        cells = page.row(row["developerName"])
        for name, at in (("hours", 2), ("capexHours", -3), ("opexHours", -2)):
            assert cells[at].split()[0] == ("–" if row[name] is None else f"{row[name]:,.1f}")


def test_the_page_says_the_way_and_the_effort_of_each_person(browser: httpx.Client) -> None:
    page = Page(browser.get(f"{HOME}/capex?month=2026-10").text)
    assert "by the share of that person’s own effort" in page.text
    assert "Effort for CapEx, h" in page.text
    assert "none before the year in which the history begins" in page.text
