"""The rights of root inside the transaction of a write: entered or not, ended, and never those of the operator."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta

import pytest

from api.control.accounts import invitations, members, root_logins
from api.control.connections import connections
from api.control.errors import ControlError, InvalidSetting, NotAllowed, NotFound
from api.control.identity_providers import policies
from api.control.models import AuditEntry, Member, RootLogin
from api.control.organizations import organizations
from api.control.permissions import Permission, Role
from api.control.principals import OPERATOR, Principal
from api.control.rights import present_role, refuse_unless_allowed
from api.control.store import ControlStore, open_store
from api.control.teams import leads, memberships, teams
from tests.api.control.tried_writes import PLATFORM, WRITES, attempt, connected, each_write
from tests.api.control.tried_writes import provided as add_own_provider
from tests.api.operator.signing import OTHER_KEY
from tests.api.people import EVERY_WAY, Clock, join
from tests.api.roots import administrator_key, root_principal, sign_in_root

# What gives somebody an access that outlasts the login.
LASTING = {
    ("accounts.tokens", "create_token"),
    ("telemetry.ingest_tokens", "create_ingest_token"),
    ("scim.scim_tokens", "create_scim_token"),
    ("accounts.invitations", "invite"),
    ("accounts.members", "put_member"),
    ("teams.leads", "add_lead"),
    ("connections.connections", "add_connection"),
    ("identity_providers.providers", "add_provider"),
    ("identity_providers.providers", "change_provider"),
}
# Of an account, which root does not have.
PERSONAL = {("accounts.members", "leave")}
OF_MEMBERS = {
    ("accounts.members", "change_role"),
    ("accounts.members", "remove_member"),
    ("accounts.invitations", "cancel_invitation"),
}
"""What a platform administrator may do in every organization."""

DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def _key() -> Iterator[None]:
    with administrator_key():
        yield


@pytest.fixture(scope="module")
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, clock: Clock, database: str) -> Iterator[ControlStore]:
    """One for all tests: each has an organization and logins of its own."""
    store = open_store(tmp_path_factory.mktemp("rights"), now=clock)
    yield store
    store.close()


@pytest.fixture
def acme(store: ControlStore) -> str:
    made = store.ensure_organization("Acme").id
    store.upsert_repository(made, "r1", name="a", origin="github.com/a/a")
    return made


def root(store: ControlStore, organization: str | None = None) -> Principal:
    return root_principal(store, sign_in_root(store, organization))


def by_root(store: ControlStore) -> int:
    with store.session() as session:
        return session.query(AuditEntry).filter_by(actor_kind="root").count()


def is_refused(store: ControlStore, name: tuple[str, str], actor: Principal, acme: str) -> bool:
    """Whether the write is refused. A refused write is not logged."""
    before = by_root(store)
    error = attempt(store, WRITES[name], actor, acme)
    if isinstance(error, NotAllowed):
        assert by_root(store) == before
    return isinstance(error, NotAllowed)


@each_write
def test_root_writes_as_an_owner_where_it_entered_and_gives_nobody_access(
    store: ControlStore, acme: str, name: tuple[str, str]
) -> None:
    actor = root(store, acme)
    if name in PERSONAL:
        assert isinstance(attempt(store, WRITES[name], actor, acme), NotFound)
    else:
        assert is_refused(store, name, actor, acme) is (name in LASTING)


@each_write
def test_root_manages_members_and_plans_where_it_did_not_enter(
    store: ControlStore, acme: str, name: tuple[str, str]
) -> None:
    elsewhere = store.ensure_organization("Elsewhere").id
    for actor in (root(store), root(store, elsewhere)):
        assert is_refused(store, name, actor, acme) is (name not in {*OF_MEMBERS, PLATFORM})


@each_write
def test_a_root_login_that_ended_left_or_lost_its_key_is_refused(
    store: ControlStore, clock: Clock, acme: str, name: tuple[str, str]
) -> None:
    ended, left, expired, rotated = (root(store, acme) for _ in range(4))
    assert ended.root is not None
    assert left.root is not None
    root_logins.leave(store, ended.root.login_id, OPERATOR, ends=True)
    root_logins.leave(store, left.root.login_id, OPERATOR)
    assert is_refused(store, name, ended, acme)
    assert is_refused(store, name, left, acme) is (name not in {*OF_MEMBERS, PLATFORM})
    with administrator_key(OTHER_KEY):
        assert is_refused(store, name, rotated, acme)
    clock.advance(hours=1)
    assert is_refused(store, name, expired, acme)


def test_the_end_of_the_hour_counts_in_the_transaction(store: ControlStore, clock: Clock, acme: str) -> None:
    actor = root(store, acme)
    clock.advance(hours=1)
    clock.at -= timedelta(microseconds=1)
    with store.write_transaction(acme) as session:
        refuse_unless_allowed(session, actor, acme, Permission.MANAGE_TEAMS)
        clock.at += timedelta(microseconds=1)
        with pytest.raises(NotAllowed, match="has ended"):
            refuse_unless_allowed(session, actor, acme, Permission.MANAGE_TEAMS)


@pytest.mark.both_databases
@pytest.mark.parametrize("permission", Permission)
def test_nobody_without_account_and_key_is_taken_for_the_operator(
    store: ControlStore, acme: str, permission: Permission
) -> None:
    """Neither a root login whose row is gone, nor a caller without any identity."""
    actor = root(store)
    assert actor.root is not None
    nobody = replace(OPERATOR, is_operator=False)
    with store.session() as session:
        session.delete(session.get_one(RootLogin, actor.root.login_id))
    with store.write_transaction(acme) as session:
        for one in (actor, nobody):
            with pytest.raises(NotAllowed):
                refuse_unless_allowed(session, one, acme, permission)
            assert present_role(session, one, acme) == (None, False)
        refuse_unless_allowed(session, OPERATOR, acme, permission)
    with pytest.raises(AssertionError):
        assert nobody.actor


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("before", Role)
def test_root_takes_rights_and_gives_none(store: ControlStore, acme: str, before: Role, role: Role) -> None:
    join(store, acme, Role.OWNER)
    account, actor = join(store, acme, before), root(store, acme)
    rank = [Role.MEMBER, Role.ADMIN, Role.OWNER]
    # A viewer sees more than a lead, who decides about checks, and a member has the rights of both.
    is_higher = before in rank and role in rank and rank.index(role) > rank.index(before)
    is_more = is_higher or (before not in rank and role is not before)
    problem = None
    try:
        members.change_role(store, actor, acme, account, role)
    except ControlError as error:
        problem = error
    assert isinstance(problem, NotAllowed) is is_more
    with store.session() as session:
        assert session.get_one(Member, (acme, account)).role == (before if is_more else role)


@pytest.mark.parametrize("role", invitations.ROLES)
def test_root_invites_nobody(store: ControlStore, acme: str, role: Role) -> None:
    with pytest.raises(NotAllowed, match="outlast this root login"):
        invitations.invite(store, root(store, acme), acme, "eve@example.org", role)


@pytest.mark.both_databases
def test_root_loosens_no_way_to_sign_in(store: ControlStore, acme: str) -> None:
    actor = root(store, acme)

    def changed(by: Principal, **changes: object) -> None:
        policies.change_policy(store, by, acme, changes, EVERY_WAY)

    tight = {"has_password_sign_in": False, "has_deployment_providers": False, "provider_domains": ["a.org"]}
    add_own_provider(store, OPERATOR, acme)
    changed(actor, **tight)
    for name, loose in (
        ("has_password_sign_in", True),
        ("has_deployment_providers", True),
        ("provider_domains", []),
        ("provider_domains", ["b.org"]),
    ):
        with pytest.raises(NotAllowed, match="loosen how members sign in"):
            changed(actor, **{name: loose})
    changed(actor, provider_domains=["b.org", "a.org"])
    changed(OPERATOR, has_password_sign_in=True, has_deployment_providers=True, provider_domains=[])


@pytest.mark.both_databases
def test_root_shows_no_figures_of_fewer_people(store: ControlStore, acme: str) -> None:
    actor = root(store, acme)

    def changed(by: Principal, **changes: object) -> None:
        organizations.change_settings(store, by, acme, changes)

    changed(actor, minimum_group_size=5, has_individual_figures=False)
    for name, looser in (("minimum_group_size", 4), ("has_individual_figures", True)):
        with pytest.raises(NotAllowed, match="smaller groups of people"):
            changed(actor, **{name: looser})
    changed(actor, minimum_group_size=6, has_individual_figures=False)
    changed(OPERATOR, minimum_group_size=0, has_individual_figures=True)


def test_root_moves_no_team_to_other_leads(store: ControlStore, acme: str) -> None:
    led, web = (teams.create_team(store, OPERATOR, acme, name) for name in ("Led", "Web"))
    actor = root(store, acme)
    with pytest.raises(NotAllowed, match="move a team to other leads"):
        teams.change_team(store, actor, acme, web.id, parent_id=led.id)
    teams.change_team(store, OPERATOR, acme, web.id, parent_id=led.id)
    assert teams.change_team(store, actor, acme, web.id, name="Sites", parent_id=led.id).name == "Sites"
    # At the top nobody sees more of it.
    assert teams.change_team(store, actor, acme, web.id, parent_id=None).parent_id is None


@pytest.mark.both_databases
def test_root_shows_leads_nothing_more(store: ControlStore, acme: str) -> None:
    """A lead sees the work that is written in the led teams, and would see it after the login too."""
    top = teams.create_team(store, OPERATOR, acme, "Top")
    below = teams.create_team(store, OPERATOR, acme, "Below", top.id)
    actor, start, end = root(store, acme), date(2026, 3, 1), date(2026, 3, 31)
    open_ended = memberships.add_membership(store, actor, acme, below.id, "d1", start)
    ended = memberships.add_membership(store, actor, acme, below.id, "d2", start)
    memberships.change_membership(store, actor, acme, ended.id, end_on=end)
    leads.add_lead(store, OPERATOR, acme, top.id, join(store, acme, Role.TEAM_LEAD))
    for team in (top, below):
        with pytest.raises(NotAllowed, match="put a developer into a led team"):
            memberships.add_membership(store, actor, acme, team.id, "d3", start)
        with pytest.raises(NotAllowed, match="add a team below a led one"):
            teams.create_team(store, actor, acme, "New", team.id)
    for found, more in (
        (open_ended, {"start_on": start - DAY}),
        (ended, {"start_on": start - DAY}),
        (ended, {"end_on": end + DAY}),
        (ended, {"end_on": None}),
        (ended, {"start_on": start + DAY, "end_on": end + DAY}),
    ):
        with pytest.raises(NotAllowed, match="lengthen the membership of a led team"):
            memberships.change_membership(store, actor, acme, found.id, **more)
    # Less, and what nobody leads.
    memberships.change_membership(store, actor, acme, open_ended.id, start_on=start + DAY, end_on=end)
    memberships.remove_membership(store, actor, acme, ended.id)
    web = teams.create_team(store, actor, acme, "Web")
    memberships.add_membership(store, actor, acme, web.id, "d3", start)
    teams.create_team(store, actor, acme, "Sites", web.id)
    memberships.add_membership(store, OPERATOR, acme, below.id, "d4", start)


def test_the_deepest_team_has_members_too(store: ControlStore, acme: str) -> None:
    parent, actor = None, root(store, acme)
    for level in range(teams.MAX_DEPTH):
        parent = teams.create_team(store, actor, acme, f"Level {level}", parent).id
    assert parent is not None
    memberships.add_membership(store, actor, acme, parent, "d1", date(2026, 3, 1))
    with pytest.raises(InvalidSetting, match="at most 50 levels"):
        teams.create_team(store, OPERATOR, acme, "One more", parent)


def test_root_replaces_no_token_of_a_connection(store: ControlStore, acme: str) -> None:
    connection, actor = connected(store, acme), root(store, acme)
    with pytest.raises(NotAllowed, match="replace the token"):
        connections.change_connection(
            store, actor, acme, connection, connections.ConnectionChange(secret="another-token")
        )
    connections.change_connection(store, actor, acme, connection, connections.ConnectionChange(name="Other"))
