"""The pages of connections do what their forms say, and show what `/api/v1` answers."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest

from api.web.sessions.cookies import NAME
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.people import join, sign_in
from tests.api.published_facts import ORGANIZATION
from tests.api.v1.connections.conftest import ADDRESS, TOKEN
from tests.api.web.pages import Page

PAGE = "/organizations/acme/connections"
NEW = {"act": "add", "kind": "GITEA", "name": "Houses", "address": ADDRESS, "secret": TOKEN}


@pytest.fixture
def browser_of(deployment: Deployment, served: str) -> Iterator[Callable[[str], httpx.Client]]:
    """A browser whose cookie has a session of a new member with this role."""
    with ExitStack() as opened:

        def made(role: str) -> httpx.Client:
            session = sign_in(deployment.store, join(deployment.store, ORGANIZATION, role))
            client = opened.enter_context(client_for(served))
            client.headers["Accept"] = "text/html"
            client.cookies.set(NAME, session)
            return client

        yield made


@pytest.fixture
def browser(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("owner")


def send(browser: httpx.Client, fields: dict[str, str], path: str = PAGE) -> httpx.Response:
    token = Page(browser.get(path).text).fields["token"]
    return browser.post(path, data={"token": token} | fields)


def listed(admin: httpx.Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = admin.get(f"{ROOT}/connections").json()["connections"]
    return found


def test_without_a_connection_the_page_says_what_one_brings(browser: httpx.Client) -> None:
    found = Page(browser.get(PAGE).text)
    assert "Nothing is connected yet." in found.text
    assert (found.blocked, found.open) == ([], [])
    kinds = browser.get(
        f"{ROOT}/connectionKinds", headers={"Authorization": f"Bearer {browser.cookies[NAME]}"}
    ).json()["connectionKinds"]
    offered = {link.partition("add=")[2].partition("#")[0] for link in found.links if "add=" in link}
    assert offered == {kind["kind"] for kind in kinds}


def test_each_kind_has_a_form_with_its_fields(browser: httpx.Client) -> None:
    for kind, named in (("JIRA_CLOUD", {"user", "options.projects"}), ("GITEA", set[str]())):
        answer = browser.get(PAGE, params={"add": kind})
        found = Page(answer.text)
        assert found.blocked == []
        fields = found.fields.keys() - {"token", "act", "connection"}
        assert fields == {"kind", "name", "address", "secret"} | named
        assert found.fields["kind"] == kind


def test_an_added_connection_is_listed_and_read(browser: httpx.Client, admin: httpx.Client) -> None:
    answer = send(browser, NEW)
    assert (answer.status_code, answer.headers["location"]) == (303, f"{PAGE}?done=add")
    [made] = listed(admin)
    assert (made["name"], made["kind"], made["account"]) == ("Houses", "GITEA", "ada")
    text = browser.get(answer.headers["location"]).text
    found = Page(text)
    assert found.row("Houses")[1].startswith("Gitea or Forgejo")
    assert "Its first sync has begun." in found.text
    # The page follows the sync: by a script, and without one.
    assert 'hx-trigger="every 2s"' in text
    assert 'http-equiv="refresh"' in text
    assert TOKEN not in text


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"secret": "wrong-token"}, "does not accept the token: create one with the scopes"),
        ({"secret": "short"}, "copy the whole token"),
        ({"address": "https://127.0.0.1"}, "EAS_PRIVATE_HOSTS"),
        ({"address": "http://203.0.113.9"}, "https"),
        ({"options.nothing": "x"}, "no option"),
        ({"kind": "CVS"}, "one of"),
    ],
)
def test_a_refused_token_is_told_in_the_form_and_nothing_is_stored(
    browser: httpx.Client, admin: httpx.Client, changes: dict[str, str], told: str
) -> None:
    answer = send(browser, NEW | {"name": "Kept name"} | changes)
    found = Page(answer.text)
    assert answer.status_code == 422
    assert told in found.text
    assert found.text.count(told) == 1
    assert listed(admin) == []
    assert TOKEN not in answer.text
    if changes.get("kind") is None:
        assert found.fields["name"] == "Kept name"
        assert found.fields["secret"] == ""


def test_a_form_of_another_site_changes_nothing(browser: httpx.Client, admin: httpx.Client) -> None:
    assert browser.post(PAGE, data=NEW | {"token": "0" * 64}).status_code == 403
    token = Page(browser.get(PAGE).text).fields["token"]
    origin = {"Origin": "https://elsewhere.example"}
    assert browser.post(PAGE, data=NEW | {"token": token}, headers=origin).status_code == 403
    assert listed(admin) == []


def test_a_connection_is_checked_synced_renamed_and_removed(
    browser: httpx.Client, admin: httpx.Client
) -> None:
    send(browser, NEW)
    [made] = listed(admin)
    page, chosen = f"{PAGE}/{made['id']}", {"connection": made["id"]}
    found = Page(browser.get(page).text)
    assert (found.heading, found.blocked) == ("Houses", [])
    for act, fields in (("check", {"user": ""}), ("sync", {}), ("resync", {}), ("token", {"secret": TOKEN})):
        answer = send(browser, {"act": act} | chosen | fields, page)
        assert (answer.status_code, answer.headers["location"]) == (303, f"{page}?done={act}"), answer.text
    actions = [one["action"] for one in admin.get(f"{ROOT}/operations").json()["operations"]]
    assert {"connections.sync", "connections.resync"} <= set(actions)
    refused = send(browser, {"act": "token", "secret": "wrong-token"} | chosen, page)
    assert refused.status_code == 422
    assert "does not accept the token" in Page(refused.text).text
    send(browser, {"act": "rename", "name": "Barns"} | chosen, page)
    assert listed(admin)[0]["name"] == "Barns"
    # Removing leads to the list, because the page of the connection is gone.
    gone = send(browser, {"act": "remove"} | chosen)
    assert gone.headers["location"] == f"{PAGE}?done=remove"
    assert listed(admin) == []
    assert browser.get(page).status_code == 404


def test_markup_in_a_name_is_text(browser: httpx.Client) -> None:
    hostile = '<script>alert(1)</script>"><img src=x onerror=alert(1)>'
    send(browser, NEW | {"name": hostile})
    found = Page(browser.get(PAGE).text)
    assert found.blocked == []
    assert found.row("<script>")[0].startswith(hostile)


def test_roles_see_what_they_may_do(browser_of: Callable[[str], httpx.Client], browser: httpx.Client) -> None:
    send(browser, NEW)
    for role, may in (("admin", True), ("member", False), ("viewer", False)):
        found = Page(browser_of(role).get(PAGE).text)
        assert found.row("Houses")
        assert ("Add token" in found.text) == may, role
    lead = browser_of("team_lead").get(PAGE)
    assert lead.status_code == 403
    assert "you may not open the connections" in lead.text.lower()
    assert Page(lead.text).rows == []


def test_a_viewer_who_sends_the_form_is_refused(
    browser_of: Callable[[str], httpx.Client], admin: httpx.Client
) -> None:
    answer = send(browser_of("viewer"), NEW)
    assert answer.status_code in (403, 422)
    assert listed(admin) == []
