"""The page of CapEx leads from the ETV of a month to its hours, and hours add up as they are shown."""

import httpx
import pytest

from api.web.money.effort import split_of, way_to_hours
from api.web.money.months import Share, as_shown
from tests.api.web.conftest import HOME
from tests.api.web.pages import Page


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
    return Share(len(rows), hours, 0.0, capex, hours - capex, capex / hours)


def test_the_share_of_effort_leads_to_that_of_hours() -> None:
    rows = [person(4.0, 1.0), person(8.0, 6.0)]
    told = way_to_hours(rows, share(rows), "October 2026").replace("\u00a0", " ")
    assert told.startswith(
        "ETV estimates the output of a month, and is no record of time: the 352.0 hours of October"
    )
    assert "Of an output of 12.0 ETV, 7.0 can be capitalized: 58 %." in told
    assert told.endswith("these are 50 % of the hours.")
    assert split_of(rows[0]) == "1.0\u00a0of\u00a04.0"


def test_equal_shares_need_no_second_figure_and_no_effort_needs_no_word() -> None:
    rows = [person(4.0, 2.0, more=1.0)]
    told = way_to_hours(rows, share(rows), "May 2026")
    assert told.endswith("can be capitalized: 50\u00a0%.")
    assert "(without what fixes of costly bugs add)" in told
    assert way_to_hours([person(0.0, 0.0)], Share(1, 176.0, 176.0), "May 2026") == ""
    assert split_of(person(0.0, 0.0)) == ""


def test_hours_add_up_by_person_and_to_the_sum() -> None:
    rows = [person(8.0, 2.1 + step / 7) for step in range(9)] + [person(0.0, 0.0)]
    whole = share(rows)
    found = as_shown(rows, whole)
    for row in found[:-1]:
        assert row["capexHours"] + row["opexHours"] == pytest.approx(row["hours"])
    assert sum(row["capexHours"] or 0 for row in found) == pytest.approx(round(whole.capex or 0, 1))
    assert found[-1]["capexHours"] is None


def test_the_page_says_the_way_and_the_effort_of_each_person(browser: httpx.Client) -> None:
    page = Page(browser.get(f"{HOME}/capex?month=2026-10").text)
    assert "by the parts of that person’s own output" in page.text
    assert "Effort for CapEx, h" in page.text
    assert "none before the year in which the history begins" in page.text
