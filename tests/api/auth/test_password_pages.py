"""The pages for signing up and for forgotten passwords, and the ways from page to page."""

import email
import re
import shutil
import time
from collections.abc import Iterator
from email.policy import default
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin

import pytest

from api.control.accounts.accounts import sign_up
from api.control.accounts.invitations import cancel_invitation, invite
from api.control.accounts.passwords import Passwords
from api.control.permissions import Role
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from tests.api.auth.browsers import APP, Browser
from tests.api.auth.test_pages import shown
from tests.api.conftest import serving

PASSWORD = "Correct-horse 9 staple"
ADDRESS = "ada@acme.example"
PAGES = (
    "/",
    "/auth/signIn",
    "/auth/signedIn",
    "/auth/invitation",
    "/auth/signUp",
    "/auth/requestPasswordReset",
    "/auth/resetPassword",
    "/auth/verifyEmail",
)
needs_node = pytest.mark.skipif(
    shutil.which("node") is None, reason="node is not installed, on which the scripts of pages run"
)


@pytest.fixture
def browser(tmp_path: Path, people: ControlStore) -> Iterator[Browser]:
    with serving(tmp_path, EAS_APP_URL=APP) as address:
        yield Browser(address)


@pytest.fixture
def without_passwords(tmp_path: Path, people: ControlStore) -> Iterator[Browser]:
    with serving(tmp_path, EAS_APP_URL=APP, EAS_PASSWORD_SIGN_IN=False) as address:
        yield Browser(address)


class Tags(HTMLParser):
    """The links of a page, the names of its fields, and the elements that are hidden at first."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.fields: set[str] = set()
        self.hidden: set[str] = set()
        self.viewports = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "a":
            self.links.add(given["href"] or "")
        if tag == "input":
            self.fields.add(given["name"] or "")
        if "hidden" in given:
            self.hidden.add(tag)
        self.viewports += given.get("name") == "viewport"


def tags(browser: Browser, path: str) -> Tags:
    answer = browser.http.get(f"{APP}{path}", headers={"Accept": "text/html"})
    assert answer.status_code == 200, answer.text
    return Tags(answer.text)


def linked(browser: Browser, path: str) -> set[str]:
    """The paths to which a page links."""
    found = {urljoin(f"{APP}{path}", link) for link in tags(browser, path).links}
    assert all(address.startswith(APP) for address in found)
    return {address.removeprefix(APP) for address in found}


@pytest.mark.parametrize("path", PAGES)
def test_links_lead_to_pages_that_exist_and_fit_a_phone(browser: Browser, path: str) -> None:
    found = linked(browser, path)
    assert found
    assert [other for other in found if browser.open(f"{APP}{other}").status_code != 200] == []
    assert tags(browser, path).viewports == 1


def test_the_page_for_signing_in_leads_to_a_new_account_and_a_new_password(browser: Browser) -> None:
    assert {"/auth/signUp", "/auth/requestPasswordReset"} <= linked(browser, "/auth/signIn")
    assert "/auth/signIn" in linked(browser, "/auth/signUp")


def test_where_no_passwords_are_taken_no_page_asks_for_one(without_passwords: Browser) -> None:
    for path in ("/auth/signIn", "/auth/invitation"):
        found = tags(without_passwords, path)
        assert not found.fields
        assert not {"signUp", "requestPasswordReset"} & found.links
    for path in ("/auth/signUp", "/auth/requestPasswordReset"):
        assert not tags(without_passwords, path).fields
        assert "takes no passwords" in without_passwords.open(f"{APP}{path}").text
        assert linked(without_passwords, path) == {"/auth/signIn"}


@needs_node
def test_somebody_signs_up_on_the_page_and_is_signed_in(browser: Browser) -> None:
    fields = {"email": ADDRESS, "password": PASSWORD, "name": "Ada"}
    seen = shown(browser, "/auth/signUp", press="submit", fields=fields)
    assert "Your account is ready" in seen["said"]
    assert browser.get("/auth/account", seen["storage"]["session"]).json()["email"] == ADDRESS
    again = shown(browser, "/auth/signUp", press="submit", fields=fields)
    assert "already" in again["said"]
    assert again["storage"] == {}


@needs_node
def test_a_weak_password_is_refused_on_the_page_with_its_rules(browser: Browser) -> None:
    fields = {"email": ADDRESS, "password": "short", "name": "Ada"}
    seen = shown(browser, "/auth/signUp", press="submit", fields=fields)
    assert "at least 8 characters" in seen["said"]
    assert seen["storage"] == {}


@needs_node
@pytest.mark.parametrize("is_known", [True, False])
def test_asking_for_a_new_password_mails_a_link_and_tells_nothing_about_the_address(
    browser: Browser, people: ControlStore, tmp_path: Path, is_known: bool
) -> None:
    if is_known:
        sign_up(people, Passwords(8), ADDRESS, PASSWORD, "Ada", is_verified=True)
    seen = shown(browser, "/auth/requestPasswordReset", press="submit", fields={"email": ADDRESS})
    assert seen["said"].startswith("If an account has this address, a mail")
    assert resets(tmp_path, wait=is_known) == is_known


def resets(data_dir: Path, *, wait: bool) -> bool:
    """Whether a mail with a link to a new password went out."""
    for _ in range(400 if wait else 20):
        for path in (data_dir / "outbox" / "mails").glob("*.eml"):
            text = email.message_from_bytes(path.read_bytes(), policy=default).get_content()
            if re.search(rf"^{re.escape(APP)}/auth/resetPassword#\S+$", text, re.MULTILINE):
                return True
        time.sleep(0.01)
    return False


@needs_node
@pytest.mark.parametrize("fate", ["unknown", "missing", "cancelled"])
def test_an_invalid_invitation_shows_no_form_and_what_to_do(
    browser: Browser, people: ControlStore, fate: str
) -> None:
    acme = people.ensure_organization("Acme").id
    made = invite(people, OPERATOR, acme, ADDRESS, Role.MEMBER)
    if fate == "cancelled":
        cancel_invitation(people, OPERATOR, acme, made.id)
    token = {"unknown": "nothing", "missing": "", "cancelled": made.token}[fate]
    assert tags(browser, "/auth/invitation").hidden == {"form"}
    seen = shown(browser, f"/auth/invitation#{token}")
    assert seen["said"].startswith("This link does not work: this invitation is unknown")
    assert "ask for another" in seen["said"]
    assert seen["shows_form"] is False
    assert (seen["buttons"], seen["texts"]) == ([], ["Sign in"])


@needs_node
def test_a_valid_invitation_shows_the_form(browser: Browser, people: ControlStore) -> None:
    token = invite(people, OPERATOR, people.ensure_organization("Acme").id, ADDRESS, Role.MEMBER).token
    assert shown(browser, f"/auth/invitation#{token}")["shows_form"] is True


@needs_node
def test_where_no_way_to_sign_in_is_set_up_the_page_says_so(without_passwords: Browser) -> None:
    seen = shown(without_passwords, "/auth/signIn", without=["details"])
    assert "No way to sign in is set up here" in seen["said"]
