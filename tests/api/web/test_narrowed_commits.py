"""A list of commits that is narrowed to none says what the commits of its range are."""

from collections.abc import Callable

import httpx
import pytest

from tests.api.web.conftest import HOME
from tests.api.web.pages import Page
from tests.api.web.test_work import ALL_DAYS, shown, told


@pytest.fixture(scope="module")
def owner(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("owner")


def test_commits_that_all_belong_to_an_issue_are_called_so(owner: httpx.Client) -> None:
    [first, *_] = told(owner, "commits", aligned="true", pageSize=1, **ALL_DAYS)["commits"]
    issue = told(owner, f"commits/{first['id']}")["issues"][0]["itemId"]
    size = told(owner, "commits", issue=issue, pageSize=1, **ALL_DAYS)["totalSize"]
    page = shown(owner, "commits", issue=issue, aligned="false", **ALL_DAYS)
    noun = "The one commit" if size == 1 else f"All {size:,} commits"
    assert f"{noun} delivered" in page.text
    assert f"{'is one' if size == 1 else 'are ones'} that belong to an issue." in page.text
    assert "Choose a longer one" not in page.text
    assert "0 commits were" not in page.text


def test_a_range_without_commits_asks_for_a_longer_one(owner: httpx.Client) -> None:
    page = shown(owner, "commits", aligned="false", startDate="1999-01-01", endDate="1999-01-31")
    assert "0 commits were delivered" in page.text
    assert "No commits in this range. Choose a longer one" in page.text


def test_a_choice_that_has_commits_lists_them(owner: httpx.Client) -> None:
    size = told(owner, "commits", aligned="true", pageSize=1, **ALL_DAYS)["totalSize"]
    assert f"{size:,} commit" in shown(owner, "commits", aligned="true", **ALL_DAYS).text


def test_commits_that_reach_no_objective_say_who_can_link_them(owner: httpx.Client) -> None:
    said = "People who may edit an issue put it below an objective in its tracker."
    chosen = {"aligned": "true", "reachesObjective": "false"} | ALL_DAYS
    assert told(owner, "commits", pageSize=1, **chosen)["totalSize"]
    assert said in shown(owner, "commits", **chosen).text
    assert said not in shown(owner, "commits", reachesObjective="true", **ALL_DAYS).text


def test_commits_without_an_issue_say_who_can_link_them(owner: httpx.Client) -> None:
    [first, *_] = told(owner, "commits", aligned="false", pageSize=1, **ALL_DAYS)["commits"]
    said = {
        "NO_REFERENCE": "The author of its pull request, or anybody else who may edit that, links a commit",
        "UNKNOWN_ISSUE": "You can connect the tracker that has them.",
    }
    page = shown(owner, "commits", aligned="false", **ALL_DAYS)
    assert said[first["alignmentReason"]] in page.text
    # Commits without an issue reach no objective either, so that choice would change nothing.
    assert not [one for one in page.links if "reachesObjective" in one]
    assert said[first["alignmentReason"]] not in shown(owner, "commits", **ALL_DAYS).text


def test_the_person_who_links_is_four_clicks_from_the_overview(owner: httpx.Client) -> None:
    assert f"{HOME}/repositories" in shown(owner, "overview").links
    assert f"{HOME}/commits" in shown(owner, "repositories").links
    [narrowed] = [one for one in shown(owner, "commits", **ALL_DAYS).links if "aligned=false" in one]
    commits = [one for one in page_of(owner, narrowed).links if f"{HOME}/commits/" in one]
    text = page_of(owner, commits[0]).text
    assert any(said in text for said in ("nobody can link it any more", "can put the key", "You can connect"))


def page_of(browser: httpx.Client, address: str) -> Page:
    answer = browser.get(address)
    assert answer.status_code == 200, answer.text
    return Page(answer.text)
