"""What moved in a month, by repository and by person: figures that add up, and nobody where people are not shown."""

from collections.abc import Callable
from itertools import takewhile
from typing import Any

import httpx
import pytest

from tests.api.conftest import ROOT
from tests.api.web.conftest import HOME
from tests.api.web.own_organization import address, published
from tests.api.web.pages import Page

__all__ = ["address", "published"]

DAYS = {"startDate": "2025-12-01", "endDate": "2026-11-20"}
MONTHS = ("2026-05", "2026-08", "2026-10")
ASKED = "Whose work changed?"


@pytest.fixture(scope="module")
def owner(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("owner")


def told(browser: httpx.Client, **asked: Any) -> list[dict[str, Any]]:
    bearer = {"Authorization": f"Bearer {next(iter(browser.cookies.values()))}"}
    answer = browser.get(f"{ROOT}/movements", params={"pageSize": 500} | asked, headers=bearer)
    found: list[dict[str, Any]] = answer.raise_for_status().json()["movements"]
    return found


def shown(browser: httpx.Client, month: str) -> Page:
    answer = browser.get(f"{HOME}/overview", params=DAYS | {"month": month})
    assert answer.status_code == 200, answer.text
    page = Page(answer.text)
    assert (page.blocked, page.open) == ([], [])
    return page


def tenths(cell: str) -> int:
    return int(cell.replace("−", "-").replace(",", "").replace(".", ""))


@pytest.mark.parametrize("month", MONTHS)
def test_the_parts_of_a_movement_add_up_as_they_are_shown(owner: httpx.Client, month: str) -> None:
    every = [row for row in shown(owner, month).rows if row]
    start = next(place for place, row in enumerate(every) if row[0] == "Where")
    rows = [row for row in every[start:] if len(row) == 7 and row[0] not in ("Where", "Developer")]
    assert len(rows) > 2
    for row in rows:
        assert row[0] == "All others" or sum(map(tenths, row[2:])) == tenths(row[1]), row


@pytest.mark.parametrize("month", MONTHS)
def test_repositories_and_people_add_up_to_the_difference_of_all(owner: httpx.Client, month: str) -> None:
    every = [row for row in shown(owner, month).rows if row]
    where, people = (
        next(place for place, row in enumerate(every) if row[0] == head) for head in ("Where", "Developer")
    )
    total, *repositories = (row[1] for row in every[where + 1 : people])
    assert sum(map(tenths, repositories)) == tenths(total)
    rows = list(takewhile(lambda row: len(row) == 7, every[people + 1 :]))
    assert sum(tenths(row[1]) for row in rows) == tenths(total)


def test_a_cause_leads_to_the_commits_of_both_months(owner: httpx.Client) -> None:
    """The words of a cause name no commit: the rows behind it are those of the month and of the one before."""
    page = shown(owner, "2026-08")
    row = max(
        told(owner, entity="REPOSITORY", startDate="2026-08-01", endDate="2026-08-31"),
        key=lambda one: abs(one["difference"]),
    )
    assert page.row(f"{row['name']} August 2026")[0].endswith(": commits of August and July, most ETV first")
    for days in ("startDate=2026-08-01&endDate=2026-08-31", "startDate=2026-07-01&endDate=2026-07-31"):
        for whose in (f"repository={row['entityId']}&", ""):
            assert f"{HOME}/commits?{whose}{days}&orderBy=etv+desc" in page.links


@pytest.mark.parametrize("month", MONTHS)
def test_a_difference_is_that_of_the_figures_of_the_chart(owner: httpx.Client, month: str) -> None:
    page = shown(owner, month)
    [movement] = told(owner, interval="MONTH", startDate=f"{month}-01", endDate=f"{month}-28")
    reference = page.row("All of ")
    assert tenths(reference[1]) == tenths(f"{movement['etv']:.1f}") - tenths(f"{movement['previousEtv']:.1f}")


@pytest.mark.parametrize("month", MONTHS)
def test_people_who_moved_it_stand_in_the_order_of_their_names(owner: httpx.Client, month: str) -> None:
    days = {"startDate": f"{month}-01", "endDate": f"{month}-28"}
    rows = told(owner, entity="DEVELOPER", interval="MONTH", **days)
    largest = sorted(rows, key=lambda row: -abs(row["etv"] - row["previousEtv"]))[:6]
    names = sorted(row["name"] for row in largest if abs(row["etv"] - row["previousEtv"]) >= 0.1)
    page = shown(owner, month)
    start = [row[0] for row in page.rows if row].index("Developer")
    people = [row[0] for row in page.rows if row][start + 1 :]
    found = [next((name for name in names if one.startswith(name)), one) for one in people[: len(names)]]
    assert found == names
    for row in largest:
        assert any(f"developer={row['entityId']}" in link for link in page.links)


def test_without_a_month_the_page_says_how_to_see_people(owner: httpx.Client) -> None:
    text = Page(owner.get(f"{HOME}/overview", params=DAYS).text).text
    assert ASKED not in text
    assert "Choose a month to see whose work changed." in text


def test_where_people_are_hidden_the_page_says_why_and_names_nobody(owner: httpx.Client) -> None:
    names = {row["name"] for row in told(owner, entity="DEVELOPER", interval="MONTH", **DAYS)}
    bearer = {"Authorization": f"Bearer {next(iter(owner.cookies.values()))}"}
    changed = owner.patch(
        f"{ROOT}/settings", json={"minimumGroupSize": 3, "hasIndividualFigures": False}, headers=bearer
    )
    assert changed.status_code == 200, changed.text
    page = shown(owner, MONTHS[0])
    assert ASKED in page.text
    assert "hides figures of single developers" in page.text
    assert names
    assert not [row for row in page.rows if row and any(row[0].startswith(name) for name in names)]
