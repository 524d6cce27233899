"""A caller who loses a right between the authentication of a request and its write cannot write."""

import importlib
import inspect
import pkgutil

import pytest
from sqlalchemy import update

from api import control
from api.control.accounts import members, sessions, tokens
from api.control.errors import NotAllowed
from api.control.issued_tokens import key_hash
from api.control.models import Account, AuditEntry
from api.control.permissions import Role
from api.control.principals import OPERATOR, Principal
from api.control.store import ControlStore, open_store
from tests.api.control.tried_writes import PLATFORM, WRITES, attempt, each_write
from tests.api.people import join, make_account, principal

# What people do for themselves without being a member, or what calls one of WRITES.
FREE = {
    ("accounts.accounts", "rename_account"),
    ("audit", "record_for"),
    ("accounts.invitations", "accept_invitation"),
    ("accounts.members", "refuse_unless_owner"),
    ("organizations.organizations", "create_organization"),
    ("rights", "present_role"),
    # Refuse root alone.
    ("rights", "refuse_lasting"),
    ("rights", "refuse_more_rights"),
    ("teams.teams", "refuse_showing_leads"),
    # Moves of a root login itself, which test_root_logins.py tries.
    ("accounts.root_logins", "enter"),
    ("accounts.root_logins", "leave"),
    ("rights", "refuse_unless_allowed"),
    # Within rename_account, and where the owner of an address takes an account over.
    ("accounts.account_names", "rename"),
    # Within the removal of a member, which is tried.
    ("accounts.tokens", "revoke_tokens"),
    # Within the creation and revocation of each kind of token, which are tried.
    ("issued_tokens", "issue"),
    ("issued_tokens", "revoke"),
    ("issued_tokens", "revoke_where"),
    # Within a change of a role or membership, which is tried.
    ("accounts.members", "end_what_an_admin_vouched_for"),
    # Within a change or the removal of an identity provider, which are tried.
    ("identity_providers.endings", "forget_all"),
    ("identity_providers.endings", "forget_outside"),
    # Refuse an unverified address alone.
    ("accounts.verified_addresses", "refuse_unverified"),
    ("accounts.verified_addresses", "refuse_leaving_behind"),
}
OWN = {
    ("commits.corrections", "file_correction"),
    ("accounts.members", "leave"),
    ("accounts.tokens", "create_token"),
    ("accounts.tokens", "revoke_token"),
    ("summaries.subscriptions", "subscribe"),
    ("summaries.subscriptions", "unsubscribe"),
}
"""What every role may."""
OF_OWNERS = ("plans.billing", "request_upgrade")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, database: str) -> ControlStore:
    return open_store(tmp_path_factory.mktemp("rights"))


@pytest.fixture
def acme(store: ControlStore) -> str:
    made = store.ensure_organization("Acme").id
    store.upsert_repository(made, "r1", name="a", origin="github.com/a/a")
    # The last owner could not be removed.
    join(store, made, Role.OWNER)
    return made


def authenticated(store: ControlStore, acme: str, name: tuple[str, str]) -> Principal:
    if name == PLATFORM:
        return principal(store, make_account(store, administrator=True))
    return principal(store, join(store, acme, least_role(name)))


def least_role(name: tuple[str, str]) -> Role:
    return Role.OWNER if name == OF_OWNERS else Role.ADMIN


def refused(store: ControlStore, name: tuple[str, str], actor: Principal, acme: str) -> bool:
    """Whether the write is refused. A refused write is not logged."""
    before = logged(store, actor)
    error = attempt(store, WRITES[name], actor, acme)
    if isinstance(error, NotAllowed):
        assert actor.actor[1] is not None
        assert logged(store, actor) == before
    return isinstance(error, NotAllowed)


def logged(store: ControlStore, actor: Principal) -> int:
    """The number of entries that an actor made."""
    with store.session() as session:
        return session.query(AuditEntry).filter_by(actor_id=actor.actor[1]).count()


def test_every_function_that_writes_for_somebody_is_tried_here() -> None:
    """Takes the functions from the modules, so a new one cannot be forgotten."""
    found = set()
    for module in pkgutil.walk_packages(control.__path__, "api.control."):
        if module.ispkg or module.name.startswith("api.control.migrations."):
            continue
        loaded = importlib.import_module(module.name)
        for key, function in inspect.getmembers(loaded, inspect.isfunction):
            is_own = function.__module__ == loaded.__name__ and not key.startswith("_")
            if is_own and "actor" in inspect.signature(function).parameters:
                found.add((module.name.removeprefix("api.control."), key))
    assert found == WRITES.keys() | FREE


@pytest.mark.both_databases
@each_write
def test_a_caller_with_the_right_can_write(store: ControlStore, acme: str, name: tuple[str, str]) -> None:
    assert not refused(store, name, authenticated(store, acme, name), acme)
    assert not refused(store, name, OPERATOR, acme)


@each_write
def test_a_removed_member_is_refused(store: ControlStore, acme: str, name: tuple[str, str]) -> None:
    actor = authenticated(store, acme, name)
    assert actor.account_id is not None
    if name == PLATFORM:
        with store.session() as session:
            session.execute(
                update(Account).where(Account.id == actor.account_id).values(is_platform_administrator=False)
            )
    else:
        members.remove_member(store, OPERATOR, acme, actor.account_id)
    assert refused(store, name, actor, acme)


@each_write
def test_a_demoted_member_has_the_rights_of_the_new_role(
    store: ControlStore, acme: str, name: tuple[str, str]
) -> None:
    actor = authenticated(store, acme, name)
    assert actor.account_id is not None
    if name != PLATFORM:
        members.change_role(store, OPERATOR, acme, actor.account_id, Role.VIEWER)
        assert refused(store, name, actor, acme) is (name not in OWN)


@each_write
def test_an_ended_session_is_refused(store: ControlStore, acme: str, name: tuple[str, str]) -> None:
    actor = authenticated(store, acme, name)
    assert actor.account_id is not None
    sessions.end_all_sessions(store, actor.account_id)
    assert refused(store, name, actor, acme)


@each_write
def test_a_key_ends_with_its_revocation_and_with_its_makers_membership(
    store: ControlStore, acme: str, name: tuple[str, str]
) -> None:
    if name == PLATFORM:
        return

    def key_of(actor: Principal) -> Principal:
        key = tokens.create_token(store, acme, "ci", scope="write", actor=actor).key
        found = tokens.find_by_hash(store, key_hash(key))
        assert found is not None
        return found[2]

    maker = principal(store, join(store, acme, least_role(name)))
    assert maker.account_id is not None
    key, operators = key_of(maker), key_of(OPERATOR)
    if name == ("accounts.members", "leave"):
        assert not refused(store, name, key, acme)
        assert refused(store, name, key, acme)
        return
    assert not refused(store, name, key, acme)
    for revoked in (key_of(maker), operators):
        assert revoked.token_id is not None
        tokens.revoke_token(store, acme, revoked.token_id)
        assert refused(store, name, revoked, acme)
    members.remove_member(store, OPERATOR, acme, maker.account_id)
    assert refused(store, name, key, acme)


def test_no_key_outlives_the_concurrent_removal_of_its_creator(store: ControlStore, acme: str) -> None:
    actor = principal(store, join(store, acme, Role.ADMIN))
    assert actor.account_id is not None
    members.remove_member(store, OPERATOR, acme, actor.account_id)
    with pytest.raises(NotAllowed):
        tokens.create_token(store, acme, "too late", actor=actor)
    # A member who is invited again has none of the earlier keys.
    join(store, acme, Role.ADMIN, actor.account_id)
    assert "too late" not in [one.name for one in tokens.list_tokens(store, acme)]


def test_only_a_present_administrator_revokes_keys_of_others(store: ControlStore, acme: str) -> None:
    theirs = tokens.create_token(store, acme, "theirs", actor=principal(store, join(store, acme, Role.ADMIN)))
    actor = principal(store, join(store, acme, Role.ADMIN))
    own = tokens.create_token(store, acme, "own", actor=actor)
    assert actor.account_id is not None
    members.change_role(store, OPERATOR, acme, actor.account_id, Role.MEMBER)
    with pytest.raises(NotAllowed, match="only your own API keys"):
        tokens.revoke_token(store, acme, theirs.token.id, actor=actor)
    assert tokens.revoke_token(store, acme, own.token.id, actor=actor).revoked_at is not None
