"""Accounts, addresses and invitations when a real identity provider signs people in."""

import pytest
from sqlalchemy import select

from api.control.accounts.accounts import sign_up
from api.control.accounts.invitations import invite
from api.control.accounts.passwords import Passwords
from api.control.accounts.tokens import create_token
from api.control.models import AccountIdentity, ApiToken, Operation
from api.control.permissions import Role
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from tests.api.auth.browsers import Browser, other_browser
from tests.api.auth.real_provider.conftest import ID, SessionCount
from tests.api.people import account_of, join, make_account, principal, sign_in
from tests.identity_provider.running import RealProvider

PASSWORD = "Correct-horse 9 staple"


@pytest.mark.parametrize("verified", [False, None, "yes"])
def test_an_address_that_is_not_verified_joins_and_makes_no_account(
    browser: Browser,
    provider: RealProvider,
    people: ControlStore,
    session_count: SessionCount,
    verified: object,
) -> None:
    address = f"ada-{verified}@eight.example".lower()
    made = make_account(people, address)
    claims = {} if verified is None else {"email_verified": verified}
    for name in (address, f"new-{address}"):
        provider.signs_in(f"ada-8-{name}", email=name, **claims)
        answer = browser.open(browser.way(ID))
        assert answer.status_code == 400
        assert "does not confirm that your e-mail address is yours" in answer.text
    assert session_count.new() == 0
    assert account_of(people, f"new-{address}") is None
    with people.session() as session:
        assert session.scalars(select(AccountIdentity).where(AccountIdentity.account_id == made)).all() == []


def test_a_verified_account_keeps_its_password_and_sessions(
    browser: Browser, provider: RealProvider, people: ControlStore
) -> None:
    made = sign_up(people, Passwords(8), "ada@nine.example", PASSWORD, "Ada", is_verified=True)
    session = sign_in(people, made.id)
    provider.signs_in("ada-9", email="ADA@nine.example", email_verified=True, name="Another name")
    joined = browser.sign_in(ID)
    assert joined["account"]["id"] == made.id
    assert joined["account"]["name"] == "Ada"
    assert browser.get("/auth/account", session).status_code == 200
    signed = browser.post("/auth/signIn", {"email": "ada@nine.example", "password": PASSWORD})
    assert signed.status_code == 200


def test_whoever_signed_up_with_a_foreign_address_loses_everything_to_its_owner(
    browser: Browser, provider: RealProvider, people: ControlStore
) -> None:
    intruder = sign_up(people, Passwords(8), "victim@ten.example", PASSWORD, "Intruder")
    held = sign_in(people, intruder.id)
    own = people.ensure_organization("Trap").id
    join(people, own, "owner", intruder.id)
    key = create_token(people, own, "kept", scope="write", actor=principal(people, intruder.id)).key
    provider.signs_in("victim", email="victim@ten.example", email_verified=True)
    made = browser.sign_in(ID)
    assert made["account"]["id"] == intruder.id
    assert made["account"]["isVerified"]
    for credential in (held, key):
        assert browser.get("/api/v1/organizations", credential).status_code == 401
    refused = browser.post("/auth/signIn", {"email": "victim@ten.example", "password": PASSWORD})
    assert refused.status_code == 401
    with people.session() as session:
        assert session.scalar(select(ApiToken.revoked_at).where(ApiToken.name == "kept")) is not None
        # The address counts as a member's own from now on, which recalculates figures.
        actions = session.scalars(select(Operation.action).where(Operation.organization_id == own))
        assert "members.verifyEmail" in actions.all()


def test_an_address_that_passed_to_another_person_is_not_joined(
    browser: Browser, provider: RealProvider, session_count: SessionCount
) -> None:
    provider.signs_in("first", email="shared@eleven.example", email_verified=True)
    browser.sign_in(ID)
    provider.signs_in("second", email="shared@eleven.example", email_verified=True)
    other = other_browser(browser)
    answer = other.open(other.way(ID))
    assert (answer.status_code, session_count.new()) == (403, 1)
    assert "belongs to another person" in answer.text


def test_an_address_may_come_from_the_userinfo_endpoint(browser: Browser, provider: RealProvider) -> None:
    provider.set(conform=True)
    try:
        provider.signs_in("ada-16", email="ada@sixteen.example", email_verified=True, name="Ada")
        made = browser.sign_in(ID)
    finally:
        provider.set(conform=False)
    assert (made["account"]["email"], made["account"]["name"]) == ("ada@sixteen.example", "Ada")


def test_an_invitation_survives_the_round_trip(
    browser: Browser, provider: RealProvider, people: ControlStore
) -> None:
    acme = people.ensure_organization("Acme").id
    made = invite(people, OPERATOR, acme, "Grace@navy.example", Role.MEMBER)
    provider.signs_in("grace", email="grace@navy.example", email_verified=True, name="Grace")
    done = browser.sign_in(ID, invitation=made.token)
    assert done["invitation"] == {"isAccepted": True, "problem": None}
    assert done["activeOrganizationId"] == acme
    assert browser.get(f"/api/v1/organizations/{acme}", done["token"]).status_code == 200
    assert not [address for address in browser.seen if made.token in address or made.id in address]


def test_an_invitation_to_another_address_is_not_accepted_and_says_why(
    browser: Browser, provider: RealProvider, people: ControlStore
) -> None:
    acme = people.ensure_organization("Acme").id
    made = invite(people, OPERATOR, acme, "boss@navy.example", Role.OWNER)
    provider.signs_in("mallory", email="mallory@navy.example", email_verified=True)
    done = browser.sign_in(ID, invitation=made.token)
    assert not done["invitation"]["isAccepted"]
    assert "for another address" in done["invitation"]["problem"]
    assert done["activeOrganizationId"] is None
    # Refreshed meanwhile: the link of the flow is no longer valid.
    callback = browser.way(ID, invitation=made.token)
    invite(people, OPERATOR, acme, "boss@navy.example", Role.OWNER)
    late = browser.complete(callback).json()
    assert "unknown, or was accepted, cancelled or refreshed" in late["invitation"]["problem"]


def test_somebody_signed_in_accepts_by_the_link_which_switches_the_organization(
    browser: Browser, provider: RealProvider, people: ControlStore
) -> None:
    first, second = (people.ensure_organization(name).id for name in ("First", "Second"))
    provider.signs_in("joan", email="joan@navy.example", email_verified=True)
    one = browser.sign_in(
        ID, invitation=invite(people, OPERATOR, first, "joan@navy.example", Role.VIEWER).token
    )
    assert one["activeOrganizationId"] == first
    link = invite(people, OPERATOR, second, "joan@navy.example", Role.VIEWER).token
    accepted = browser.post("/auth/acceptInvitation", {"token": link}, one["token"])
    assert accepted.json() == {"activeOrganizationId": second}
    [listed] = browser.get("/auth/sessions", one["token"]).json()["sessions"]
    assert listed["activeOrganizationId"] == second
    foreign = invite(people, OPERATOR, second, "else@navy.example", Role.VIEWER).token
    refused = browser.post("/auth/acceptInvitation", {"token": foreign}, one["token"])
    assert refused.status_code == 403
    assert "sign in with the invited address" in refused.json()["message"]
