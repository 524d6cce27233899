"""What a list is narrowed to, the worst finding first, and headings that say what a list has."""

from collections.abc import Callable

import httpx
import pytest

from tests.api.web.conftest import HOME
from tests.api.web.own_organization import address, published
from tests.api.web.test_work import ALL_DAYS, shown, told

__all__ = ["address", "published"]


@pytest.fixture(scope="module")
def owner(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("owner")


def test_a_narrowed_list_of_commits_says_to_what(owner: httpx.Client) -> None:
    repository = told(owner, "repositories", pageSize=1)["repositories"][0]
    team = told(owner, "teams", pageSize=1)["teams"][0]
    page = shown(
        owner,
        "commits",
        repository=repository["id"],
        team=team["id"],
        category="FIXES",
        aiAssisted="false",
        **ALL_DAYS,
    )
    for said in (
        f"of the repository {repository['name']}",
        f"of the team {team['name']}",
        "whose main category is fixes",
        "without a sign of AI",
    ):
        assert said in page.text
    assert "Only those" not in shown(owner, "commits", **ALL_DAYS).text


def test_the_worst_findings_come_first_and_the_others_are_counted(owner: httpx.Client) -> None:
    found = told(owner, "checkOccurrences", status="OPEN", pageSize=100, orderBy="severity,openedAt")
    rows = found["checkOccurrences"]
    severities = [row["severity"] for row in rows]
    assert severities == sorted(severities, key=["CRITICAL", "WARNING"].index)
    assert "CRITICAL" in severities
    page = shown(owner, "overview")
    assert len(rows) <= 5 or f"All {len(rows)} open checks" in page.text
    first = rows[0]["subjectTitle"] or rows[0]["subjectReference"]
    assert any(first in cell for row in page.rows for cell in row)


def test_settled_findings_are_not_said_to_need_a_hand(owner: httpx.Client) -> None:
    page = shown(owner, "checks", status="RESOLVED")
    assert "What is settled?" in page.text
    assert "What needs a hand?" not in page.text
    assert f"{HOME}/checks" in {link.partition("?")[0] for link in page.links}
