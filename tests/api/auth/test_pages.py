"""The pages for signing in, whose scripts run on Node against a real server."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from api.control.accounts.accounts import account, sign_up
from api.control.accounts.invitations import invite
from api.control.accounts.links import Purpose, make_link
from api.control.accounts.passwords import Passwords
from api.control.permissions import Role
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from tests.api.auth.browsers import APP, Browser
from tests.api.auth.fake_provider import ADDRESS, HOST, ISSUER, FakeProvider
from tests.api.auth.organizations_providers import DEPLOYMENT_PROVIDER, NEW, PASSWORD
from tests.api.people import join, make_account, sign_in

PROGRAM = Path(__file__).parent / "page.mjs"
GO = f"Go to {HOST}"
COOKIE = "__Host-eas_sign_in"


@pytest.fixture(autouse=True)
def _node() -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed, on which the scripts of pages run")


@pytest.fixture
def deployment_provider() -> dict[str, str]:
    return DEPLOYMENT_PROVIDER


def shown(browser: Browser, page: str, press: str | list[str] | None = None, **more: Any) -> dict[str, Any]:
    """What a person sees who opens a page (and presses buttons)."""
    html = browser.open(f"{APP}{page}").text
    [script] = re.findall(r"<script>(.*)</script>", html, re.DOTALL)
    [done] = re.findall(r'<form data-done="([^"]*)"', html)
    given = {
        "script": script, "page": f"{APP}{page}", "server": browser.address, "done": done, "press": press,
        "cookies": {}, "storage": {},
    } | more  # fmt: skip
    run = subprocess.run(
        ["node", PROGRAM], input=json.dumps(given) + "\n", capture_output=True, text=True, timeout=60
    )
    assert run.returncode == 0, run.stderr
    body: dict[str, Any] = json.loads(run.stdout)
    return body


def test_the_page_offers_what_an_organization_has(browser: Browser, people: ControlStore, acme: str) -> None:
    owner = sign_in(people, join(people, acme, "owner", make_account(people)))
    answer = browser.post("/api/v1/organizations/acme/identityProviders", NEW, owner)
    assert answer.status_code == 200, answer.text
    assert shown(browser, "/auth/signIn")["buttons"] == [GO]
    seen = shown(browser, "/auth/signIn?organization=acme", press=GO)
    assert (seen["buttons"], seen["texts"]) == ([GO] * 2, ["Single sign-on", "Acme login"])
    assert seen["left"].startswith(f"{ISSUER}/authorize?")
    assert COOKIE in seen["cookies"]


def test_a_name_is_no_part_of_a_button(browser: Browser, people: ControlStore, acme: str) -> None:
    owner = sign_in(people, join(people, acme, "owner", make_account(people)))
    name = "Google (accounts.google.com)"
    browser.post("/api/v1/organizations/acme/identityProviders", NEW | {"name": name}, owner)
    seen = shown(browser, "/auth/signIn?organization=acme")
    assert (seen["buttons"], seen["texts"]) == ([GO] * 2, ["Single sign-on", name])


@pytest.mark.parametrize(
    ("endpoint", "host"),
    [
        ("https://evil.example/authorize", "evil.example"),
        (f"https://{HOST}.evil.example/authorize", f"{HOST}.evil.example"),
        (f"https://{HOST}:8443/authorize", f"{HOST}:8443"),
    ],
)
def test_another_host_than_the_one_shown_is_named_before_the_browser_goes_there(
    browser: Browser, fake: FakeProvider, endpoint: str, host: str
) -> None:
    fake.metadata = {"authorization_endpoint": endpoint}
    seen = shown(browser, "/auth/signIn", press=GO)
    assert (seen["left"], seen["buttons"]) == (None, [f"Go to {host}"])
    assert f"{HOST} sends you to {host} to sign in" in seen["said"]
    # Known now, and so shown at once.
    again = shown(browser, "/auth/signIn", press=f"Go to {host}")
    assert again["left"].startswith(f"{endpoint}?")


def test_whoever_knows_the_other_host_goes_on(browser: Browser, fake: FakeProvider) -> None:
    fake.metadata = {"authorization_endpoint": "https://sign-in.example:443/authorize"}
    seen = shown(browser, "/auth/signIn", press=[GO, "Go to sign-in.example"])
    assert seen["left"].startswith("https://sign-in.example:443/authorize?")
    assert shown(browser, "/auth/signIn")["buttons"] == ["Go to sign-in.example"]


def test_a_password_signs_in_and_the_page_remembers(browser: Browser, people: ControlStore) -> None:
    sign_up(people, Passwords(8), "ada@acme.example", PASSWORD, "Ada", is_verified=True)
    fields = {"email": "ada@acme.example", "password": PASSWORD}
    seen = shown(browser, "/auth/signIn", press="submit", fields=fields)
    assert seen["said"] == "You are signed in as ada@acme.example."
    again = shown(browser, "/auth/signIn", storage=seen["storage"])
    assert again["said"] == seen["said"]
    out = shown(browser, "/auth/signIn", storage=seen["storage"], press="Sign out")
    assert (out["storage"], out["left"]) == ({}, "/auth/signIn")
    assert browser.get("/auth/account", seen["storage"]["session"]).status_code == 401


def test_the_page_of_a_confirmation_takes_the_password_or_the_session_that_it_knows(
    browser: Browser, people: ControlStore
) -> None:
    for number, given in enumerate(("password", "session")):
        email = f"ada{number}@acme.example"
        made = sign_up(people, Passwords(8), email, PASSWORD, "Ada")
        secret = make_link(people, Purpose.VERIFICATION, made.id, email)
        page = f"/auth/verifyEmail#{secret}"
        assert "reset the password instead" in shown(browser, page, press="submit")["said"]
        more = {"fields": {"password": PASSWORD}}
        if given == "session":
            more = {"storage": {"session": sign_in(people, made.id)}}
        assert shown(browser, page, press="submit", **more)["said"] == "Thank you, the address is confirmed."
        assert account(people, made.id).is_verified


def test_an_invitation_goes_to_a_provider_and_back(
    browser: Browser, fake: FakeProvider, people: ControlStore, acme: str
) -> None:
    token = invite(people, OPERATOR, acme, ADDRESS, Role.MEMBER).token
    seen = shown(browser, f"/auth/invitation#{token}", press=GO)
    assert "invites a…@example.org to Acme as member" in seen["said"]
    # Out of the address bar, and not in the address of the provider.
    assert seen["hash"] == ""
    assert token not in seen["left"]
    browser.http.cookies.set(COOKIE, seen["cookies"][COOKIE], domain="eas.example")
    landed = browser.open(fake.sends_back(seen["left"])).headers["location"]
    last = shown(browser, landed.removeprefix(APP), cookies=seen["cookies"])
    assert last["said"] == "Welcome, you are a member now."
    assert last["hash"] == ""
    session = last["storage"]["session"]
    assert browser.get(f"/api/v1/organizations/{acme}", session).status_code == 200
    # Opened once more, from the history: used up.
    assert "completed already" in shown(browser, landed.removeprefix(APP), cookies=seen["cookies"])["said"]


def test_somebody_signed_in_accepts_by_opening_the_link(
    browser: Browser, people: ControlStore, acme: str
) -> None:
    ada = make_account(people, "ada@acme.example")
    session = sign_in(people, join(people, people.ensure_organization("First").id, "member", ada))
    other = invite(people, OPERATOR, acme, "grace@acme.example", Role.MEMBER).token
    seen = shown(browser, f"/auth/invitation#{other}", storage={"session": session})
    assert "this invitation is for another address" in seen["said"]
    assert "signed in as ada@acme.example" in seen["said"]
    own = invite(people, OPERATOR, acme, "ada@acme.example", Role.MEMBER).token
    seen = shown(browser, f"/auth/invitation#{own}", storage={"session": session})
    assert seen["said"] == "Welcome, you are a member now."
    [listed] = browser.get("/auth/sessions", session).json()["sessions"]
    assert listed["activeOrganizationId"] == acme


def test_an_unknown_invitation_says_so(browser: Browser) -> None:
    assert "this invitation is unknown" in shown(browser, "/auth/invitation#nothing")["said"]
