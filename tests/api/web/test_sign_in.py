"""The session of a browser: a cookie that scripts cannot read, and forms that only pages of this service send."""

from collections.abc import Iterator
from http.cookies import SimpleCookie
from pathlib import Path

import httpx
import pytest

from api.control.accounts.accounts import sign_up
from api.control.accounts.passwords import Passwords
from api.control.store import ControlStore, open_store
from api.web.sessions.cookies import NAME, SECURE_NAME
from tests.api.conftest import client_for, serving
from tests.api.people import join, make_account, sign_in, stored
from tests.api.web.pages import Page

EMAIL, PASSWORD = "ada@example.org", "Correct-horse 9 staple"
OVERVIEW = "/organizations/acme/overview"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ControlStore]:
    """A service with a viewer who has a password."""
    made = open_store(tmp_path)
    acme = made.ensure_organization("Acme", slug="acme").id
    account = sign_up(made, Passwords(8), EMAIL, PASSWORD, "Ada", is_verified=True)
    join(made, acme, "viewer", account.id)
    yield made
    made.close()


@pytest.fixture
def address(store: ControlStore, tmp_path: Path) -> Iterator[str]:
    with serving(tmp_path) as served:
        yield served


@pytest.fixture
def browser(address: str) -> Iterator[httpx.Client]:
    with client_for(address) as made:
        made.headers["Accept"] = "text/html"
        yield made


def signed_in(browser: httpx.Client, password: str = PASSWORD, **more: str) -> httpx.Response:
    fields = Page(browser.get("/signIn", params={"next": more.pop("next", "")}).text).fields
    return browser.post("/signIn", data=fields | {"email": EMAIL, "password": password} | more)


def test_a_page_leads_to_the_form_and_the_form_back_to_the_page(browser: httpx.Client) -> None:
    asked = browser.get(f"{OVERVIEW}?period=12-weeks")
    assert asked.status_code == 303
    form = browser.get(asked.headers["location"])
    fields = Page(form.text).fields
    done = browser.post("/signIn", data=fields | {"email": EMAIL, "password": PASSWORD})
    assert (done.status_code, done.headers["location"]) == (303, f"{OVERVIEW}?period=12-weeks")
    assert browser.get(done.headers["location"]).status_code == 200


def test_the_cookie_is_out_of_reach_of_scripts_and_of_other_sites(browser: httpx.Client) -> None:
    [cookie] = SimpleCookie(signed_in(browser).headers["set-cookie"]).values()
    assert (cookie.key, cookie["httponly"], cookie["samesite"], cookie["path"]) == (NAME, True, "lax", "/")
    assert cookie["domain"] == ""


def test_with_https_the_cookie_is_bound_to_the_host(store: ControlStore, tmp_path: Path) -> None:
    with (
        serving(tmp_path, EAS_APP_URL="https://eas.example/below") as address,
        client_for(address) as browser,
    ):
        answer = signed_in(browser)
        [cookie] = SimpleCookie(answer.headers["set-cookie"]).values()
        assert (cookie.key, cookie["secure"]) == (SECURE_NAME, True)
        assert answer.headers["location"] == "/below/"


def test_a_wrong_password_is_told_and_asked_for_again(browser: httpx.Client) -> None:
    answer = signed_in(browser, "wrong")
    assert answer.status_code == 401
    found = Page(answer.text)
    assert found.fields["email"] == EMAIL
    assert "wrong" not in answer.text.replace("wrong e-mail", "").replace("is wrong", "")
    assert NAME not in browser.cookies


def test_many_wrong_passwords_are_refused_as_elsewhere(browser: httpx.Client) -> None:
    answers = [signed_in(browser, "wrong") for _ in range(12)]
    assert answers[-1].status_code == 429
    assert int(answers[-1].headers["retry-after"]) > 0


@pytest.mark.parametrize(
    "elsewhere",
    ["//evil.example/", "https://evil.example/", "/\\evil.example", "javascript:alert(1)", "/a\nb"],
)
def test_the_form_leads_to_no_other_site(browser: httpx.Client, elsewhere: str) -> None:
    assert signed_in(browser, next=elsewhere).headers["location"] == "/"


@pytest.mark.parametrize("path", ["/signIn", "/signOut"])
def test_a_form_of_another_site_changes_nothing(
    store: ControlStore, browser: httpx.Client, path: str
) -> None:
    signed_in(browser)
    token = Page(browser.get(OVERVIEW).text).fields["token"]
    before = stored(store)
    fields = {"email": EMAIL, "password": PASSWORD}
    assert browser.post(path, data=fields).status_code == 403
    assert browser.post(path, data=fields | {"token": "0" * 64}).status_code == 403
    forged = browser.post(path, data=fields | {"token": token}, headers={"Origin": "https://evil.example"})
    assert forged.status_code == 403
    assert stored(store) == before


def test_a_token_of_one_session_is_none_of_another(store: ControlStore, browser: httpx.Client) -> None:
    signed_in(browser)
    token = Page(browser.get(OVERVIEW).text).fields["token"]
    acme = store.ensure_organization("Acme", slug="acme").id
    browser.cookies.set(NAME, sign_in(store, join(store, acme, "viewer", make_account(store))))
    assert browser.post("/signOut", data={"token": token}).status_code == 403


def test_signing_out_ends_the_session_itself(browser: httpx.Client) -> None:
    signed_in(browser)
    session = browser.cookies[NAME]
    fields = Page(browser.get(OVERVIEW).text).fields
    assert browser.post("/signOut", data=fields).headers["location"] == "/signIn"
    assert NAME not in browser.cookies
    known = browser.get("/auth/account", headers={"Authorization": f"Bearer {session}"})
    assert known.status_code == 401


def test_the_first_page_is_the_overview_of_whoever_is_signed_in(browser: httpx.Client) -> None:
    assert browser.get("/").status_code == 200
    signed_in(browser)
    assert browser.get("/").headers["location"] == OVERVIEW


@pytest.mark.parametrize(
    "cookie", ["session_unknown", "service_" + "a" * 43, "x" * 5000, "session_" + "é" * 5]
)
def test_an_unknown_cookie_leads_to_the_form(browser: httpx.Client, cookie: str) -> None:
    headers = [(b"cookie", f"{NAME}={cookie}".encode())]
    answer = browser.get(OVERVIEW, headers=headers)
    assert (answer.status_code, answer.headers["location"].partition("?")[0]) == (303, "/signIn")


def test_a_cookie_alone_opens_nothing_of_the_interface(browser: httpx.Client) -> None:
    signed_in(browser)
    assert browser.get("/api/v1/organizations").status_code == 401


def test_a_member_who_was_removed_sees_nothing_more(store: ControlStore, browser: httpx.Client) -> None:
    acme = store.ensure_organization("Acme", slug="acme").id
    browser.cookies.set(NAME, sign_in(store, make_account(store)))
    answer = browser.get(OVERVIEW)
    assert answer.status_code in (403, 404)
    assert acme not in answer.text


def test_before_the_first_build_the_overview_says_what_to_do(browser: httpx.Client) -> None:
    signed_in(browser)
    answer = browser.get("/organizations/acme/developers")
    assert answer.status_code == 200
    assert "No build yet" in answer.text
