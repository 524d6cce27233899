"""The page of a commit without an issue says who can link it to one, and leads there."""

from types import SimpleNamespace
from typing import Any, cast

import pytest

from api.web.details.linking import Linking, linkers_of, linking_of
from api.web.frame import Place
from api.web.reading import Answer

ADA, LIN = "ada's id", "lin's id"
PULL = Answer(
    200, {"developerId": LIN, "developerName": "Lin", "author": "lin", "url": "https://git.example/7"}
)
UNREAD = Answer(404, None)


def way(
    reason: str, pull: Answer = UNREAD, *, manages: bool = False, me: str | None = None, has_pull: bool = True
) -> Linking:
    person: dict[str, Any] = {"developer": {"id": me} if me else None}
    place = cast("Place", SimpleNamespace(manages=manages, person=person, organization={"name": "Acme"}))
    row = {
        "alignmentReason": reason, "developerId": ADA, "pullRequestId": "p" if has_pull else None,
        "pullRequestNumber": 7 if has_pull else None,
    }  # fmt: skip
    return linking_of(place, row, pull)


@pytest.mark.parametrize("reason", ["NO_TRACKER", "UNKNOWN_ISSUE"])
def test_an_owner_connects_a_tracker_and_others_read_who_can(reason: str) -> None:
    own, other = way(reason, manages=True), way(reason)
    assert (own.who, own.page) == ("You", "connections?category=ISSUE_TRACKER")
    assert (other.who, other.page) == ("An owner or admin of Acme", "")
    assert own.what == other.what


@pytest.mark.parametrize("me", [ADA, LIN])
def test_the_author_of_the_commit_or_of_its_pull_request_is_told_so(me: str) -> None:
    found = way("NO_REFERENCE", PULL, me=me)
    assert found.who == "You"
    assert "title of #7" in found.what
    assert found.outside == "https://git.example/7"


@pytest.mark.parametrize("me", [None, "somebody else's id"])
def test_others_read_whose_pull_request_it_is(me: str | None) -> None:
    assert way("NO_REFERENCE", PULL, me=me).who == "Lin, or anybody else who may edit it,"


def test_an_unread_pull_request_leads_to_its_page() -> None:
    found = way("NO_REFERENCE")
    assert (found.who, found.page, found.outside) == ("Anybody who may edit it", "pullRequests/p", "")


def test_without_a_pull_request_nobody_can_link_a_delivered_commit() -> None:
    found = way("NO_REFERENCE", has_pull=False, me=ADA, manages=True)
    assert (found.who, found.page, found.outside) == ("Without a known pull request nobody", "", "")


def line(*rows: dict[str, Any], manages: bool = False) -> str:
    return linkers_of(cast("Place", SimpleNamespace(manages=manages)), rows)


def commit(reason: str | None, *, reaches: bool = False, pull: str | None = "p") -> dict[str, Any]:
    return {
        "isAligned": reason is None,
        "alignmentReason": reason,
        "reachesObjective": reaches,
        "pullRequestId": pull,
    }


def test_a_list_of_commits_without_an_issue_says_in_a_line_who_links_them() -> None:
    told = line(commit("NO_REFERENCE"), commit("NO_REFERENCE"))
    assert told.startswith(
        "The author of its pull request, or anybody else who may edit that, links a commit"
    )
    assert "connect" not in told
    assert "objective" not in told


def test_a_list_promises_nobody_for_commits_without_a_pull_request() -> None:
    lost = "Nobody can link commits without a known pull request any more: a delivered message stays."
    assert line(commit("NO_REFERENCE", pull=None)) == lost
    both = line(commit("NO_REFERENCE", pull=None), commit("NO_REFERENCE"))
    assert both.startswith("The author of its pull request")
    assert both.endswith(lost)


def test_where_no_tracker_has_the_issues_an_owner_or_admin_connects_one() -> None:
    assert line(commit("NO_TRACKER")) == "No issue tracker is connected. An owner or admin can connect one."
    assert line(commit("NO_TRACKER"), manages=True).endswith("You can connect one.")
    told = line(commit("UNKNOWN_ISSUE"), commit("NO_REFERENCE"))
    assert told.startswith("The author")
    assert told.endswith("An owner or admin can connect the tracker that has them.")


def test_an_issue_without_an_objective_is_put_below_one_by_whoever_may_edit_it() -> None:
    assert line(commit(None)) == "People who may edit an issue put it below an objective in its tracker."
    assert line(commit(None, reaches=True)) == ""
