"""The forms of Manage: what a form did is what `/api/v1` then shows."""

import socket
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from api.control.repositories.sync_status import note_failure
from tests.api.conftest import ROOT, Deployment
from tests.api.published_facts import ORGANIZATION
from tests.api.web.conftest import HOME
from tests.api.web.own_organization import address, published
from tests.api.web.pages import Page

__all__ = ["address", "published"]

HOST = "git.example"


@pytest.fixture(autouse=True)
def _names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resolve the host of the addresses without a name server."""
    real = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, *a, **o: real("93.184.215.14" if host == HOST else host, *a, **o)
    )


@pytest.fixture(scope="module")
def owner(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("owner")


def told(browser: httpx.Client, path: str, **asked: Any) -> dict[str, Any]:
    """The answer of the interface to the session of the browser."""
    bearer = {"Authorization": f"Bearer {next(iter(browser.cookies.values()))}"}
    found: dict[str, Any] = browser.get(f"{ROOT}/{path}", params=asked, headers=bearer).json()
    return found


def named(browser: httpx.Client, name: str) -> dict[str, Any]:
    """The one repository of this name, as the interface manages it."""
    [found] = told(browser, "repositories:managed", search=name)["repositories"]
    managed: dict[str, Any] = found
    return managed


def send(browser: httpx.Client, act: str, page: str = "manage", **fields: str) -> httpx.Response:
    token = Page(browser.get(f"{HOME}/{page}").text).fields["token"]
    return browser.post(f"{HOME}/{page}", data={"token": token, "act": act} | fields)


def added(browser: httpx.Client, name: str) -> dict[str, Any]:
    """A new repository, which the form of addresses adds."""
    answer = send(browser, "add", addresses=f"https://{HOST}/acme/{name}")
    assert answer.status_code == 200, answer.text
    return named(browser, f"acme/{name}")


def test_added_addresses_succeed_or_fail_each_on_its_own(owner: httpx.Client) -> None:
    addresses = f"https://{HOST}/acme/one\r\n\r\nhttps://me:hunter2hunter2@{HOST}/acme/two"
    answer = send(owner, "add", addresses=addresses)
    found = Page(answer.text)
    assert (answer.status_code, found.blocked, found.open) == (200, [], [])
    assert named(owner, "acme/one")["health"] == "PENDING"
    assert told(owner, "repositories:managed", search="acme/two")["repositories"] == []
    assert "hunter2" not in found.text
    refused = send(owner, "add", addresses=" \r\n")
    assert refused.status_code == 422
    assert "ame at least one repository" in Page(refused.text).text


def test_a_repository_is_disabled_enabled_stopped_and_resumed(owner: httpx.Client) -> None:
    row = added(owner, "switched")
    for act, field, value in (
        ("disable", "isDisabled", True),
        ("enable", "isDisabled", False),
        ("stop", "isStopped", True),
        ("resume", "isStopped", False),
    ):
        answer = send(owner, act, repository=row["id"])
        assert answer.status_code == 303, Page(answer.text).text
        assert answer.headers["location"] == f"{HOME}/manage?done={act}"
        assert named(owner, "acme/switched")[field] is value, act
    states = {"ACTIVE": 1, "DISABLED": 0}
    for state, number in states.items():
        listed = told(owner, "repositories:managed", search="acme/switched", state=state)["totalSize"]
        assert listed == number, state


def test_a_repository_that_cannot_be_read_is_tried_again(owner: httpx.Client, published: Deployment) -> None:
    row = added(owner, "failing")
    note_failure(published.store, ORGANIZATION, row["id"], "the host <b>closed</b> the connection")
    page = owner.get(f"{HOME}/manage", params={"state": "NEEDS_ATTENTION"})
    assert "the host <b>closed</b> the connection" in Page(page.text).text
    assert "Try again" in page.text
    before = told(owner, "operations", state="PENDING", pageSize=1000)["totalSize"]
    assert send(owner, "analyze", repository=row["id"]).status_code == 303
    pending = told(owner, "operations", state="PENDING", pageSize=1000)
    assert pending["totalSize"] == before + 1
    assert row["id"] in {one["repositoryId"] for one in pending["operations"]}


def test_a_repository_is_removed_and_a_second_time_says_so(owner: httpx.Client) -> None:
    row = added(owner, "gone")
    assert send(owner, "remove", repository=row["id"]).status_code == 303
    assert told(owner, "repositories:managed", search="acme/gone")["repositories"] == []
    assert owner.get(f"{HOME}/manage/{row['id']}").status_code == 404


def test_settings_are_those_of_the_interface_and_a_refused_one_is_kept(owner: httpx.Client) -> None:
    row = added(owner, "settled")
    page = f"manage/{row['id']}"
    sent = {"repository": row["id"], "name": "Settled & done", "tags": "b, a", "defaultBranch": "develop"}
    answer = send(owner, "settings", page, analysisStartTime="2024-02-29", isSandbox="true", **sent)
    assert answer.status_code == 303, Page(answer.text).text
    now = told(owner, f"repositories/{row['id']}/settings")
    assert (now["tags"], now["defaultBranch"], now["isSandbox"], now["isExcluded"]) == (
        ["a", "b"],
        "develop",
        True,
        False,
    )
    assert now["analysisStartTime"] == "2024-02-29T00:00:00Z"
    refused = send(owner, "settings", page, **sent | {"name": "x" * 300})
    assert refused.status_code == 422
    assert Page(refused.text).fields["name"] == "x" * 300
    assert told(owner, f"repositories/{row['id']}/settings")["name"] == "Settled & done"


@pytest.mark.parametrize("role", ["member", "viewer", "team_lead"])
def test_who_may_not_manage_repositories_is_refused_with_the_reason(
    browser_of: Callable[[str], httpx.Client], owner: httpx.Client, role: str
) -> None:
    row = named(owner, "acme/one")
    browser = browser_of(role)
    for act in ("disable", "stop", "remove", "analyze"):
        token = Page(browser.get(f"{HOME}/overview").text).fields["token"]
        answer = browser.post(f"{HOME}/manage", data={"token": token, "act": act, "repository": row["id"]})
        assert answer.status_code in (403, 422), act
        assert "you may not" in Page(answer.text).text.lower(), act
    kept = named(owner, "acme/one")
    assert (kept["isDisabled"], kept["isStopped"]) == (False, False)


def test_a_forged_form_changes_nothing(owner: httpx.Client) -> None:
    row = added(owner, "forged")
    answer = owner.post(f"{HOME}/manage", data={"token": "0" * 64, "act": "remove", "repository": row["id"]})
    assert answer.status_code == 403
    assert named(owner, "acme/forged")["id"] == row["id"]
