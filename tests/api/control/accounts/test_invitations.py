"""Invitations: a repetition refreshes one, and only the invited account can accept it."""

import itertools
import threading
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from api.control.accounts import invitations, members, sessions
from api.control.accounts.mails import take_due
from api.control.accounts.throttles import Allowance, Try, take
from api.control.audit import Selection, list_entries
from api.control.errors import (
    AlreadyExists,
    ControlError,
    InvalidSetting,
    NotAllowed,
    NotFound,
    NotPossible,
)
from api.control.list_pages import ListQuery
from api.control.models import Account, Mail
from api.control.permissions import Role
from api.control.principals import OPERATOR
from api.control.store import ControlStore, open_store
from tests.api.people import Clock, join, make_account, principal
from tests.suite.tiers import fewer

GRACE = "Grace@Example.org"


@pytest.fixture
def acme(store: ControlStore) -> str:
    acme = store.ensure_organization("Acme").id
    join(store, acme, "owner")
    return acme


def pending(store: ControlStore, organization: str) -> list[invitations.InvitationRecord]:
    return list(invitations.list_invitations(store, organization, ListQuery(1000)).items)


@pytest.mark.parametrize(
    ("actor", "role"), list(itertools.product(["owner", "admin", "member", "viewer", "team_lead"], Role))
)
def test_invitations_by_role_of_the_actor(store: ControlStore, acme: str, actor: str, role: Role) -> None:
    who = principal(store, join(store, acme, actor))
    if role in (Role.ADMIN, Role.TEAM_LEAD):
        with pytest.raises(InvalidSetting):
            invitations.invite(store, who, acme, GRACE, role)
    elif actor == "owner" or (actor == "admin" and role is not Role.OWNER):
        assert invitations.invite(store, who, acme, GRACE, role).role is role
    else:
        with pytest.raises(NotAllowed):
            invitations.invite(store, who, acme, GRACE, role)


@pytest.mark.both_databases
def test_repeating_an_invitation_in_any_case_refreshes_it(
    store: ControlStore, clock: Clock, acme: str
) -> None:
    first = invitations.invite(store, OPERATOR, acme, GRACE, Role.MEMBER)
    clock.advance(days=3)
    second = invitations.invite(store, OPERATOR, acme, GRACE.upper(), Role.VIEWER)
    assert pending(store, acme) == [second]
    assert second.id == first.id
    assert second.expires_at == first.expires_at + timedelta(days=3)
    assert second.role is Role.VIEWER
    with pytest.raises(NotPossible):
        invitations.look_up(store, first.token)
    assert invitations.look_up(store, second.token) == second
    assert [take_due(store) is not None for _ in range(3)] == [True, True, False]


@pytest.mark.both_databases
def test_concurrent_inviters_of_the_same_addresses_neither_block_nor_mail_more(
    tmp_path: Path,
) -> None:
    store = open_store(tmp_path / "many")
    organizations = [store.ensure_organization(f"Company {number}").id for number in range(4)]
    owners = [principal(store, join(store, one, "owner")) for one in organizations]
    addresses = [f"g{number}@example.org" for number in range(6)]
    outcomes: list[object] = []

    def work(number: int) -> None:
        for email in addresses if number % 2 else addresses[::-1]:
            try:
                outcomes.append(
                    invitations.invite(
                        store, owners[number % 4], organizations[number % 4], email, Role.MEMBER
                    )
                )
                # Others count what they do, and sweep what is over.
                take(store, Try(Allowance("do something else", 1000, timedelta(microseconds=1)), email))
            except Exception as error:  # noqa: BLE001 # whatever it is, it is the finding
                outcomes.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one for one in outcomes if isinstance(one, Exception)] == []
    assert len(outcomes) == 8 * len(addresses)
    with store.session() as session:
        mailed = Counter(session.scalars(select(Mail.recipient)))
    # Each twice by each organization, which is less than any of them may.
    assert mailed == dict.fromkeys(addresses, 8)


@pytest.mark.both_databases
def test_an_administrator_takes_back_the_invitation_of_an_owner_and_makes_none(
    store: ControlStore, acme: str
) -> None:
    invitations.invite(store, OPERATOR, acme, GRACE, Role.OWNER)
    admin = principal(store, join(store, acme, "admin"))
    with pytest.raises(NotAllowed):
        invitations.invite(store, admin, acme, GRACE, Role.OWNER)
    # Refreshed, which is no error for any address that is pending.
    invitations.invite(store, admin, acme, GRACE, Role.VIEWER)
    assert [one.role for one in pending(store, acme)] == [Role.VIEWER]
    made = invitations.invite(store, OPERATOR, acme, GRACE, Role.OWNER)
    invitations.cancel_invitation(store, admin, acme, made.id)
    assert pending(store, acme) == []


@pytest.mark.both_databases
def test_a_member_is_not_invited(store: ControlStore, acme: str) -> None:
    join(store, acme, "viewer", make_account(store, GRACE))
    with pytest.raises(AlreadyExists, match="already a member"):
        invitations.invite(store, OPERATOR, acme, GRACE.lower(), Role.MEMBER)


@pytest.mark.both_databases
def test_accepting_makes_a_member_and_switches_the_session(store: ControlStore, acme: str) -> None:
    other = store.ensure_organization("Other").id
    account = join(store, other, "viewer", make_account(store, GRACE.lower()))
    who = principal(store, account)
    assert who.active_organization_id == other
    made = invitations.invite(store, OPERATOR, acme, GRACE, Role.MEMBER)
    invitations.accept_invitation(store, who, made.token)
    assert members.member(store, acme, account).role is Role.MEMBER
    switched = {one.id: one.active_organization_id for one in sessions.list_sessions(store, account)}
    assert switched[who.session_id or ""] == acme
    assert pending(store, acme) == []
    with pytest.raises(NotPossible):
        invitations.accept_invitation(store, who, made.token)
    log = [one.action for one in list_entries(store, acme, ListQuery(1000, "at"), Selection()).items]
    assert log == ["invitations.create", "invitations.accept"]


@pytest.mark.both_databases
def test_only_the_invited_account_can_accept(store: ControlStore, clock: Clock, acme: str) -> None:
    made = invitations.invite(store, OPERATOR, acme, GRACE, Role.OWNER)
    with pytest.raises(NotAllowed, match="another address"):
        invitations.accept_invitation(store, principal(store, make_account(store)), made.token)
    grace = make_account(store, GRACE)
    with store.session() as session:
        session.get_one(Account, grace).verified_at = None
    with pytest.raises(NotPossible, match="your address is not verified"):
        invitations.accept_invitation(store, principal(store, grace), made.token)
    with store.session() as session:
        session.get_one(Account, grace).verified_at = clock.at
    clock.at = made.expires_at
    with pytest.raises(NotPossible, match="expired"):
        invitations.accept_invitation(store, principal(store, grace), made.token)
    assert [one.id for one in pending(store, acme)] == [made.id]
    renewed = invitations.invite(store, OPERATOR, acme, GRACE, Role.OWNER)
    invitations.accept_invitation(store, principal(store, grace), renewed.token)


@pytest.mark.both_databases
def test_an_account_that_is_already_a_member_keeps_its_role(store: ControlStore, acme: str) -> None:
    made = invitations.invite(store, OPERATOR, acme, GRACE, Role.VIEWER)
    grace = join(store, acme, "admin", make_account(store, GRACE))
    invitations.accept_invitation(store, principal(store, grace), made.token)
    assert members.member(store, acme, grace).role is Role.ADMIN
    assert pending(store, acme) == []


@pytest.mark.both_databases
def test_a_cancelled_invitation_is_gone(store: ControlStore, acme: str) -> None:
    made = invitations.invite(store, OPERATOR, acme, GRACE, Role.MEMBER)
    with pytest.raises(NotFound):
        invitations.cancel_invitation(store, OPERATOR, store.ensure_organization("Other").id, made.id)
    invitations.cancel_invitation(store, OPERATOR, acme, made.id)
    with pytest.raises(NotFound):
        invitations.cancel_invitation(store, OPERATOR, acme, made.id)
    with pytest.raises(NotPossible):
        invitations.accept_invitation(store, principal(store, make_account(store, GRACE)), made.token)


@pytest.mark.both_databases
def test_concurrent_invitations_of_an_address_create_one_and_refresh_it(
    store: ControlStore, acme: str
) -> None:
    results: list[object] = []

    def invite() -> None:
        try:
            results.append(invitations.invite(store, OPERATOR, acme, GRACE, Role.MEMBER))
        except ControlError as error:
            results.append(error)

    threads = [threading.Thread(target=invite) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [isinstance(one, invitations.InvitationRecord) for one in results] == [True] * 8
    assert len(pending(store, acme)) == 1


@pytest.fixture(scope="module")
def invited(tmp_path_factory: pytest.TempPathFactory, database: str) -> tuple[ControlStore, str]:
    """A database with one invitation, and its link."""
    store = open_store(tmp_path_factory.mktemp("invited"))
    acme = store.ensure_organization("Acme").id
    return store, invitations.invite(store, OPERATOR, acme, GRACE, Role.MEMBER).token


@settings(deadline=None, max_examples=fewer(50))
@given(st.text(max_size=80))
def test_only_the_link_itself_opens_an_invitation(invited: tuple[ControlStore, str], text: str) -> None:
    store, token = invited
    assert invitations.look_up(store, token).email == GRACE
    for guess in (text, f"{token.partition('.')[0]}.{text}", token[:-1], token + "A"):
        with pytest.raises(NotPossible):
            invitations.look_up(store, guess)
