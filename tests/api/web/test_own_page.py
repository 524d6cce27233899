"""A person's own page has their figures alone, and their corrections reach the interface."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from api.web.sessions.cookies import NAME
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.moving_people import address_of, deployed, moving, moving_warehouse
from tests.api.people import join, make_account, sign_in
from tests.api.published_facts import ORGANIZATION
from tests.api.scoped_facts import address
from tests.api.web.conftest import HOME
from tests.api.web.pages import Page

__all__ = ["address_of", "deployed", "moving", "moving_warehouse"]
ALL_DAYS = {"startDate": "2020-01-01", "endDate": "2026-12-31"}


@pytest.fixture(scope="module")
def person(deployed: Deployment, address_of: str) -> Iterator[httpx.Client]:
    """A browser of a developer who is a viewer."""
    account = join(deployed.store, ORGANIZATION, "viewer", make_account(deployed.store, address("Ada")))
    with client_for(address_of) as browser:
        browser.headers["Accept"] = "text/html"
        browser.cookies.set(NAME, sign_in(deployed.store, account))
        yield browser


def told(browser: httpx.Client, path: str) -> dict[str, Any]:
    bearer = {"Authorization": f"Bearer {next(iter(browser.cookies.values()))}"}
    answer = browser.get(f"{ROOT}/{path}", params=ALL_DAYS if path == "me" else {}, headers=bearer)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_the_figures_are_those_of_the_interface_for_the_same_person(person: httpx.Client) -> None:
    mine = told(person, "me")["developer"]
    assert isinstance(mine, dict)
    answer = person.get(f"{HOME}/me", params=ALL_DAYS)
    page = Page(answer.text)
    assert (answer.status_code, page.blocked, page.open) == (200, [], [])
    assert f"You delivered {mine['etv']:,.1f} ETV" in page.text
    assert {one["email"] for one in mine["addresses"]} <= {row[0] for row in page.rows if row}


def test_a_correction_is_sent_and_a_wrong_one_shows_its_reason(person: httpx.Client) -> None:
    token = Page(person.get(f"{HOME}/me").text).fields["token"]
    base = {"token": token, "act": "correct", "commit": "", "category": "", "email": ""}
    sent = base | {"kind": "ALIAS", "email": "ada@home.example", "isMine": "true", "text": "<i>my</i> laptop"}
    assert person.post(f"{HOME}/me", data=sent).status_code == 303
    [one] = told(person, "me/corrections")["corrections"]
    assert (one["kind"], one["email"], one["isMine"], one["state"]) == (
        *("ALIAS", "ada@home.example", True, "PENDING"),
    )
    assert "<i>my</i> laptop" in Page(person.get(f"{HOME}/me").text).text
    refused = person.post(f"{HOME}/me", data=base | {"kind": "CATEGORY", "text": "x", "commit": "none"})
    assert refused.status_code == 422
    assert Page(refused.text).fields["commit"] == "none"


def test_who_wrote_nothing_is_told_so(browser_of: Callable[[str], httpx.Client]) -> None:
    page = Page(browser_of("viewer").get(f"{HOME}/me").text)
    assert "No commits are known to be yours" in page.text
    assert "to invite the address that you write commits with" in page.text
    # The reason stands there once.
    assert "no developer of this organization" not in page.text
    assert page.text.count("address of your account") == 1
    assert "Say what is wrong" not in page.text


def test_an_author_asks_on_the_page_of_a_commit_for_its_category(person: httpx.Client) -> None:
    before = {one["id"] for one in told(person, "me/corrections")["corrections"]}
    commit = next(row["id"] for row in told(person, "me/commits")["commits"] if row["category"])
    path = f"{HOME}/commits/{commit}"
    page = Page(person.get(path).text)
    assert "Until one of them accepts it, no figure changes." in page.text
    sent = {"token": page.fields["token"], "act": "wishCategory", "kind": "CATEGORY", "commit": commit}
    refused = person.post(path, data=sent | {"category": "FIXES", "text": ""})
    assert (refused.status_code, 'role="alert"' in refused.text or "aria-invalid" in refused.text) == (
        422,
        True,
    )
    done = person.post(path, data=sent | {"category": "FIXES", "text": "It mends a crash."})
    assert (done.status_code, done.headers["location"]) == (303, f"{path}?done=wishCategory")
    [new] = [one for one in told(person, "me/corrections")["corrections"] if one["id"] not in before]
    assert (new["kind"], new["commitId"], new["category"]) == ("CATEGORY", commit, "FIXES")
