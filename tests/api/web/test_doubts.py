"""Pages answer what strangers doubted: a figure in place of a missing one, and what a form was about."""

from collections.abc import Callable
from datetime import date
from typing import Any

import httpx
import pytest

from api.web.details.delivered import performance_of
from api.web.details.explanation import RULES
from api.web.drawing.figures import words
from api.web.drawing.periods import Period
from api.web.pages.movements import days_of, most_of, parts_of
from api.web.reading import Answer, OrganizationReader
from tests.api.web.conftest import HOME
from tests.api.web.own_organization import address, published
from tests.api.web.pages import Page
from tests.api.web.test_movements import DAYS, tenths
from tests.api.web.test_work import send, shown, told

__all__ = ["address", "published"]

YEAR = Period(date(2025, 12, 1), date(2026, 11, 30), "MONTH", "12-months")


@pytest.fixture(scope="module")
def owner(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("owner")


def month(start: str, performance: float | None, **more: Any) -> dict[str, Any]:
    return {"start": start, "performance": performance, "isDraft": False, "isPartial": False} | more


def test_a_range_without_comparison_has_the_performance_of_its_newest_complete_month() -> None:
    points = [month("2026-09-01", None), month("2026-10-01", 44.0), month("2026-11-01", 60.0, isDraft=True)]
    told_of = "Oct 2026, the last complete month; average is 50"
    assert performance_of(YEAR, points, None, "NO_COMPARISON_YET") == (44.0, told_of)
    assert performance_of(YEAR, points, 51.0) == (51.0, "average is 50")
    assert performance_of(YEAR, points[:1], None, "NO_ETV") == (None, "nothing was delivered")
    assert performance_of(YEAR, []) == (None, "the last complete month has none")


def test_benchmarks_show_the_last_complete_month_of_the_whole_as_the_overview_does(
    owner: httpx.Client,
) -> None:
    asked = {"period": "12-months", "interval": "MONTH"}
    overview = shown(owner, "overview", **asked).text
    cell = shown(owner, "benchmarks", **asked).row("The whole organization")[3]
    assert "the last complete month; average is 50" in cell
    figure = cell.split()[0].removesuffix(cell.split()[0].lstrip("0123456789"))
    assert f"Performance {figure} " in overview


def of_categories(*values: float) -> dict[str, float]:
    names = ("features", "maintenance", "tests", "documentation", "fixes")
    return {f"{name}Etv": value for name, value in zip(names, values, strict=True)} | {"etv": sum(values)}


def test_the_categories_add_up_to_a_difference_and_the_sentence_names_the_largest() -> None:
    before, now = of_categories(12.5, 4.0, 3.0, 0.5, 5.5), of_categories(9.1, 4.1, 2.9, 0.5, 3.2)
    assert round(sum(part for _, part in parts_of(before, now)), 1) == -5.7
    assert most_of(before, now) == ", most of it features, −3.4"
    assert most_of(now, now) == ""
    # Fixes rose by more than the whole, so they are no part of it.
    rose = most_of(of_categories(9.0, 4.0, 3.0, 0.5, 3.3), of_categories(6.8, 4.0, 3.0, 0.5, 6.3))
    assert rose == ": fixes +3.0, features −2.2"


@pytest.mark.parametrize("asked", ["2026-05", "2026-08", "2026-10"])
def test_a_month_that_moved_has_its_kinds_of_work(
    owner: httpx.Client, monkeypatch: pytest.MonkeyPatch, asked: str
) -> None:
    """The facts of movements are not those of the metrics, so the movement of the month gets the figures of these."""
    first = date.fromisoformat(f"{asked}-01")
    days = days_of(first) | {"startDate": f"{first.year}-{first.month - 1:02}-01"}
    [line] = told(owner, "metrics", interval="MONTH", metrics="etv", **days)["series"]
    before, now = (point["etv"] for point in line["points"])
    read = OrganizationReader.read

    async def changed(self: OrganizationReader, path: str = "", **sent: Any) -> Answer:
        answer = await read(self, path, **sent)
        if path == "movements" and sent["entity"] == "ORGANIZATION":
            for row in answer.rows("movements"):
                row.update({"etv": now, "previousEtv": before} if row["periodStart"] == f"{first}" else {})
        return answer

    monkeypatch.setattr(OrganizationReader, "read", changed)
    page = Page(owner.get(f"{HOME}/overview", params=DAYS | {"month": asked}).text)
    every = [row for row in page.rows if row]
    start = every.index(["Category", "ETV"])
    *parts, total = every[start + 1 : start + 7]
    assert [row[0] for row in parts] == ["Features", "Maintenance", "Tests", "Documentation", "Fixes"]
    assert sum(tenths(row[1].lstrip("+")) for row in parts) == tenths(total[1].lstrip("+"))
    assert total[1] == page.row("All of ")[1]
    monkeypatch.setattr(OrganizationReader, "read", read)
    assert "Which kind of work?" not in owner.get(f"{HOME}/overview", params=DAYS | {"month": asked}).text


def test_an_open_check_of_a_pull_request_says_since_when_it_waits(owner: httpx.Client) -> None:
    pull = {one["id"]: one for one in told(owner, "pullRequests", pageSize=1000)["pullRequests"]}
    rows = told(owner, "checkOccurrences", status="OPEN", kind="WAITING_FOR_REVIEW")["checkOccurrences"]
    assert all(one["subjectId"] in pull for one in rows)
    page = shown(owner, "checks", kind="WAITING_FOR_REVIEW")
    assert "waits since" in page.row(rows[0]["subjectTitle"])[3]
    assert "Over the limit since" in page.text
    others = told(owner, "checkOccurrences", status="OPEN", kind="OPEN_TOO_LONG")["checkOccurrences"]
    cell = shown(owner, "checks", kind="OPEN_TOO_LONG").row(others[0]["subjectTitle"])[3]
    assert "open since" in cell
    assert "waits" not in cell


def test_a_decision_names_its_finding_with_the_way_to_open_it_again(owner: httpx.Client) -> None:
    row = told(owner, "checkOccurrences", status="OPEN", kind="WAITING_FOR_REVIEW")["checkOccurrences"][0]
    answer = send(owner, "checks", "resolve", occurrence=row["id"], note="Read.")
    assert answer.headers["location"].endswith(f"done=resolve&of={row['id']}")
    page = Page(owner.get(answer.headers["location"]).text)
    assert f"“{row['subjectTitle']}” (Waiting for the first review) is settled." in page.text
    assert f"{HOME}/checks?status=RESOLVED&kind=WAITING_FOR_REVIEW" in page.links
    assert "of=" not in page.text
    settled = shown(owner, "checks", status="RESOLVED")
    assert "settled or over." in settled.text
    assert "What kinds are they?" not in settled.text
    send(owner, "checks", "reopen", occurrence=row["id"])


def test_a_settled_check_of_any_kind_stands_at_its_open_pull_request(owner: httpx.Client) -> None:
    pulls = {one["id"] for one in told(owner, "pullRequests", state="OPEN", pageSize=1000)["pullRequests"]}
    rows = told(owner, "checkOccurrences", status="OPEN", pageSize=1000)["checkOccurrences"]
    row = next(one for one in rows if one["subjectId"] in pulls and one["kind"] != "WAITING_FOR_REVIEW")
    send(owner, "checks", "resolve", occurrence=row["id"], note="Known.")
    page = shown(owner, "pullRequests", view="OPEN", search=row["subjectTitle"])
    assert "check settled" in page.row(row["subjectTitle"])[0]
    send(owner, "checks", "reopen", occurrence=row["id"])


def test_open_checks_of_the_overview_lead_to_the_checks(owner: httpx.Client) -> None:
    text = owner.get(f"{HOME}/overview").text
    assert f'<a href="{HOME}/checks">' in text.split('class="cards"')[0].split('class="lede"')[1]
    assert '<a href="#checks">' not in text


def test_rules_and_names_are_in_plain_words() -> None:
    assert "More than 15 count as 15" in RULES["NOVEL"]
    assert words("CLAUDE_CODE_CO_AUTHOR") == "Claude Code co author"
    assert words("FIRST_REVIEW") == "First review"


def test_members_have_one_control_of_each_name(owner: httpx.Client) -> None:
    page = owner.get(f"{HOME}/members", params={"invite": "true"}).text
    assert page.count('aria-label="Role"') == 0
    assert "Role of the invited person" in page
