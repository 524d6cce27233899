"""A list of commits that is narrowed to none says what the commits of its range are."""

from collections.abc import Callable

import httpx
import pytest

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
