"""Headlines and sentences of pages have the words of what they are about, and offer what the role may do."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from api.web.drawing.figures import DASH, at_least, bound
from api.web.running.connections import _lede
from api.web.work.pull_requests import _compared
from api.web.work.teams import _lede as lede_of_teams
from tests.api.web.conftest import HOME
from tests.api.web.own_organization import address, published
from tests.api.web.test_work import ALL_DAYS, shown

__all__ = ["address", "published"]


@pytest.fixture(scope="module")
def owner(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("owner")


def test_the_headline_of_connections_has_the_words_of_their_states() -> None:
    def row(health: str, reason: str | None = None) -> dict[str, Any]:
        return {"health": health, "failureReason": reason}

    rows = [
        row("FAILING", "TLS"),
        row("LIMITED", "UNAVAILABLE"),
        row("DEGRADED"),
        row("LIMITED", "RATE_LIMITED"),
    ]
    assert _lede(rows) == "4 connections, 2 fail, 1 is read in part, 1 waits for the provider."
    assert _lede(rows[:1]) == "1 connection, 1 fails."
    assert _lede([row("HEALTHY")]) == "1 connection, it can be read."


def test_a_share_without_a_sign_is_no_lower_bound_of_zero() -> None:
    assert (at_least(0), at_least(None), at_least(0.3)) == ("no\u00a0sign", DASH, "≥\u00a030\u00a0%")
    # After the words "at least".
    assert (bound(0), bound(0.3)) == ("0\u00a0%", "30\u00a0%")


@pytest.mark.parametrize(
    ("role", "leads"),
    [("owner", True), ("admin", True), ("member", False), ("viewer", False), ("team_lead", False)],
)
def test_only_who_sets_up_telemetry_is_led_to_it(
    browser_of: Callable[[str], httpx.Client], role: str, leads: bool
) -> None:
    person = browser_of(role)
    page = shown(person, "ai", work="COMMIT", **ALL_DAYS)
    if role != "team_lead":
        assert "Usage without a commit" in page.text
        assert ("which an owner or admin sets up" in page.text) is not leads
    assert (f"{HOME}/tokens#ingest" in page.links) is leads
    if leads:
        assert 'id="ingest">Ingest tokens<' in person.get(f"{HOME}/tokens").text


def test_the_overview_says_that_other_pages_open_on_twelve_weeks(owner: httpx.Client) -> None:
    said = "pages of the navigation open on the last 12 complete weeks"
    assert said in shown(owner, "overview").text
    # A range that was chosen goes with every link.
    assert said not in shown(owner, "overview", period="this-quarter").text


def test_teams_of_one_person_that_leads_are_told_by_name() -> None:
    row = {"name": "Payments", "etv": 29.9}
    assert lede_of_teams(1, [row], "in twelve weeks") == "Payments delivered 29.9 ETV in twelve weeks."
    assert lede_of_teams(3, [row], "in twelve weeks") == (
        "3 teams: Payments delivered 29.9 ETV in twelve weeks, with the teams below it."
    )
    assert lede_of_teams(2, [row, row], "in twelve weeks") == "2 teams."


def test_a_sentence_holds_the_number_of_pull_requests_against_their_value() -> None:
    def week(start: str, merged: int | None, worth: float | None, *, part: bool = False) -> dict[str, Any]:
        return {
            "start": start, "mergedPullRequests": merged, "etv": worth, "isDraft": part, "isPartial": False
        }  # fmt: skip

    newest = [week("2026-11-30", 9, 9.0, part=True), week("2026-11-23", 1, 4.7), week("2026-11-16", 2, 4.4)]
    assert _compared(newest, "WEEK") == (
        "W48 2026, 23\u00a0Nov merged 1 pull request after 2 in the week before; all commits brought 4.7 ETV after 4.4."
    )
    # The newest week in which they doubled and value did not comes before the newest one.
    doubled = [*newest, week("2026-10-05", 8, 4.0), week("2026-09-28", 4, 5.8)]
    assert _compared(doubled, "WEEK").startswith("W41 2026, 5\u00a0Oct merged 8 pull requests after 4")
    assert _compared([*newest, week("2026-10-05", 8, 9.0), week("2026-09-28", 4, 5.8)], "WEEK").startswith(
        "W48"
    )
    assert _compared(newest[:2], "WEEK") == ""
    assert _compared([newest[1], week("2026-11-16", None, None)], "WEEK") == ""
