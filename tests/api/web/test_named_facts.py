"""Columns and notes say who counted a figure, and nothing that a connected host contradicts."""

from collections.abc import Callable

import httpx
import pytest

from tests.api.web.test_work import ALL_DAYS, shown, told


@pytest.fixture(scope="module")
def owner(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("owner")


def test_lines_say_who_counted_them(owner: httpx.Client) -> None:
    [of_host, *_] = [row for row in shown(owner, "pullRequests", **ALL_DAYS).rows if "Pull request" in row]
    [of_git, *_] = [row for row in shown(owner, "commits", **ALL_DAYS).rows if "Commit" in row]
    assert any(cell.startswith("Lines by its host") for cell in of_host)
    assert any(cell.startswith("Lines by Git") for cell in of_git)


def test_a_commit_without_a_pull_request_names_both_causes(owner: httpx.Client) -> None:
    commits = told(owner, "commits", pageSize=200, **ALL_DAYS)["commits"]
    alone = next(one for one in commits if one["pullRequestId"] is None)
    with_one = next(one for one in commits if one["pullRequestId"] is not None)
    said = "it was pushed without one, or no connected Git host brought it."
    assert said in shown(owner, f"commits/{alone['id']}").text
    assert said not in shown(owner, f"commits/{with_one['id']}").text
