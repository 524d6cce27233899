"""The pages for signing up, for forgotten passwords and for confirming an address, end to end with their mails."""

import email
import re
import time
from email.policy import default
from pathlib import Path

import pytest

from api.control.accounts.accounts import account, sign_up
from api.control.accounts.links import Purpose, make_link
from api.control.accounts.passwords import RULES, Passwords
from api.control.store import ControlStore
from tests.api.auth.browsers import APP, Browser, other_browser
from tests.api.auth.organizations_providers import PASSWORD
from tests.api.auth.pages.conftest import EMAIL
from tests.api.auth.pages.visitor import Visitor
from tests.api.people import stored

BETTER = "Battery-8 lorry mast"
ADDRESS = "grace@navy.example"
FORMS = ("/signIn", "/signUp", "/requestPasswordReset", "/resetPassword", "/verifyEmail", "/invitation")


def mailed(data_dir: Path, page: str, *, wait: bool = True) -> str:
    """The link to a page that a mail brought; empty without one."""
    for _ in range(400 if wait else 20):
        for path in (data_dir / "outbox" / "mails").glob("*.eml"):
            text = email.message_from_bytes(path.read_bytes(), policy=default).get_content()
            if found := re.search(rf"^{re.escape(APP)}/{page}#\S+$", text, re.MULTILINE):
                return found[0]
        time.sleep(0.01)
    return ""


def signs_up(visitor: Visitor, password: str = PASSWORD, address: str = ADDRESS) -> Visitor:
    visitor.open("/signUp")
    return visitor.press("Make an account", name="Grace", email=address, password=password)


def test_somebody_signs_up_and_confirms_the_address_while_signed_in(visitor: Visitor, tmp_path: Path) -> None:
    signs_up(visitor)
    assert visitor.account == ADDRESS
    visitor.open(mailed(tmp_path, "verifyEmail"))
    assert f"{ADDRESS} is confirmed" in visitor.text
    assert visitor.browser.get("/auth/account", visitor.session).json()["isVerified"]
    visitor.open(mailed(tmp_path, "verifyEmail"))
    assert visitor.answer.status_code == 400
    assert "unknown, used or expired" in visitor.text


def test_a_registered_address_keeps_what_was_typed_but_the_password(visitor: Visitor, ada: str) -> None:
    signs_up(visitor, address=EMAIL)
    assert visitor.answer.status_code == 409
    assert f"{EMAIL} is already registered" in visitor.text
    fields = visitor.form("Make an account").fields
    assert (fields["name"], fields["email"], fields["password"]) == ("Grace", EMAIL, "")
    assert PASSWORD not in visitor.answer.text
    assert visitor.session == ""


def test_a_weak_password_is_refused_under_its_field_with_the_rules_that_it_lacks(visitor: Visitor) -> None:
    assert all(rule.description in visitor.open("/signUp").text for rule in RULES)
    signs_up(visitor, "short")
    assert visitor.answer.status_code == 400
    found = re.search(r'id="signUp-password-note" class="bad small">([^<]*)<', visitor.answer.text)
    assert found is not None
    begun, _, lacking = found[1].rstrip(".").partition(": ")
    assert begun == "The password needs more"
    assert {"at least 8 characters", "a digit"} <= set(lacking.split("; "))
    met = re.findall(r'<li data-rule="(\w+)" class="met">', visitor.answer.text)
    assert set(met) == {"LOWER_CASE", "UNCOMMON", "IMPERSONAL"}
    assert visitor.form("Make an account").fields["password"] == ""


def test_a_forgotten_password_is_replaced_once(visitor: Visitor, ada: str, tmp_path: Path) -> None:
    visitor.open("/signIn")
    assert "/requestPasswordReset" in visitor.page.links
    visitor.open("/requestPasswordReset").press("Send a link", email=EMAIL.upper())
    assert "a mail with a link is on its way" in visitor.text
    link = mailed(tmp_path, "resetPassword")
    visitor.open(link)
    assert EMAIL in visitor.text
    visitor.press("Set the password", password="weak")
    assert visitor.answer.status_code == 400
    assert "The password needs more: at least 8 characters" in visitor.text
    visitor.press("Set the password", password=BETTER)
    assert visitor.path == "/signIn?done=passwordReset"
    assert "Your password is changed" in visitor.text
    visitor.press("Sign in", email=EMAIL, password=BETTER)
    assert visitor.account == EMAIL
    visitor.open(link)
    assert visitor.answer.status_code == 400
    assert "unknown, used or expired; request another" in visitor.text
    assert "/requestPasswordReset" in visitor.page.links


def test_asking_tells_nothing_about_the_address(visitor: Visitor, ada: str, tmp_path: Path) -> None:
    pages = [
        visitor.open("/requestPasswordReset").press("Send a link", email=one).answer.text
        for one in (ADDRESS, EMAIL)
    ]
    assert pages[0] == pages[1]
    for _ in range(3):
        visitor.open("/requestPasswordReset").press("Send a link", email=EMAIL)
    assert visitor.answer.status_code == 429
    assert 0 < int(visitor.answer.headers["retry-after"]) <= 600
    assert visitor.form("Send a link").fields["email"] == EMAIL


def test_a_confirmation_takes_the_password_of_the_account(
    browser: Browser, visitor: Visitor, people: ControlStore, ada: str
) -> None:
    made = sign_up(people, Passwords(8), ADDRESS, BETTER, "Grace")
    secret = make_link(people, Purpose.VERIFICATION, made.id, ADDRESS)
    # Another account's session proves nothing.
    visitor.open("/signIn").press("Sign in", email=EMAIL, password=PASSWORD)
    visitor.open(f"{APP}/verifyEmail#{secret}").press("Confirm", password=PASSWORD)
    assert visitor.answer.status_code == 400
    assert "This is not the password of the account." in visitor.text
    assert not account(people, made.id).is_verified
    visitor.press("Confirm", password=BETTER)
    assert "is confirmed" in visitor.text
    assert account(people, made.id).is_verified


@pytest.mark.parametrize("path", ["/resetPassword", "/verifyEmail", "/invitation"])
def test_a_link_that_is_no_more_says_what_to_do(visitor: Visitor, path: str) -> None:
    visitor.open(f"{path}#nothing")
    assert visitor.answer.status_code == 400
    assert "This link does not work" in visitor.text
    assert "/signIn" in visitor.page.links


def test_a_form_of_another_site_changes_nothing(visitor: Visitor, people: ControlStore, ada: str) -> None:
    link = make_link(people, Purpose.PASSWORD_RESET, ada, EMAIL)
    fields = {
        "act": "reset", "link": link, "email": EMAIL, "password": BETTER, "name": "Ada", "provider": "google",
    }  # fmt: skip
    visitor.open("/signUp")
    token = visitor.form("Make an account").fields["token"]
    before = stored(people)
    stranger = other_browser(visitor.browser).http
    for path in (*FORMS, "/signIn/provider"):
        for more, headers in (
            ({}, {}),
            ({"token": "0" * 64}, {}),
            ({"token": token}, {"Origin": "https://evil.example"}),
            ({"token": token}, {"Origin": "null"}),
        ):
            answer = stranger.post(f"{APP}{path}", data=fields | more, headers=headers)
            assert answer.status_code == 403, (path, more, headers)
    assert stored(people) == before


@pytest.mark.parametrize("path", FORMS)
def test_former_addresses_lead_on_with_their_query(visitor: Visitor, path: str) -> None:
    answer = visitor.browser.open(f"{APP}/auth{path}?organization=acme")
    assert (answer.status_code, answer.headers["location"]) == (301, f"{path}?organization=acme")


@pytest.mark.parametrize("path", FORMS)
def test_each_page_leads_to_pages_that_exist(visitor: Visitor, path: str) -> None:
    links = visitor.open(path).page.links
    assert "/signIn" in links or path == "/signIn"
    for link in links:
        assert visitor.open(link).answer.status_code == 200, link
