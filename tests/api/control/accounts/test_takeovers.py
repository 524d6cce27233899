"""Nothing that somebody prepares with an address of another person outlasts the day on which its owner comes."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from sqlalchemy import select

from api.control.accounts import accounts, sessions, verification
from api.control.accounts.invitations import accept_invitation, invite
from api.control.accounts.links import Purpose, make_link
from api.control.accounts.members import put_member
from api.control.accounts.passwords import Passwords
from api.control.accounts.takeovers import take_over
from api.control.accounts.tokens import create_token, find_by_hash, list_tokens
from api.control.errors import NotAllowed, NotPossible
from api.control.identity_providers import joining
from api.control.identity_providers.flows import use_code
from api.control.identity_providers.kinds import ProviderKind
from api.control.identity_providers.providers import NewProvider, add_provider
from api.control.identity_providers.providers import provider as provider_of
from api.control.issued_tokens import key_hash
from api.control.models import Account, AccountIdentity, AuditEntry
from api.control.organizations.organizations import create_organization
from api.control.permissions import Role
from api.control.principals import OPERATOR, Principal
from api.control.store import ControlStore
from tests.api.control.identity_providers.sign_ins import ISSUER, added, recognized, signed_in
from tests.api.people import EVERY_WAY, join, make_account, principal, sign_in

pytestmark = pytest.mark.both_databases

CAROL = "carol@corp.example"
GOOD, BETTER = "Correct-horse 9 staple", "Battery-8 lorry mast"
PROVIDER = NewProvider(ProviderKind.OPENID_CONNECT, "Corp login", ISSUER, "eas", "s3cret")
passwords = Passwords(memory_kib=8)


@pytest.fixture
def squatter(store: ControlStore) -> str:
    return accounts.sign_up(store, passwords, CAROL, GOOD, "Not Carol").id


def made_key(store: ControlStore, actor: Principal, organization: str) -> bytes:
    return key_hash(create_token(store, organization, "kept", actor=actor).key)


def reset(store: ControlStore, account: str) -> None:
    accounts.reset_password(
        store, passwords, make_link(store, Purpose.PASSWORD_RESET, account, CAROL), BETTER
    )


def by_provider(store: ControlStore, _: str) -> None:
    signed_in(store, CAROL)


@pytest.mark.parametrize("take", [reset, by_provider])
def test_the_owner_of_an_address_ends_what_was_prepared(
    store: ControlStore, squatter: str, take: Callable[[ControlStore, str], None]
) -> None:
    corp = create_organization(store, principal(store, squatter), "Corp")
    provider = add_provider(store, principal(store, squatter), corp, PROVIDER)
    assert provider.signs_in_owners
    held = key_hash(sign_in(store, squatter))
    key = made_key(store, principal(store, squatter), corp)
    mailed = make_link(store, Purpose.VERIFICATION, squatter, CAROL)
    take(store, squatter)
    assert sessions.find_by_hash(store, held) is None
    found = find_by_hash(store, key)
    assert found is not None
    assert found[0].revoked_at is not None
    with pytest.raises(NotPossible):
        verification.verify_email(store, passwords, mailed, password=GOOD)
    with store.session() as session:
        scopes = session.scalars(select(AccountIdentity.scope)).all()
        assert provider.id not in scopes
        assert "tokens.revoke" in session.scalars(select(AuditEntry.action)).all()
    with pytest.raises(NotAllowed, match="does not sign in owners"):
        recognized(store, CAROL, CAROL, provider_of(store, corp, provider.id))


@pytest.mark.parametrize(("take", "name"), [(reset, "carol"), (by_provider, "Ada")])
def test_the_name_that_somebody_else_chose_ends_too(
    store: ControlStore, squatter: str, take: Callable[[ControlStore, str], None], name: str
) -> None:
    """The mailbox names its owner, and a provider says the name. Members see it, so the organization logs it."""
    acme = store.ensure_organization("Acme").id
    join(store, acme, Role.MEMBER, squatter)
    take(store, squatter)
    assert accounts.account(store, squatter).name == name
    with store.session() as session:
        [entry] = session.scalars(select(AuditEntry).where(AuditEntry.action == "members.rename"))
    assert (entry.organization_id, entry.before, entry.after) == (acme, {"name": "Not Carol"}, {"name": name})
    accounts.rename_account(store, principal(store, squatter), "Carol")
    reset(store, squatter)
    assert accounts.account(store, squatter).name == "Carol"


def test_a_reset_of_a_verified_account_keeps_its_keys(store: ControlStore) -> None:
    ada = accounts.sign_up(store, passwords, CAROL, GOOD, "Carol", is_verified=True).id
    corp = create_organization(store, principal(store, ada), "Corp")
    key = made_key(store, principal(store, ada), corp)
    reset(store, ada)
    found = find_by_hash(store, key)
    assert found is not None
    assert found[0].revoked_at is None
    assert sessions.list_sessions(store, ada) == []


def test_the_link_alone_verifies_nothing(store: ControlStore, squatter: str) -> None:
    secret = make_link(store, Purpose.VERIFICATION, squatter, CAROL)
    stranger = make_account(store)
    for proof in ({}, {"password": BETTER}, {"password": ""}, {"signed_in": stranger}):
        with pytest.raises(NotPossible, match="reset the password instead"):
            verification.verify_email(store, passwords, secret, **proof)
    assert not accounts.account(store, squatter).is_verified
    assert verification.verify_email(store, passwords, secret, password=GOOD).is_verified


def test_the_account_that_is_signed_in_needs_no_password(store: ControlStore, squatter: str) -> None:
    secret = make_link(store, Purpose.VERIFICATION, squatter, CAROL)
    assert verification.verify_email(store, passwords, secret, signed_in=squatter).is_verified


def test_a_password_that_changed_meanwhile_proves_nothing(store: ControlStore, squatter: str) -> None:
    secret = make_link(store, Purpose.VERIFICATION, squatter, CAROL)

    class Slow(Passwords):
        """Passwords whose check takes so long that the password is another one at its end."""

        def matches(self, stored: str | None, password: str) -> bool:
            found = super().matches(stored, password)
            accounts.change_password(store, passwords, squatter, GOOD, BETTER, keep_session=None)
            return found

    with pytest.raises(NotPossible):
        verification.verify_email(store, Slow(memory_kib=8), secret, password=GOOD)
    assert not accounts.account(store, squatter).is_verified


def an_organization(store: ControlStore, actor: Principal, _: str) -> object:
    return create_organization(store, actor, "Corp")


def a_provider(store: ControlStore, actor: Principal, organization: str) -> object:
    return add_provider(store, actor, organization, PROVIDER)


def a_key(store: ControlStore, actor: Principal, organization: str) -> object:
    return create_token(store, organization, "kept", actor=actor)


@pytest.mark.parametrize("make", [an_organization, a_provider, a_key])
@pytest.mark.parametrize(
    ("name", "value"), [("EAS_SMTP_URL", "smtp://mail.example"), ("EAS_DEPLOYMENT", "self_hosted")]
)
def test_an_unverified_account_leaves_nothing_behind(
    store: ControlStore,
    squatter: str,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[ControlStore, Principal, str], object],
    name: str,
    value: str,
) -> None:
    acme = store.ensure_organization("Acme").id
    join(store, acme, Role.OWNER, squatter)
    # A local deployment that sends no mails has no links to open.
    make(store, principal(store, squatter), acme)
    monkeypatch.setenv(name, value)
    with pytest.raises(NotPossible, match="your own address is not verified"):
        make(store, principal(store, squatter), acme)
    secret = make_link(store, Purpose.VERIFICATION, squatter, CAROL)
    verification.verify_email(store, passwords, secret, password=GOOD)
    if make is not a_provider:
        make(store, principal(store, squatter), acme)


def test_a_member_for_whom_the_organization_vouches_makes_keys(
    store: ControlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EAS_SMTP_URL", "smtp://mail.example")
    acme = store.ensure_organization("Acme").id
    invitation = invite(store, OPERATOR, acme, CAROL, Role.MEMBER)
    session = signed_in(store, CAROL, added(store, acme), invitation)
    caller = session.principal(store)
    assert caller is not None
    accept_invitation(store, caller, invitation.token)
    caller = session.principal(store)
    assert caller is not None
    made_key(store, caller, acme)


def test_the_operator_gives_no_role_to_an_account_that_nobody_verified(
    store: ControlStore, squatter: str
) -> None:
    acme = store.ensure_organization("Acme").id
    for grant in (
        lambda **more: put_member(store, OPERATOR, acme, CAROL, Role.OWNER, **more),
        lambda **more: accounts.make_administrator(store, CAROL, **more),
    ):
        with pytest.raises(NotPossible, match="--unverified"):
            grant()
    assert principal(store, squatter).memberships == ()
    assert not accounts.account(store, squatter).is_platform_administrator
    put_member(store, OPERATOR, acme, CAROL, Role.OWNER, may_be_unverified=True)
    accounts.make_administrator(store, CAROL, may_be_unverified=True)
    assert accounts.account(store, squatter).is_platform_administrator


@pytest.mark.parametrize("made", ["a key", "a session"])
def test_nothing_slips_through_while_the_owner_comes(
    store: ControlStore, squatter: str, made: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme = store.ensure_organization("Acme").id
    if made == "a key":
        actor = principal(store, join(store, acme, Role.MEMBER, squatter))
        work: Callable[[], object] = partial(create_token, store, acme, "kept", actor=actor)
        address = CAROL
    else:
        address = "eve@corp.example"
        code, browser = recognized(
            store, "eve", address, added(store, acme), invite(store, OPERATOR, acme, address, Role.MEMBER)
        )
        # The code is used already, and the session not yet begun.
        used = use_code(store, code, browser)
        monkeypatch.setattr(joining, "use_code", lambda *_: used)
        work = partial(joining.complete_sign_in, store, code, browser, EVERY_WAY)
    with ThreadPoolExecutor(1) as pool:
        with store.write_transaction() as session:
            row = session.scalars(select(Account).where(Account.email_key == address)).one()
            take_over(session, store, row, "Eve")
            waiting = pool.submit(work)
            # Long enough for it to wait for this transaction.
            time.sleep(0.5)
            assert not waiting.done()
        with pytest.raises((NotAllowed, NotPossible), match=r"session was ended|just changed"):
            waiting.result()
    assert [one.name for one in list_tokens(store, acme)] == []
    assert sessions.list_sessions(store, row.id) == []
