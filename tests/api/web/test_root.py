"""A root login at the dashboard: what it opens before and after it enters the organization, and how it gets there."""

from collections.abc import Iterator

import httpx
import pytest

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
