"""The range of a page: 12 complete weeks, 12 months on the overview, and from page to page what somebody chose."""

import re
from collections.abc import Callable

import httpx
import pytest
from starlette.datastructures import QueryParams

from api.web.drawing.periods import PRESETS, carried
from api.web.navigation import READING, RUNNING
from tests.api.web.conftest import HOME
from tests.api.web.own_organization import address, published
from tests.api.web.test_work import told

__all__ = ["address", "published"]

WITH_A_RANGE = (
    "developers", "teams", "benchmarks", "me", "repositories", "commits", "pullRequests", "objectives", "ai",
)  # fmt: skip
CHOSEN = "period=8-quarters"


@pytest.fixture(scope="module")
def owner(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("owner")


def chosen(html: str) -> list[str]:
    names = "|".join(one.choice for one in PRESETS.values())
    return re.findall(rf'aria-current="true">({names})<', html)


@pytest.mark.parametrize("page", WITH_A_RANGE)
def test_a_page_opens_on_twelve_complete_weeks(owner: httpx.Client, page: str) -> None:
    assert chosen(owner.get(f"{HOME}/{page}").text) == ["12 weeks"]


def test_the_pages_of_one_thing_open_on_twelve_complete_weeks(owner: httpx.Client) -> None:
    for name in ("developers", "repositories"):
        one = told(owner, name, pageSize=1)[name][0]
        assert chosen(owner.get(f"{HOME}/{name}/{one['id']}").text) == ["12 weeks"], name


def test_the_overview_opens_on_twelve_months(owner: httpx.Client) -> None:
    assert chosen(owner.get(f"{HOME}/overview").text) == ["12 months"]


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("", {}),
        ("interval=MONTH", {}),
        ("period=12-months", {"period": "12-months"}),
        ("period=last-quarter", {"period": "last-quarter"}),
        (
            "period=12-months&interval=MONTH&search=x&pageToken=y",
            {"period": "12-months"},
        ),
        ("period=MONTH", {}),
        ("startDate=2026-01-01&endDate=2026-03-31", {"startDate": "2026-01-01", "endDate": "2026-03-31"}),
        ("startDate=2026-04-01&endDate=2026-03-31", {}),
        ("startDate=2026-01-01&endDate=soon&period=8-quarters", {"period": "8-quarters"}),
    ],
)
def test_a_range_of_the_address_is_carried_and_nothing_else(query: str, kept: dict[str, str]) -> None:
    assert carried(QueryParams(query)) == kept


@pytest.mark.parametrize("page", ["overview", *WITH_A_RANGE])
@pytest.mark.parametrize(("name", "is_draft"), [("this-quarter", True), ("last-month", False)])
def test_every_page_with_a_range_offers_parts_of_the_calendar(
    owner: httpx.Client, page: str, name: str, is_draft: bool
) -> None:
    text = owner.get(f"{HOME}/{page}?period={name}").text
    assert chosen(text) == [PRESETS[name].choice]
    filters = text.split('aria-label="Range"')[1].split("</nav>")[0]
    assert all(f"period={one}" in filters for one in PRESETS)
    assert ("draft: still running" in filters) is is_draft


@pytest.mark.parametrize("asked", ["length=MONTH", "period=MONTH"])
def test_reports_of_a_length_keep_the_range_of_other_pages(owner: httpx.Client, asked: str) -> None:
    text = owner.get(f"{HOME}/reports?{asked}").text
    assert 'aria-current="true">Months<' in text
    kept = owner.get(f"{HOME}/reports?length=MONTH&period=last-quarter").text
    assert 'aria-current="true">Months<' in kept
    assert f'href="{HOME}/commits?period=last-quarter"' not in text
    links = re.findall(rf'<a href="({HOME}/[^"]*)"', kept.replace("&amp;", "&"))
    assert f"{HOME}/reports?length=WEEK&period=last-quarter" in links
    assert f"{HOME}/overview?period=last-quarter" in links


@pytest.mark.parametrize("page", ["developers", "checks", "capex", "reports", "manage", "commits"])
def test_the_navigation_leads_on_with_the_range(owner: httpx.Client, page: str) -> None:
    answer = owner.get(f"{HOME}/{page}?{CHOSEN}")
    assert answer.status_code == 200
    links = re.findall(r'<a href="([^"]*)"', answer.text.split("<main")[0].replace("&amp;", "&"))
    for item in READING:
        assert f"{HOME}/{item.name}?{CHOSEN}" in links
    for item in RUNNING:
        assert f"{HOME}/{item.name}" in links
    assert chosen(owner.get(f"{HOME}/objectives?{CHOSEN}").text) == ["8 quarters"]


def test_tabs_lead_on_with_the_range(owner: httpx.Client) -> None:
    text = owner.get(f"{HOME}/developers?{CHOSEN}").text.replace("&amp;", "&")
    tabs = text.split('<nav class="tabs"')[1].split("</nav>")[0]
    for name in ("developers", "teams", "benchmarks", "me"):
        assert f'href="{HOME}/{name}?{CHOSEN}"' in tabs


@pytest.mark.parametrize(
    "page", ["checks", "manage", "sandbox", "capex", "pullRequests", "objectives", "ai", "reports"]
)
def test_filters_within_a_page_keep_the_range(owner: httpx.Client, page: str) -> None:
    text = owner.get(f"{HOME}/{page}?{CHOSEN}").text.replace("&amp;", "&").split("<main")[1]
    # The presets of a range are there to change it.
    names = "|".join(one.choice for one in PRESETS.values())
    content = re.sub(rf'<a href="[^"]*"[^>]*>({names})</a>', "", text)
    filters = re.findall(rf'<a href="{HOME}/{page}\?([^"#]*)', content)
    # A bucket of a table leads to its own days.
    assert all(CHOSEN in one or "startDate=" in one for one in filters), filters
    forms = re.findall(r'<form method="get".*?</form>', content, re.DOTALL)
    assert all('name="period" value="8-quarters"' in one for one in forms)
    assert filters or forms


def test_days_of_the_audit_log_are_no_range_of_figures(owner: httpx.Client) -> None:
    text = owner.get(f"{HOME}/audit?startDate=2026-01-01&endDate=2026-03-31").text
    assert f'href="{HOME}/overview"' in text
    assert "startDate=" not in text.split("<main")[0]


def test_an_invitation_begins_with_the_least_right(owner: httpx.Client) -> None:
    text = owner.get(f"{HOME}/members?invite=true").text
    field = text.split('name="role"')[-1] if "Role of the invited person" not in text else text
    roles = re.search(r"Role of the invited person.*?</select>", field, re.DOTALL)
    assert roles is not None
    assert re.findall(r'value="(\w+)" selected', roles.group()) == ["VIEWER"]
