"""The link that signs in on the machine itself: once, and from nowhere else."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from api.control.accounts.accounts import find_by_email
from api.control.accounts.local_owners import ADDRESS, make_local_link
from api.control.accounts.members import member
from api.control.store import ControlStore, open_store
from api.web.sessions.cookies import NAME
from tests.api.conftest import client_for, serving
from tests.api.people import stored
from tests.api.web.pages import Page


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ControlStore]:
    made = open_store(tmp_path)
    made.ensure_organization("Acme", slug="acme")
    yield made
    made.close()


@pytest.fixture
def browser(store: ControlStore, tmp_path: Path) -> Iterator[httpx.Client]:
    with serving(tmp_path) as address, client_for(address) as made:
        made.headers["Accept"] = "text/html"
        yield made


def used(browser: httpx.Client, secret: str, **headers: str) -> httpx.Response:
    fields = Page(browser.get("/local").text).fields
    return browser.post("/local", data=fields | {"link": secret}, headers=headers)


def test_a_link_signs_the_owner_of_the_machine_in_once(store: ControlStore, browser: httpx.Client) -> None:
    secret = make_local_link(store, "acme")
    assert secret not in stored(store)
    done = used(browser, secret)
    assert (done.status_code, done.headers["location"]) == (303, "/")
    assert browser.get("/").headers["location"] == "/organizations/acme/overview"
    assert browser.get("/organizations/acme/overview").status_code in (200, 400)
    with store.session() as session:
        account = find_by_email(session, ADDRESS)
        assert account is not None
        assert (account.password_hash, account.is_platform_administrator) == (None, False)
        kept = account.id
    assert member(store, store.organization("acme").id, kept).role == "owner"
    browser.cookies.clear()
    again = used(browser, secret)
    assert (again.status_code, NAME in again.cookies) == (400, False)
    assert "was used" in Page(again.text).text


def test_of_many_uses_at_once_one_succeeds(store: ControlStore, browser: httpx.Client) -> None:
    secret = make_local_link(store, "acme")
    fields = Page(browser.get("/local").text).fields | {"link": secret}
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: browser.post("/local", data=fields).status_code, range(8)))
    assert sorted(answers) == [303] + [400] * 7


def test_the_second_link_is_for_the_same_account(store: ControlStore) -> None:
    make_local_link(store, "acme")
    before = stored(store).count(ADDRESS)
    make_local_link(store, "acme")
    # One more link, and no more account.
    assert stored(store).count(ADDRESS) == before + 1


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "eas.example"},
        {"Host": "127.0.0.1.rebound.example"},
        {"X-Forwarded-For": "127.0.0.1"},
        {"Forwarded": "for=127.0.0.1"},
        {"Origin": "https://elsewhere.example"},
    ],
    ids=lambda headers: re.sub(r"\W+", " ", str(headers)),
)
def test_a_link_is_refused_from_elsewhere(
    store: ControlStore, browser: httpx.Client, headers: dict[str, str]
) -> None:
    secret = make_local_link(store, "acme")
    refused = used(browser, secret, **headers)
    assert (refused.status_code, NAME in refused.cookies) == (403, False)
    assert used(browser, secret).status_code == 303


def test_a_service_with_an_address_of_its_own_takes_no_link(store: ControlStore, tmp_path: Path) -> None:
    secret = make_local_link(store, "acme")
    with serving(tmp_path, EAS_APP_URL="https://eas.example") as address, client_for(address) as browser:
        assert browser.get("/local").status_code == 403
        assert browser.post("/local", data={"link": secret}).status_code == 403


@pytest.mark.parametrize("secret", ["", "x" * 100_000, "session_1", "%00"])
def test_another_secret_is_refused(browser: httpx.Client, secret: str) -> None:
    assert used(browser, secret).status_code == 400
