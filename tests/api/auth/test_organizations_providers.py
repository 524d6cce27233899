"""Identity providers of organizations: anything an admin sets up must stay within the organization."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from api.control.accounts.accounts import sign_up
from api.control.accounts.invitations import invite
from api.control.accounts.members import change_role
from api.control.accounts.passwords import Passwords
from api.control.models import Account, AuditEntry, IdentityProvider, Operation, SignInSession
from api.control.permissions import Role
from api.control.principals import OPERATOR
from api.control.snapshot.identities import mailbox_id
from api.control.store import ControlStore, open_store
from tests.api.auth.browsers import APP, Browser
from tests.api.auth.fake_provider import CLIENT, HOST, ISSUER, SECRET, FakeProvider, answering
from tests.api.conftest import serving
from tests.api.people import join, make_account, sign_in, stored

PASSWORD = "Correct-horse 9 staple"
NEW = {
    "kind": "OPENID_CONNECT",
    "name": "Acme login",
    "issuer": ISSUER,
    "clientId": CLIENT,
    "clientSecret": SECRET,
}


@pytest.fixture
def people(tmp_path: Path) -> Iterator[ControlStore]:
    made = open_store(tmp_path)
    yield made
    made.close()


@pytest.fixture
def acme(people: ControlStore) -> str:
    return people.ensure_organization("Acme", slug="acme").id


@pytest.fixture
def other(people: ControlStore) -> str:
    return people.ensure_organization("Other", slug="other").id


@pytest.fixture
def fake() -> FakeProvider:
    return FakeProvider()


@pytest.fixture
def browser(tmp_path: Path, people: ControlStore, fake: FakeProvider) -> Iterator[Browser]:
    with answering({HOST: fake}), serving(tmp_path, EAS_APP_URL=APP, EAS_PRIVATE_HOSTS=HOST) as address:
        yield Browser(address)


@pytest.fixture
def owner(people: ControlStore, acme: str) -> str:
    return sign_in(people, join(people, acme, "owner", make_account(people, "owner@acme.example")))


@pytest.fixture
def admin(people: ControlStore, acme: str) -> str:
    return sign_in(people, join(people, acme, "admin", make_account(people, "admin@acme.example")))


def request(browser: Browser, method: str, path: str, session: str, body: Any = None) -> httpx.Response:
    address = f"{APP}/api/v1/organizations/acme/{path}"
    return browser.http.request(method, address, json=body, headers={"Authorization": f"Bearer {session}"})


def added(browser: Browser, session: str, **more: Any) -> dict[str, Any]:
    answer = request(browser, "POST", "identityProviders", session, NEW | more)
    assert answer.status_code == 200, answer.text
    made: dict[str, Any] = answer.json()
    return made


def back(
    browser: Browser, fake: FakeProvider, provider: str, address: str, subject: str, **more: Any
) -> httpx.Response:
    """The callback of somebody with this address."""
    fake.claims = {"sub": subject, "email": address}
    return browser.open(fake.sends_back(browser.begin(provider, **more)))


def signed_in(
    browser: Browser, fake: FakeProvider, provider: str, address: str, subject: str, **more: Any
) -> dict[str, Any]:
    answer = back(browser, fake, provider, address, subject, **more)
    assert answer.status_code == 303, answer.text
    code = answer.headers["location"].partition("#")[2]
    done = browser.post("/auth/completeSignIn", {"code": code})
    assert done.status_code == 200, done.text
    body: dict[str, Any] = done.json()
    return body


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


def test_a_member_signs_in_and_the_session_reaches_this_organization_alone(
    browser: Browser, fake: FakeProvider, people: ControlStore, owner: str, acme: str, other: str
) -> None:
    provider = added(browser, owner)["id"]
    ada = make_account(people, "ada@acme.example", administrator=True)
    join(people, other, "owner", join(people, acme, "member", ada))
    done = signed_in(browser, fake, provider, "ADA@acme.example", "ada")
    token = done["token"]
    assert (done["account"]["id"], done["activeOrganizationId"]) == (ada, acme)
    assert browser.get("/api/v1/organizations/acme", token).status_code == 200
    assert browser.get("/api/v1/organizations/other", token).status_code == 404
    listed = browser.get("/api/v1/organizations", token).json()["organizations"]
    assert [one["id"] for one in listed] == [acme]
    # Not as a platform administrator, who may see all of them.
    assert browser.get("/api/v1/organizations?all=true", token).status_code == 403
    assert request(browser, "PATCH", "plan", token, {"plan": "PAID", "commitLimit": 5}).status_code == 403
    # Nor the account, which belongs to other organizations too.
    for method, path, body in (
        ("PATCH", "/auth/account", {"name": "Eve"}),
        ("POST", "/auth/changePassword", {"currentPassword": PASSWORD, "password": PASSWORD}),
        ("POST", "/auth/signOutEverywhere", {}),
        ("GET", "/auth/sessions", None),
        ("POST", "/auth/requestEmailVerification", {}),
        ("POST", "/api/v1/organizations", {"name": "Mine"}),
    ):
        answer = browser.http.request(
            method, f"{APP}{path}", json=body, headers={"Authorization": f"Bearer {token}"}
        )
        assert answer.status_code == 403, (path, answer.text)
        assert "sign in" in answer.json()["message"]
    switched = browser.post("/auth/switchOrganization", {"organization": "other"}, token)
    assert switched.status_code == 404
    foreign = invite(people, OPERATOR, people.ensure_organization("Third").id, "ada@acme.example", Role.OWNER)
    assert browser.post("/auth/acceptInvitation", {"token": foreign.token}, token).status_code == 403
    assert browser.post("/auth/signOut", {}, token).status_code == 200


def test_the_role_of_the_platform_does_not_come_with_it(
    browser: Browser, fake: FakeProvider, people: ControlStore, owner: str, acme: str
) -> None:
    """What a platform administrator may add to the role of an admin, checked inside the transaction too."""
    provider = added(browser, owner)["id"]
    ada = join(people, acme, "admin", make_account(people, "ada@acme.example", administrator=True))
    token = signed_in(browser, fake, provider, "ada@acme.example", "ada")["token"]
    invited = {"email": "new@acme.example", "role": "OWNER"}
    refused = request(browser, "POST", "invitations", token, invited)
    assert refused.status_code == 403
    assert "only an owner may" in refused.json()["message"]
    assert request(browser, "POST", "invitations", sign_in(people, ada), invited).status_code == 200


@pytest.mark.parametrize("role", ["owner", "admin", "member"])
def test_a_malicious_issuer_signs_nobody_of_another_organization_in(
    browser: Browser, fake: FakeProvider, people: ControlStore, owner: str, other: str, role: str
) -> None:
    provider = added(browser, owner)["id"]
    join(people, other, role, make_account(people, "victim@other.example"))
    make_account(people, "root@platform.example", administrator=True)
    for address in ("victim@other.example", "root@platform.example", "nobody@else.example"):
        answer = back(browser, fake, provider, address, address)
        assert answer.status_code == 403
        assert "o member of Acme has your address" in answer.text
    with people.session() as session:
        assert session.scalar(select(Account).where(Account.email_key == "nobody@else.example")) is None
        assert (
            session.scalars(select(SignInSession).where(SignInSession.signed_in_by == provider)).all() == []
        )


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
    assert request(browser, "PATCH", path, owner, {"domains": []}).json()["signsInOwners"]
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


def test_an_invited_person_joins_and_counts_as_verified_here_alone(
    browser: Browser, fake: FakeProvider, people: ControlStore, owner: str, acme: str, other: str
) -> None:
    provider = added(browser, owner)["id"]
    made = invite(people, OPERATOR, acme, "grace@acme.example", Role.MEMBER)
    done = signed_in(browser, fake, provider, "grace@acme.example", "grace", invitation=made.token)
    assert done["invitation"] == {"isAccepted": True, "problem": None}
    assert not done["account"]["isVerified"]
    account = done["account"]["id"]
    join(people, other, "member", account)
    for organization, is_counted in ((acme, True), (other, False)):
        rows = people.snapshot(organization)["member_mailboxes"]
        assert (
            mailbox_id(organization, "grace@acme.example") in [row["mailbox_id"] for row in rows]
        ) is is_counted
    with people.session() as session:
        written = session.scalars(select(Operation.action).where(Operation.organization_id == acme)).all()
    assert "invitations.accept" in written
    # The invitation of another organization does not go with it.
    foreign = invite(people, OPERATOR, other, "eve@acme.example", Role.MEMBER)
    refused = browser.post("/auth/startSignIn", {"provider": provider, "invitation": foreign.token})
    assert refused.status_code == 400


def test_an_account_that_somebody_prepared_is_not_let_in(
    browser: Browser, fake: FakeProvider, people: ControlStore, owner: str, acme: str
) -> None:
    """Its password is the intruder's, and would open the organization after the victim joins."""
    provider = added(browser, owner)["id"]
    sign_up(people, Passwords(8), "victim@acme.example", PASSWORD, "Intruder")
    made = invite(people, OPERATOR, acme, "victim@acme.example", Role.MEMBER)
    answer = back(browser, fake, provider, "victim@acme.example", "victim", invitation=made.token)
    assert answer.status_code == 403
    assert "reset the password of that account by mail" in answer.text


def test_providers_of_two_organizations_do_not_share_subjects(
    browser: Browser, fake: FakeProvider, people: ControlStore, owner: str, acme: str, other: str
) -> None:
    """The same issuer and subject is somebody else's word in each of them."""
    provider = added(browser, owner)["id"]
    join(people, acme, "member", make_account(people, "ada@acme.example"))
    signed_in(browser, fake, provider, "ada@acme.example", "same")
    boss = sign_in(people, join(people, other, "owner", make_account(people, "boss@other.example")))
    address = f"{APP}/api/v1/organizations/other/identityProviders"
    second = browser.http.post(address, json=NEW, headers={"Authorization": f"Bearer {boss}"}).json()["id"]
    join(people, other, "member", make_account(people, "bob@other.example"))
    assert (
        signed_in(browser, fake, second, "bob@other.example", "same")["account"]["email"]
        == "bob@other.example"
    )
    assert signed_in(browser, fake, provider, "x@x.example", "same")["account"]["email"] == "ada@acme.example"


def test_somebody_who_left_is_not_let_in(
    browser: Browser, fake: FakeProvider, people: ControlStore, owner: str, acme: str
) -> None:
    provider = added(browser, owner)["id"]
    ada = join(people, acme, "member", make_account(people, "ada@acme.example"))
    token = signed_in(browser, fake, provider, "ada@acme.example", "ada")["token"]
    assert request(browser, "DELETE", f"members/{ada}", owner).status_code == 200
    assert browser.get("/api/v1/organizations/acme", token).status_code == 401
    assert back(browser, fake, provider, "ada@acme.example", "ada").status_code == 403


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


def test_a_session_of_an_organization_is_told_nothing_about_the_account_beyond_it(
    browser: Browser, fake: FakeProvider, people: ControlStore, owner: str, acme: str
) -> None:
    provider = added(browser, owner)["id"]
    ada = join(people, acme, "member", make_account(people, "ada@acme.example", administrator=True))
    done = signed_in(browser, fake, provider, "ada@acme.example", "ada")
    link = invite(people, OPERATOR, acme, "eve@acme.example", Role.MEMBER).token
    joined = signed_in(browser, fake, provider, "eve@acme.example", "eve", invitation=link)
    again = invite(people, OPERATOR, acme, "bob@acme.example", Role.MEMBER).token
    lost = browser.begin(provider, invitation=again)
    fake.claims = {"sub": "ada", "email": "ada@acme.example"}
    invite(people, OPERATOR, acme, "bob@acme.example", Role.MEMBER)
    for shown in (
        done["account"],
        joined["account"],
        browser.complete(fake.sends_back(lost)).json()["account"],
        browser.get("/auth/account", done["token"]).json(),
    ):
        assert shown["isPlatformAdministrator"] is None
        assert shown["createdAt"] is None
    own = browser.get("/auth/account", sign_in(people, ada)).json()
    assert own["isPlatformAdministrator"]
    assert own["createdAt"]


def test_an_existing_account_joins_by_its_own_session_first(
    browser: Browser, fake: FakeProvider, people: ControlStore, owner: str, acme: str
) -> None:
    provider = added(browser, owner)["id"]
    request(browser, "PATCH", "signInPolicy", owner, {"hasPasswordSignIn": False})
    ann = sign_in(people, make_account(people, "ann@corp.example"))
    link = invite(people, OPERATOR, acme, "ann@corp.example", Role.MEMBER).token
    refused = back(browser, fake, provider, "ann@corp.example", "ann", invitation=link)
    assert refused.status_code == 403
    assert "open the link of the invitation" in refused.text
    assert browser.post("/auth/acceptInvitation", {"token": link}, ann).status_code == 200
    assert browser.get("/api/v1/organizations/acme", ann).status_code == 403
    token = signed_in(browser, fake, provider, "ann@corp.example", "ann")["token"]
    assert browser.get("/api/v1/organizations/acme", token).status_code == 200
