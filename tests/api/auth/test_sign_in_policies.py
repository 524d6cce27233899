"""Only what is configured is offered and accepted: options, rules of organizations, deployments without passwords."""

import email
import time
from email.policy import default
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from api.control.accounts.accounts import sign_up
from api.control.accounts.invitations import invite
from api.control.accounts.passwords import Passwords
from api.control.models import AuditEntry
from api.control.permissions import Role
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from tests.api.auth.browsers import APP, Browser
from tests.api.auth.fake_provider import HOST, FakeProvider, answering
from tests.api.auth.organizations_providers import DEPLOYMENT_PROVIDER, NEW, PASSWORD, request
from tests.api.conftest import serving
from tests.api.people import join, make_account, sign_in

DEPLOYMENT = {"id": "openid_connect", "kind": "OPENID_CONNECT", "name": "Everybody", "host": HOST}


@pytest.fixture
def deployment_provider() -> dict[str, str]:
    return DEPLOYMENT_PROVIDER | {"NAME": "Everybody"}


def options(browser: Browser, organization: str | None = None) -> dict[str, Any]:
    query = {} if organization is None else {"organization": organization}
    answer = browser.http.get(f"{APP}/auth/options", params=query)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def member(people: ControlStore, organization: str, address: str) -> str:
    made = sign_up(people, Passwords(8), address, PASSWORD, "Somebody", is_verified=True)
    return join(people, organization, "member", made.id)


def with_password(browser: Browser, address: str, **more: str) -> httpx.Response:
    return browser.post("/auth/signIn", {"email": address, "password": PASSWORD, **more})


def with_provider(
    browser: Browser, fake: FakeProvider, address: str, provider: str = "openid_connect"
) -> str:
    fake.claims = {"sub": address, "email": address}
    done = browser.complete(fake.sends_back(browser.begin(provider)))
    assert done.status_code == 200, done.text
    return str(done.json()["token"])


def test_options_list_what_is_configured_and_tell_nothing_of_an_unknown_organization(
    browser: Browser, owner: str
) -> None:
    usual = {"password": {"isOffered": True, "providerDomains": []}, "identityProviders": [DEPLOYMENT]}
    for organization in (None, "acme", "nowhere", "0" * 36, "a\0b", "ä"):
        assert options(browser, organization) == usual
    made = request(browser, "POST", "identityProviders", owner, NEW).json()
    own = {"id": made["id"], "kind": "OPENID_CONNECT", "name": "Acme login", "host": HOST}
    assert options(browser, "acme") == usual | {"identityProviders": [DEPLOYMENT, own]}
    request(
        browser, "PATCH", "signInPolicy", owner, {"hasPasswordSignIn": False, "hasDeploymentProviders": False}
    )
    assert options(browser, "acme") == {
        "password": {"isOffered": False, "providerDomains": []},
        "identityProviders": [own],
    }
    assert options(browser, "nowhere") == usual


def test_addresses_of_a_domain_need_the_provider(
    browser: Browser, fake: FakeProvider, people: ControlStore, owner: str, acme: str
) -> None:
    member(people, acme, "ada@acme.example")
    member(people, acme, "guest@else.example")
    held = with_password(browser, "ada@acme.example").json()["token"]
    changed = request(browser, "PATCH", "signInPolicy", owner, {"providerDomains": ["Acme.example"]})
    assert changed.json()["providerDomains"] == ["acme.example"]
    refused = with_password(browser, "ada@acme.example", organization="acme")
    assert (refused.status_code, refused.json()["code"]) == (403, 7)
    assert "sign in with one of its identity providers" in refused.json()["message"]
    # A session that began earlier too, at its next request.
    shut = browser.get("/api/v1/organizations/acme", held)
    assert shut.status_code == 403
    assert "sign in with one of its identity providers" in shut.json()["message"]
    assert browser.post("/auth/switchOrganization", {"organization": "acme"}, held).status_code == 403
    assert with_password(browser, "guest@else.example").status_code == 200
    token = with_provider(browser, fake, "ada@acme.example")
    assert browser.get("/api/v1/organizations/acme", token).status_code == 200
    with people.session() as session:
        [entry] = session.scalars(
            select(AuditEntry).where(AuditEntry.action == "organizations.changeSignInPolicy")
        )
    assert entry.after is not None
    assert entry.after["providerDomains"] == ["acme.example"]


def test_a_wrong_password_tells_nothing_about_the_rule(
    browser: Browser, people: ControlStore, owner: str, acme: str
) -> None:
    member(people, acme, "ada@acme.example")
    request(browser, "PATCH", "signInPolicy", owner, {"providerDomains": ["acme.example"]})
    answers = [
        browser.post("/auth/signIn", {"email": address, "password": "wrong"})
        for address in ("ada@acme.example", "nobody@acme.example")
    ]
    assert [answer.status_code for answer in answers] == [401, 401]
    assert answers[0].text == answers[1].text


def test_an_owner_always_gets_in_with_a_password(browser: Browser, fake: FakeProvider, owner: str) -> None:
    request(browser, "POST", "identityProviders", owner, NEW)
    closed = {
        "hasPasswordSignIn": False,
        "hasDeploymentProviders": False,
        "providerDomains": ["acme.example"],
    }
    assert request(browser, "PATCH", "signInPolicy", owner, closed).json() == closed
    token = with_password(browser, "owner@acme.example", organization="acme").json()["token"]
    assert request(browser, "PATCH", "signInPolicy", token, {"hasPasswordSignIn": True}).status_code == 200
    assert (
        browser.get(
            "/api/v1/organizations/acme", with_provider(browser, fake, "owner@acme.example")
        ).status_code
        == 200
    )


def test_the_rule_of_one_organization_binds_no_other(
    browser: Browser, people: ControlStore, owner: str, acme: str
) -> None:
    other = people.ensure_organization("Other", slug="other").id
    join(people, other, "member", member(people, acme, "ada@acme.example"))
    request(browser, "PATCH", "signInPolicy", owner, {"hasPasswordSignIn": False})
    signed = with_password(browser, "ada@acme.example").json()
    assert signed["activeOrganizationId"] == other
    assert browser.get("/api/v1/organizations/other", signed["token"]).status_code == 200
    assert browser.get("/api/v1/organizations/acme", signed["token"]).status_code == 403
    assert with_password(browser, "ada@acme.example", organization="acme").status_code == 403
    assert with_password(browser, "ada@acme.example", organization="nowhere").status_code == 200


def test_providers_of_the_deployment_can_be_shut_out(
    browser: Browser, fake: FakeProvider, people: ControlStore, owner: str, acme: str
) -> None:
    member(people, acme, "ada@acme.example")
    token = with_provider(browser, fake, "ada@acme.example")
    assert browser.get("/api/v1/organizations/acme", token).status_code == 200
    request(browser, "PATCH", "signInPolicy", owner, {"hasDeploymentProviders": False})
    assert browser.get("/api/v1/organizations/acme", token).status_code == 403
    link = invite(people, OPERATOR, acme, "grace@acme.example", Role.MEMBER).token
    for more in ({}, {"invitation": link}):
        asked = {"provider": "openid_connect", "organization": "acme"} | more
        begun = browser.post("/auth/startSignIn", asked)
        assert (begun.status_code, begun.json()["code"]) == (400, 9)
        assert "'acme' does not accept Everybody" in begun.json()["message"]


@pytest.mark.parametrize("way", ["a password", "a provider"])
def test_an_invitation_is_accepted_with_any_way_and_the_policy_decides_from_then_on(
    browser: Browser, fake: FakeProvider, people: ControlStore, owner: str, acme: str, way: str
) -> None:
    request(browser, "POST", "identityProviders", owner, NEW)
    closed = {"hasPasswordSignIn": False, "hasDeploymentProviders": False}
    assert request(browser, "PATCH", "signInPolicy", owner, closed).status_code == 200
    link = invite(people, OPERATOR, acme, "grace@acme.example", Role.MEMBER).token
    sign_up(people, Passwords(8), "grace@acme.example", PASSWORD, "Grace", is_verified=True)
    if way == "a password":
        done = with_password(browser, "grace@acme.example", invitation=link)
    else:
        fake.claims = {"sub": "grace", "email": "grace@acme.example"}
        done = browser.complete(fake.sends_back(browser.begin("openid_connect", invitation=link)))
    assert done.json()["invitation"] == {"isAccepted": True, "problem": None}
    shut = browser.get("/api/v1/organizations/acme", done.json()["token"])
    assert shut.status_code == 403
    assert "sign in with one of its identity providers" in shut.json()["message"]


def test_signing_up_and_resetting_follow_the_rule(
    browser: Browser, people: ControlStore, owner: str, acme: str, tmp_path: Path
) -> None:
    member(people, acme, "ada@acme.example")
    request(browser, "PATCH", "signInPolicy", owner, {"providerDomains": ["acme.example"]})
    body = {"email": "new@acme.example", "password": PASSWORD, "name": "New"}
    assert browser.post("/auth/signUp", {**body, "organization": "acme"}).status_code == 403
    assert browser.post("/auth/signUp", body).status_code == 200
    asked = [
        browser.post("/auth/requestPasswordReset", {"email": address})
        for address in ("ada@acme.example", "owner@acme.example", "nobody@acme.example")
    ]
    assert {answer.text for answer in asked} == {"{}"}
    letters = {}
    for _ in range(400):
        for path in (tmp_path / "outbox" / "mails").glob("*.eml"):
            letter = email.message_from_bytes(path.read_bytes(), policy=default)
            letters[letter["To"]] = letter.get_content()
        if {"ada@acme.example", "owner@acme.example"} <= letters.keys():
            break
        time.sleep(0.01)
    assert "resetPassword#" in letters["owner@acme.example"]
    # Her password may open something else, and no organization decides about it.
    assert "resetPassword#" in letters["ada@acme.example"]


def test_nobody_shuts_all_members_out(
    tmp_path: Path, people: ControlStore, owner: str, fake: FakeProvider
) -> None:
    with answering({HOST: fake}), serving(tmp_path, EAS_APP_URL=APP, EAS_PRIVATE_HOSTS=HOST) as address:
        browser = Browser(address)
        for closed in ({"hasPasswordSignIn": False}, {"providerDomains": ["acme.example"]}):
            answer = request(browser, "PATCH", "signInPolicy", owner, closed)
            assert (answer.status_code, answer.json()["code"]) == (400, 9)
        made = request(browser, "POST", "identityProviders", owner, NEW).json()["id"]
        # Whatever it says of the deployment's providers: there are none.
        closings: tuple[dict[str, Any], ...] = (
            {"hasPasswordSignIn": False},
            {"hasDeploymentProviders": False},
            {"hasPasswordSignIn": True, "providerDomains": ["acme.example"]},
        )
        for more in closings:
            assert request(browser, "PATCH", "signInPolicy", owner, more).status_code == 200
            removed = request(browser, "DELETE", f"identityProviders/{made}", owner)
            assert (removed.status_code, removed.json()["code"]) == (400, 9)
        opened: dict[str, Any] = {"hasPasswordSignIn": True, "providerDomains": []}
        assert request(browser, "PATCH", "signInPolicy", owner, opened).status_code == 200
        assert request(browser, "DELETE", f"identityProviders/{made}", owner).status_code == 200


def test_a_deployment_without_passwords_takes_none(tmp_path: Path, people: ControlStore, owner: str) -> None:
    account = make_account(people)
    with serving(tmp_path, EAS_APP_URL=APP, EAS_PASSWORD_SIGN_IN=False) as address:
        browser = Browser(address)
        assert options(browser) == {
            "password": {"isOffered": False, "providerDomains": []},
            "identityProviders": [],
        }
        session = sign_in(people, account)
        answers = [
            with_password(browser, "owner@acme.example"),
            with_password(browser, "nobody@acme.example"),
            browser.post("/auth/signUp", {"email": "a@b.example", "password": PASSWORD, "name": "A"}),
            browser.post("/auth/requestPasswordReset", {"email": "owner@acme.example"}),
            browser.post("/auth/resetPassword", {"token": "x", "password": PASSWORD}),
            browser.post("/auth/changePassword", {"currentPassword": "x", "password": PASSWORD}, session),
        ]
        assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(400, 9)}
        assert {answer.json()["message"] for answer in answers} == {
            "this deployment takes no passwords; sign in with an identity provider (GET /auth/options)"
        }


def test_nobody_is_held_or_locked_out_by_an_organization(
    browser: Browser, people: ControlStore, owner: str, acme: str
) -> None:
    """A hostile one too: its only member signs in, sees that she is in it, and leaves."""
    ada = member(people, acme, "ada@acme.example")
    request(browser, "PATCH", "signInPolicy", owner, {"providerDomains": ["acme.example"]})
    signed = with_password(browser, "ada@acme.example")
    assert (signed.status_code, signed.json()["activeOrganizationId"]) == (200, None)
    token = signed.json()["token"]
    assert browser.get("/auth/account", token).json()["id"] == ada
    [listed] = browser.get("/api/v1/organizations", token).json()["organizations"]
    assert (listed["id"], listed["lastDeliveredOn"]) == (acme, None)
    for method, path in (("GET", ""), ("GET", "/members"), ("POST", "/tokens"), ("GET", "/me")):
        address = f"{APP}/api/v1/organizations/acme{path}"
        body = {"name": "mine"} if method == "POST" else None
        shut = browser.http.request(method, address, json=body, headers={"Authorization": f"Bearer {token}"})
        assert shut.status_code == 403, (path, shut.text)
        assert "sign in with one of its identity providers" in shut.json()["message"]
    assert request(browser, "POST", "me:leave", token, {}).status_code == 200
    assert browser.get("/api/v1/organizations", token).json()["totalSize"] == 0
    assert browser.get("/api/v1/organizations/acme", token).status_code == 404
