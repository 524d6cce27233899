"""A root login at the dashboard: what it opens before and after it enters the organization, and how it gets there."""

from collections.abc import Iterator

import httpx
import pytest
from sqlalchemy import select

from api.control.accounts.accounts import sign_up
from api.control.accounts.passwords import Passwords
from api.control.models import AuditEntry
from api.web.sessions.cookies import NAME
from tests.api.conftest import Deployment, client_for
from tests.api.published_facts import ORGANIZATION
from tests.api.roots import administrator_key, sign_in_root
from tests.api.web.conftest import HOME
from tests.api.web.pages import Page
from tests.api.web.test_pages import PATHS

OUTSIDE = ("members", "plan")


@pytest.fixture(autouse=True)
def _key() -> Iterator[None]:
    with administrator_key():
        yield


@pytest.fixture
def visitor(address: str) -> Iterator[httpx.Client]:
    """A browser without a session."""
    with client_for(address, None) as made:
        made.headers["Accept"] = "text/html"
        yield made


@pytest.fixture
def root(visitor: httpx.Client, published: Deployment) -> httpx.Client:
    """A browser with a root login that has entered no organization."""
    visitor.cookies.set(NAME, sign_in_root(published.store))
    return visitor


def send(browser: httpx.Client, act: str, **fields: str) -> httpx.Response:
    """A form of the page of a root login; of `/signIn` without one."""
    page = Page(browser.get("/root", follow_redirects=True).text)
    return browser.post("/root", data={"token": page.fields["token"], "act": act} | fields)


@pytest.mark.parametrize("path", PATHS)
def test_outside_an_organization_a_page_says_what_root_can_do_next(root: httpx.Client, path: str) -> None:
    answer = root.get(f"{HOME}/{path}")
    page = Page(answer.text)
    assert (page.blocked, page.open) == ([], [])
    assert "Root login" in page.text
    if path in OUTSIDE:
        assert answer.status_code == 200
        return
    assert (answer.status_code, page.rows) == (403, [])
    assert (
        "a root login manages only members and plans of an organization that it has not entered" in page.text
    )
    assert "/auth/switchOrganization" not in page.text
    assert "Enter Acme Members Plan" in page.text
    assert {f"{HOME}/{one}" for one in OUTSIDE} <= set(page.links)


def test_root_enters_from_a_page_comes_back_to_it_and_leaves(root: httpx.Client) -> None:
    entered = send(root, "enter", organization="acme", next=f"{HOME}/commits")
    assert (entered.status_code, entered.headers["location"]) == (303, f"{HOME}/commits")
    for path in PATHS:
        page = Page(root.get(f"{HOME}/{path}").text)
        assert ("Root login" in page.text, page.heading != "") == (True, True), path
        assert "can change your role" not in page.text, path
    assert root.get(f"{HOME}/overview").status_code == 200
    assert send(root, "leave").headers["location"] == "/root"
    assert root.get(f"{HOME}/overview").status_code == 403


def test_a_browser_keeps_a_login_and_ends_it(visitor: httpx.Client, published: Deployment) -> None:
    assert send(visitor, "open", session="root_wrong").headers["location"].startswith("/signIn")
    opened = send(visitor, "open", session=sign_in_root(published.store))
    assert (opened.status_code, opened.headers["location"]) == (303, "/root")
    assert "HttpOnly" in opened.headers["set-cookie"]
    assert visitor.get("/").headers["location"] == "/root"
    page = Page(visitor.get("/root").text)
    assert "Acme" in page.text
    assert Page(visitor.get("/root?search=nothing+like+it").text).text.count("No organization matches") == 1
    kept = visitor.cookies[NAME]
    assert visitor.post("/signOut", data={"token": page.fields["token"]}).status_code == 303
    visitor.cookies.set(NAME, kept)
    assert visitor.get("/root").headers["location"].startswith("/signIn")


def test_a_forged_form_enters_nothing(root: httpx.Client) -> None:
    answer = root.post("/root", data={"token": "0" * 64, "act": "enter", "organization": ORGANIZATION})
    assert answer.status_code == 403
    assert root.get(f"{HOME}/overview").status_code == 403


def test_a_member_finds_no_page_of_root(browser: httpx.Client) -> None:
    assert browser.get("/root").headers["location"].startswith("/signIn")
    token = Page(browser.get(f"{HOME}/overview").text).fields["token"]
    answer = browser.post("/root", data={"token": token, "act": "enter", "organization": "acme"})
    assert answer.headers["location"].startswith("/signIn")


def moves_of(published: Deployment) -> list[str]:
    """What audit logs have of root logins, oldest first."""
    with published.store.session() as session:
        actions = session.scalars(select(AuditEntry.action).order_by(AuditEntry.at, AuditEntry.id))
        return [action for action in actions if action.startswith("rootLogins.")]


def open_root(browser: httpx.Client, login: str) -> httpx.Response:
    """The form of the page that shows a new root login."""
    token = Page(browser.get("/signIn").text).fields["token"]
    return browser.post("/root", data={"token": token, "act": "open", "session": login})


def sign_in_with_password(browser: httpx.Client, published: Deployment) -> httpx.Response:
    email, password = "replaces-root@example.org", "Correct-horse 9 staple"
    sign_up(published.store, Passwords(8), email, password, "Ada", is_verified=True)
    fields = Page(browser.get("/signIn").text).fields
    return browser.post("/signIn", data=fields | {"email": email, "password": password})


@pytest.mark.parametrize("is_root_again", [False, True])
def test_a_login_ends_where_another_session_takes_its_place(
    visitor: httpx.Client, published: Deployment, is_root_again: bool
) -> None:
    login = sign_in_root(published.store, "acme")
    visitor.cookies.set(NAME, login)
    before = moves_of(published)
    if is_root_again:
        answer = open_root(visitor, sign_in_root(published.store))
    else:
        answer = sign_in_with_password(visitor, published)
    assert (answer.status_code, NAME in answer.cookies) == (303, True)
    assert moves_of(published)[len(before) :] == ["rootLogins.leave"]
    visitor.cookies.clear()
    visitor.cookies.set(NAME, login)
    assert visitor.get("/root").headers["location"].startswith("/signIn")


def test_a_login_that_the_browser_opens_again_goes_on(visitor: httpx.Client, published: Deployment) -> None:
    login = sign_in_root(published.store, "acme")
    visitor.cookies.set(NAME, login)
    assert open_root(visitor, login).status_code == 303
    visitor.cookies.clear()
    visitor.cookies.set(NAME, login)
    assert visitor.get(f"{HOME}/overview").status_code == 200


def test_an_act_that_the_page_does_not_have_leaves_no_organization(
    visitor: httpx.Client, published: Deployment
) -> None:
    visitor.cookies.set(NAME, sign_in_root(published.store, "acme"))
    assert send(visitor, "else").status_code == 400
    assert visitor.get(f"{HOME}/overview").status_code == 200
