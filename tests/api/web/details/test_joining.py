"""An owner joins two developers on the page of one of them, and undoes it there; who may not sees no form."""

from collections.abc import Callable

import httpx
import pytest

from api.web.drawing.rendering import templates
from api.web.reading import Answer
from tests.api.web.conftest import HOME
from tests.api.web.own_organization import address, published
from tests.api.web.pages import Page
from tests.api.web.test_details import DAYS, send, told

__all__ = ["address", "published"]


@pytest.fixture(scope="module")
def owner(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("owner")


@pytest.fixture
def people(owner: httpx.Client) -> list[dict[str, str]]:
    found: list[dict[str, str]] = told(owner, "developers", pageSize=2, filter="isBot = false", **DAYS)[
        "developers"
    ]
    return found


def test_developers_are_joined_and_parted_again_by_forms(
    owner: httpx.Client, people: list[dict[str, str]]
) -> None:
    one, other = people
    path = f"developers/{one['id']}"
    plain = Page(owner.get(f"{HOME}/{path}").text)
    assert any("join=true" in link for link in plain.links)
    assert "The same person as" not in plain.text
    opened = Page(owner.get(f"{HOME}/{path}?join=true").text)
    assert (opened.blocked, opened.open) == ([], [])
    assert other["name"] in opened.text
    joined = send(owner, f"{path}?join=true", "join", developer=one["id"], other=other["id"])
    assert joined.status_code == 303, joined.text
    [decision] = told(owner, "identityDecisions", isUndone="false")["identityDecisions"]
    assert {part["id"] for part in decision["developers"]} == {one["id"], other["id"]}
    again = send(owner, f"{path}?join=true", "join", developer=one["id"], other=other["id"])
    assert (again.status_code, "already merged" in again.text) == (422, True)
    assert "Undo" in Page(owner.get(f"{HOME}/{path}?join=true").text).text
    assert send(owner, f"{path}?join=true", "undo", decision=decision["id"]).status_code == 303
    said = Page(owner.get(f"{HOME}/{path}?join=true&done=undo").text).text
    assert "Changes of dates and teams made meanwhile stay" in said
    assert told(owner, "identityDecisions", isUndone="false")["identityDecisions"] == []


def test_developers_that_cannot_be_read_are_not_told_to_be_none() -> None:
    refused = Answer(503, {}, "the organization has no build yet")
    joining = {"answer": refused, "others": [], "decisions": [], "left": False}
    row = {"id": "d1", "name": "Ada", "mergeSuggestions": []}
    asked = {"joining": joining, "row": row, "sent": None, "path": "/", "manages": True}
    page = templates().get_template("details/joining.html").render(asked)
    assert "The other developers cannot be shown: the organization has no build yet." in page
    assert "There is no other developer" not in page


@pytest.mark.parametrize("role", ["member", "viewer"])
def test_who_may_not_join_sees_no_form(
    browser_of: Callable[[str], httpx.Client], people: list[dict[str, str]], role: str
) -> None:
    answer = browser_of(role).get(f"{HOME}/developers/{people[0]['id']}?join=true")
    assert "Join with another developer" not in answer.text
    assert "The same person as" not in answer.text


def test_an_owner_without_commits_is_told_the_ways_and_sends_nobody_to_ask(owner: httpx.Client) -> None:
    page = Page(owner.get(f"{HOME}/me").text)
    assert "Ask an owner or admin" not in page.text
    assert "invite that address" in page.text
    assert "no developer has the verified address" in page.text
    # Nobody whom this address does not name becomes it by joining.
    assert "Join with another developer" not in page.text
    assert f"{HOME}/members?invite=true" in page.links
