"""A caller who loses a right between the authentication of a request and its write cannot write."""

import importlib
import inspect
import itertools
import pkgutil
from collections.abc import Callable
from dataclasses import replace
from datetime import date

import pytest
from sqlalchemy import update

from api import control
from api.control.accounts import invitations, members, sessions, tokens
from api.control.capex import locks as capex_locks
from api.control.capex import policies as capex_policies
from api.control.commits import categories as commit_categories
from api.control.commits import corrections, import_bursts, reanalyses
from api.control.commits import exclusions as commit_exclusions
from api.control.connections import connections, levels, tracker_teams
from api.control.errors import ControlError, NotAllowed
from api.control.identities import developer_attributes, identities
from api.control.identities.known_developers import Address, KnownDeveloper
from api.control.identity_providers import policies as sign_in_policies
from api.control.identity_providers import providers as identity_providers
from api.control.identity_providers.kinds import ProviderKind
from api.control.models import Account, AuditEntry
from api.control.organizations import organizations
from api.control.permissions import Role
from api.control.plans import billing, plans
from api.control.principals import OPERATOR, Principal
from api.control.repositories import removals, repositories
from api.control.repositories.settings import Settings, SettingsChange
from api.control.store import ControlStore, open_store
from api.control.teams import leads as team_leads
from api.control.teams import memberships as team_memberships
from api.control.teams import teams
from tests.api.people import EVERY_WAY, join, make_account, principal

DAY = date(2026, 3, 1)
COMMIT = commit_exclusions.NamedCommit("c1", "1" * 40, "r1", "Subject", None)
BURST = import_bursts.NamedBurst("b1", [COMMIT])
LOCKED = {"month": DAY, "developer_id": "d1", "is_draft": False, "hours": 1.0, "capex_hours": 1.0}
CORRECTION_TARGET = corrections.CorrectionTarget(
    corrections.CorrectionKind.ALIAS, "d1", "Ada", "Mine.", email="a@x.org", is_mine=True
)
HOST = connections.NewConnection("GITEA", "hosts", "https://git.example", "Git", "t0ken-long")
NUMBERS = itertools.count()
TRACKER = connections.NewConnection("LINEAR", "trackers", "https://api.linear.app", "Linear", "t0ken-long")
PROVIDER = identity_providers.NewProvider(
    ProviderKind.OPENID_CONNECT, "Acme", "https://login.example", "eas", "s3cret"
)
NEW = repositories.NewRepository("r2", "github.com/a/b", "https://github.com/a/b", Settings("b"))


def developer(key: str) -> KnownDeveloper:
    addresses = tuple(Address(f"{key}{n}", key, f"{key}{n}@x.org", False) for n in range(2))
    return KnownDeveloper(key, key, f"{key}@x.org", False, (key,), addresses)


def connected(store: ControlStore, organization_id: str) -> str:
    """The id of a tracker that the organization has."""
    return connections.add_connection(store, OPERATOR, organization_id, another(TRACKER)).id


def another(like: connections.NewConnection) -> connections.NewConnection:
    """A connection with a name of its own."""
    return replace(like, name=f"{like.name} {next(NUMBERS)}")


def provided(store: ControlStore, actor: Principal, organization_id: str) -> str:
    """The id of an identity provider that the organization has from now on."""
    wanted = replace(PROVIDER, name=f"Acme {next(NUMBERS)}")
    return identity_providers.add_provider(store, actor, organization_id, wanted).id


ADA, BOB = developer("ada"), developer("bob")
Write = Callable[[ControlStore, Principal, str], object]

WRITES: dict[tuple[str, str], Write] = {
    ("teams.teams", "create_team"): lambda s, a, o: teams.create_team(s, a, o, "Web"),
    ("teams.teams", "change_team"): lambda s, a, o: teams.change_team(s, a, o, "none", name="Web"),
    ("teams.teams", "delete_team"): lambda s, a, o: teams.delete_team(s, a, o, "none"),
    ("teams.leads", "add_lead"): lambda s, a, o: team_leads.add_lead(s, a, o, "none", "none"),
    ("teams.leads", "remove_lead"): lambda s, a, o: team_leads.remove_lead(s, a, o, "none", "none"),
    ("teams.memberships", "add_membership"): lambda s, a, o: team_memberships.add_membership(
        s, a, o, "none", "d1", DAY
    ),
    ("teams.memberships", "change_membership"): lambda s, a, o: team_memberships.change_membership(
        s, a, o, "none", end_on=None
    ),
    ("teams.memberships", "remove_membership"): lambda s, a, o: team_memberships.remove_membership(
        s, a, o, "none"
    ),
    ("repositories.repositories", "add_repository"): lambda s, a, o: repositories.add_repository(
        s, a, o, NEW
    ),
    ("repositories.repositories", "change_repository"): lambda s, a, o: repositories.change_repository(
        s, a, o, "r1", SettingsChange(is_disabled=True)
    ),
    ("repositories.removals", "remove"): lambda s, a, o: removals.remove(s, o, "r1", actor=a),
    ("connections.connections", "add_connection"): lambda s, a, o: connections.add_connection(
        s, a, o, another(HOST)
    ),
    ("connections.connections", "change_connection"): lambda s, a, o: connections.change_connection(
        s, a, o, connected(s, o), connections.ConnectionChange(name="Other")
    ),
    ("connections.connections", "remove_connection"): lambda s, a, o: connections.remove_connection(
        s, a, o, connected(s, o)
    ),
    ("connections.connections", "request_sync"): lambda s, a, o: connections.request_sync(
        s, a, o, connected(s, o), is_full=True
    ),
    ("identity_providers.providers", "add_provider"): provided,
    ("identity_providers.providers", "change_provider"): lambda s, a, o: identity_providers.change_provider(
        s, a, o, provided(s, OPERATOR, o), identity_providers.ProviderChange(client_id="other")
    ),
    ("identity_providers.providers", "remove_provider"): lambda s, a, o: identity_providers.remove_provider(
        s, a, o, provided(s, OPERATOR, o), EVERY_WAY
    ),
    ("identity_providers.policies", "change_policy"): lambda s, a, o: sign_in_policies.change_policy(
        s, a, o, {"provider_domains": [f"x{next(NUMBERS)}.org"]}, EVERY_WAY
    ),
    ("connections.levels", "put_levels"): lambda s, a, o: levels.put_levels(s, a, o, connected(s, o), {}),
    ("connections.tracker_teams", "put_tracker_teams"): lambda s, a, o: tracker_teams.put_tracker_teams(
        s, a, o, connected(s, o), {}
    ),
    ("identities.identities", "merge_developers"): lambda s, a, o: identities.merge_developers(
        s, a, o, [ADA, BOB]
    ),
    ("identities.identities", "split_developer"): lambda s, a, o: identities.split_developer(
        s, a, o, ADA, ["ada0"]
    ),
    ("identities.identities", "dismiss_suggestion"): lambda s, a, o: identities.dismiss_suggestion(
        s, a, o, [ADA, BOB]
    ),
    ("identities.identities", "undo_decision"): lambda s, a, o: identities.undo_decision(s, a, o, "none"),
    ("identities.developer_attributes", "change_attributes"): lambda s, a, o: (
        developer_attributes.change_attributes(
            s, a, o, ADA, {developer_attributes.Attribute.ROLE: "Lead"}, dates={}
        )
    ),
    ("commits.exclusions", "exclude"): lambda s, a, o: commit_exclusions.exclude(
        s, a, o, COMMIT, commit_exclusions.ExclusionReason.IMPORT
    ),
    ("commits.exclusions", "include"): lambda s, a, o: commit_exclusions.include(s, a, o, COMMIT),
    ("commits.import_bursts", "include_burst"): lambda s, a, o: import_bursts.include_burst(
        s, a, o, BURST, "Own."
    ),
    ("commits.import_bursts", "undo_burst"): lambda s, a, o: import_bursts.undo_burst(s, a, o, BURST),
    ("commits.categories", "categorize"): lambda s, a, o: commit_categories.categorize(
        s, a, o, COMMIT, "tests"
    ),
    ("commits.reanalyses", "reanalyze"): lambda s, a, o: reanalyses.reanalyze(s, a, o, COMMIT),
    ("commits.corrections", "file_correction"): lambda s, a, o: corrections.file_correction(
        s, a, o, CORRECTION_TARGET
    ),
    ("commits.corrections", "accept_correction"): lambda s, a, o: corrections.accept_correction(
        s, a, o, "none", "", lambda _: None
    ),
    ("commits.corrections", "reject_correction"): lambda s, a, o: corrections.reject_correction(
        s, a, o, "none", "No."
    ),
    ("capex.policies", "create_policy"): lambda s, a, o: capex_policies.create_policy(
        s, a, o, DAY, [], "Why."
    ),
    ("capex.policies", "withdraw_policy"): lambda s, a, o: capex_policies.withdraw_policy(s, a, o, "none"),
    ("capex.locks", "lock_month"): lambda s, a, o: capex_locks.lock_month(s, a, o, DAY, [LOCKED], "b1"),
    ("capex.locks", "unlock_month"): lambda s, a, o: capex_locks.unlock_month(s, a, o, DAY, "Why."),
    ("plans.plans", "change_plan"): lambda s, a, o: plans.change_plan(
        s, a, o, plan="unlimited", commit_limit=None
    ),
    ("plans.billing", "request_upgrade"): lambda s, a, o: billing.request_upgrade(s, a, o, 9),
    ("accounts.tokens", "create_token"): lambda s, a, o: tokens.create_token(s, o, "ci", actor=a),
    ("accounts.tokens", "revoke_token"): lambda s, a, o: tokens.revoke_token(s, o, "none", actor=a),
    ("accounts.members", "change_role"): lambda s, a, o: members.change_role(
        s, a, o, join(s, o, Role.VIEWER), Role.MEMBER
    ),
    ("accounts.members", "remove_member"): lambda s, a, o: members.remove_member(
        s, a, o, join(s, o, Role.VIEWER)
    ),
    ("accounts.members", "leave"): members.leave,
    ("accounts.members", "put_member"): lambda s, a, o: members.put_member(
        s, a, o, "nobody@x.org", Role.VIEWER
    ),
    ("accounts.invitations", "invite"): lambda s, a, o: invitations.invite(s, a, o, "new@x.org", Role.VIEWER),
    ("accounts.invitations", "cancel_invitation"): lambda s, a, o: invitations.cancel_invitation(
        s, a, o, invitations.invite(s, OPERATOR, o, "open@x.org", Role.VIEWER).id
    ),
    ("organizations.organizations", "rename_organization"): lambda s, a, o: organizations.rename_organization(
        s, a, o, "Other"
    ),
    ("organizations.organizations", "change_settings"): lambda s, a, o: organizations.change_settings(
        s, a, o, {"hours_per_day_hundredths": 700}
    ),
}
# What people do for themselves without being a member, or what calls one of those above.
FREE = {
    ("accounts.accounts", "rename_account"),
    ("accounts.account_names", "rename"),
    ("audit", "record"),
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
    # Within the removal of a member, which is tried.
    ("teams.leads", "end_leads"),
    ("accounts.tokens", "revoke_tokens"),
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
}
"""What every role may."""
PLATFORM = ("plans.plans", "change_plan")
OF_OWNERS = ("plans.billing", "request_upgrade")

each_write = pytest.mark.parametrize("name", WRITES, ids=".".join)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> ControlStore:
    return open_store(tmp_path_factory.mktemp("rights"))


@pytest.fixture
def acme(store: ControlStore) -> str:
    made = store.ensure_organization("Acme").id
    store.upsert_repository(made, "r1", name="a", origin="github.com/a/a")
    # The last owner could not be removed.
    join(store, made, Role.OWNER)
    return made


def attempt(store: ControlStore, write: Write, actor: Principal, organization: str) -> ControlError | None:
    try:
        write(store, actor, organization)
    except ControlError as error:
        return error
    return None


def authenticated(store: ControlStore, acme: str, name: tuple[str, str]) -> Principal:
    if name == PLATFORM:
        return principal(store, make_account(store, administrator=True))
    return principal(store, join(store, acme, least_role(name)))


def least_role(name: tuple[str, str]) -> Role:
    return Role.OWNER if name == OF_OWNERS else Role.ADMIN


def refused(store: ControlStore, name: tuple[str, str], actor: Principal, acme: str) -> bool:
    """Whether the write is refused. A refused write is not logged."""
    before = logged(store)
    error = attempt(store, WRITES[name], actor, acme)
    if isinstance(error, NotAllowed):
        new = [entry for entry in logged(store) if entry not in before]
        _, actor_id, _ = actor.actor
        assert actor_id is not None
        assert all(actor_id not in entry for entry in new)
    return isinstance(error, NotAllowed)


def logged(store: ControlStore) -> list[str]:
    with store.session() as session:
        rows = session.query(AuditEntry).all()
        return [f"{row.id} {row.actor_id} {row.action}" for row in rows]


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
        found = tokens.find_by_hash(store, tokens.key_hash(key))
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
