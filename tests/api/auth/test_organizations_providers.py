"""Settings of the identity providers of an organization, and what a change of them ends."""

import logging
from typing import Any

import pytest
from sqlalchemy import select

from api.control.accounts.members import change_role
from api.control.models import AuditEntry, IdentityProvider
from api.control.permissions import Role
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from tests.api.auth.browsers import APP, Browser
from tests.api.auth.fake_provider import CLIENT, ISSUER, SECRET, FakeProvider
from tests.api.auth.organizations_providers import NEW, added, back, request, signed_in
from tests.api.people import join, make_account, stored


def test_a_provider_is_added_listed_changed_and_removed_without_its_secret_in_any_answer(
    browser: Browser, people: ControlStore, owner: str, acme: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    made = added(browser, owner, domains=["Acme.example", "@acme.example"])
    assert made["domains"] == ["acme.example"]
    assert made["redirectUrl"] == f"{APP}/auth/callback/{made['id']}"
    assert made["signsInOwners"]
    answers = [
        request(browser, "GET", "identityProviders", owner),
        request(browser, "GET", f"identityProviders/{made['id']}", owner),
        request(
            browser,
            "PATCH",
            f"identityProviders/{made['id']}",
            owner,
            {"name": "Log in", "clientSecret": "n3w-s3cret"},
        ),
    ]
    assert answers[0].json()["totalSize"] == 1
    assert answers[1].json() == made
    assert answers[2].json() == made | {"name": "Log in"}
    assert request(browser, "DELETE", f"identityProviders/{made['id']}", owner).json() == {}
    assert request(browser, "GET", f"identityProviders/{made['id']}", owner).status_code == 404
    with people.session() as session:
        logged = session.scalars(select(AuditEntry.action).where(AuditEntry.target_id == made["id"])).all()
    assert sorted(logged) == [
        f"identityProviders.{verb}" for verb in ("create", "remove", "replaceSecret", "update")
    ]
    shown = "".join(answer.text for answer in answers) + caplog.text + stored(people)
    for secret in (SECRET, "n3w-s3cret"):
        assert secret not in shown
        assert secret.encode().hex() not in shown


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"issuer": "http://203.0.113.9"}, "issuer"),
        ({"issuer": "https://user:pass@203.0.113.9"}, "issuer"),
        ({"issuer": "https://203.0.113.9?x"}, "issuer"),
        ({"issuer": "https://127.0.0.1"}, "issuer"),
        ({"issuer": "https://0177.0.0.1"}, "issuer"),
        ({"issuer": "https://0x5d.0xb8.0xd7.0xe/realms/acme"}, "issuer"),
        ({"issuer": "https://localhost"}, "issuer"),
        ({"issuer": "https://169.254.169.254"}, "issuer"),
        ({"issuer": "https://10.0.0.1:8443/realm"}, "issuer"),
        ({"issuer": "https://[::1]"}, "issuer"),
        ({"issuer": f"{ISSUER}/"}, "issuer"),
        ({"issuer": None}, "issuer"),
        ({"kind": "GOOGLE"}, "issuer"),
        ({"kind": "SAML"}, "kind"),
        ({"clientSecret": " "}, "clientSecret"),
        ({"clientSecret": "ä"}, "clientSecret"),
        ({"clientId": ""}, "clientId"),
        ({"name": " "}, "name"),
        ({"domains": ["example"]}, "domains"),
        ({"domains": ["*.example.org"]}, "domains"),
    ],
    ids=str,
)
def test_a_wrong_setting_is_named_and_nothing_is_stored(
    browser: Browser, people: ControlStore, owner: str, change: dict[str, Any], field: str
) -> None:
    answer = request(browser, "POST", "identityProviders", owner, NEW | change)
    assert answer.status_code == 400, answer.text
    assert field in answer.json()["message"] or field in answer.text
    with people.session() as session:
        assert session.scalars(select(IdentityProvider)).all() == []


def test_metadata_that_leads_inside_is_not_followed(browser: Browser, fake: FakeProvider, owner: str) -> None:
    for name in ("token_endpoint", "jwks_uri"):
        fake.metadata = {name: "https://127.0.0.1/inside"}
        made = added(browser, owner, name=name)
        answer = back(browser, fake, made["id"], "owner@acme.example", "owner")
        assert answer.status_code == 400
        assert "cannot be asked" in answer.text


def test_the_provider_of_an_admin_signs_no_owner_in(
    browser: Browser, fake: FakeProvider, people: ControlStore, owner: str, admin: str, acme: str
) -> None:
    made = added(browser, admin)
    assert not made["signsInOwners"]
    answer = back(browser, fake, made["id"], "owner@acme.example", "owner")
    assert answer.status_code == 403
    assert "does not sign in owners" in answer.text
    # A member who becomes an owner has no session left that an admin's provider began.
    bob = join(people, acme, "member", make_account(people, "bob@acme.example"))
    token = signed_in(browser, fake, made["id"], "bob@acme.example", "bob")["token"]
    key = request(browser, "POST", "tokens", token, {"name": "kept"}).json()["key"]
    assert browser.get("/api/v1/organizations/acme", key).status_code == 200
    change_role(people, OPERATOR, acme, bob, Role.OWNER)
    assert browser.get("/api/v1/organizations/acme", key).status_code == 401
    assert browser.get("/api/v1/organizations/acme", token).status_code == 401
    assert back(browser, fake, made["id"], "bob@acme.example", "bob").status_code == 403
    # An owner who saves it vouches for it; an admin who changes it takes that back.
    path = f"identityProviders/{made['id']}"
    assert not request(browser, "PATCH", path, owner, {"domains": []}).json()["signsInOwners"]
    named = {"issuer": ISSUER, "clientId": CLIENT}
    assert request(browser, "PATCH", path, owner, named).json()["signsInOwners"]
    assert signed_in(browser, fake, made["id"], "owner@acme.example", "owner")["activeOrganizationId"] == acme
    assert not request(browser, "PATCH", path, admin, {"clientId": "evil"}).json()["signsInOwners"]


def test_another_issuer_or_client_ends_what_the_provider_began(
    browser: Browser, fake: FakeProvider, people: ControlStore, owner: str, acme: str
) -> None:
    provider = added(browser, owner)["id"]
    join(people, acme, "member", make_account(people, "ada@acme.example"))
    path = f"identityProviders/{provider}"
    for change in ({"clientId": "other"}, None):
        token = signed_in(browser, fake, provider, "ada@acme.example", "ada")["token"]
        assert browser.get("/api/v1/organizations/acme", token).status_code == 200
        if change is None:
            request(browser, "DELETE", path, owner)
        else:
            fake.claims = {}
            assert request(browser, "PATCH", path, owner, change).status_code == 200
            assert request(browser, "PATCH", path, owner, {"clientId": CLIENT}).status_code == 200
        assert browser.get("/api/v1/organizations/acme", token).status_code == 401
    assert browser.post("/auth/startSignIn", {"provider": provider}).status_code == 404


def test_domains_bound_what_a_provider_vouches_for(
    browser: Browser, fake: FakeProvider, people: ControlStore, owner: str, acme: str
) -> None:
    provider = added(browser, owner, domains=["acme.example"])["id"]
    for address in ("ada@acme.example", "ada@sub.acme.example", "ada@acme.example.evil.example"):
        join(people, acme, "member", make_account(people, address))
    assert back(browser, fake, provider, "ada@acme.example", "1").status_code == 303
    for number, address in enumerate(("ada@sub.acme.example", "ada@acme.example.evil.example")):
        answer = back(browser, fake, provider, address, f"x{number}")
        assert answer.status_code == 403
        assert "addresses of your domain" in answer.text


def test_only_the_page_begins_the_way_to_an_organizations_provider(browser: Browser, owner: str) -> None:
    """An address of this service must not redirect wherever an admin of some organization says."""
    provider = added(browser, owner)["id"]
    answer = browser.open(f"{APP}/auth/start/{provider}")
    assert answer.status_code == 404
    assert "location" not in answer.headers


def test_there_are_at_most_ten_with_different_names(browser: Browser, owner: str) -> None:
    for number in range(10):
        added(browser, owner, name=f"Login {number}")
    more = request(browser, "POST", "identityProviders", owner, NEW | {"name": "One more"})
    assert (more.status_code, more.json()["code"]) == (400, 9)
    [first, *_] = request(browser, "GET", "identityProviders", owner).json()["identityProviders"]
    same = request(browser, "PATCH", f"identityProviders/{first['id']}", owner, {"name": "LOGIN 5"})
    assert same.status_code == 409
