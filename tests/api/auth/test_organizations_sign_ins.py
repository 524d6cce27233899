"""Signing in with a provider of an organization: whatever an admin sets up stays within the organization."""

import pytest
from sqlalchemy import select

from api.control.accounts.accounts import sign_up
from api.control.accounts.invitations import invite
from api.control.accounts.passwords import Passwords
from api.control.models import Account, Operation, SignInSession
from api.control.permissions import Role
from api.control.principals import OPERATOR
from api.control.snapshot.identities import mailbox_id
from api.control.store import ControlStore
from tests.api.auth.browsers import APP, Browser
from tests.api.auth.fake_provider import FakeProvider
from tests.api.auth.organizations_providers import NEW, PASSWORD, added, back, request, signed_in
from tests.api.people import join, make_account, sign_in


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
