"""Changes of merged developers survive the undo of the merge, and the answer to the undo lists them."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from api.control.audit import Selection, list_entries
from api.control.errors import ControlError
from api.control.identities.developer_attributes import DATES, Attribute, attributes, change_attributes
from api.control.identities.identities import (
    Undone,
    dismiss_suggestion,
    merge_developers,
    split_developer,
    undo_decision,
)
from api.control.identities.known_developers import Address, KnownDeveloper
from api.control.list_pages import ListQuery
from api.control.models import DeveloperAttribute, TeamMembership
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from api.control.teams.memberships import add_membership, change_membership, remove_membership
from api.control.teams.teams import create_team, delete_team, list_teams
from tests.api.people import Clock
from tests.suite.tiers import fewer

pytestmark = pytest.mark.both_databases

DAYS = [date(2026, 1, 1) + timedelta(days=n) for n in range(8)]
TOLD = (Attribute.ROLE, Attribute.JOINING_DATE, Attribute.LEAVING_DATE)
PEOPLE = ("ann", "bo", "cy", "dee")
State = dict[tuple[str, str], dict[str, Any]]


def developer(*ids: str) -> KnownDeveloper:
    """A developer with the first of these ids, and the others as former ids."""
    addresses = tuple(Address(f"{key}-address", key, f"{key}@x.example", False) for key in ids)
    return KnownDeveloper(ids[0], ids[0].capitalize(), addresses[0].email, False, ids, addresses)


class Office:
    """An organization with three teams. Its clock advances with each step."""

    def __init__(self, store: ControlStore, clock: Clock) -> None:
        self.store, self.clock = store, clock
        self.id = store.ensure_organization("Acme").id
        self.teams = [create_team(store, OPERATOR, self.id, f"Team {n}").id for n in range(3)]

    def tell(self, whom: KnownDeveloper, name: Attribute, value: str | date | None) -> None:
        self.clock.advance(minutes=1)
        # As in figures: of merged developers, the first one with a date has all three dates.
        told = [attributes(self.store, self.id, key) for key in whom.known_ids]
        first = next((one for one in told if any(one[Attribute(day)] for day in DATES)), told[0])
        dates = {day: shown if isinstance(shown := first[Attribute(day)], date) else None for day in DATES}
        change_attributes(self.store, OPERATOR, self.id, whom, {name: value}, dates=dates)

    def join(self, whom: KnownDeveloper, team: str, day: date) -> str:
        self.clock.advance(minutes=1)
        made = add_membership(self.store, OPERATOR, self.id, team, whom.id, day, whom.known_ids)
        return made.id

    def undo(self, decision: str) -> Undone:
        self.clock.advance(minutes=1)
        return undo_decision(self.store, OPERATOR, self.id, decision)

    def state(self, *ids: str) -> State:
        """The values in the tables under these ids, by the names in the audit log."""
        with self.store.session() as session:
            found: State = {("developer", key): {} for key in ids}
            for told in session.scalars(
                select(DeveloperAttribute).where(DeveloperAttribute.developer_id.in_(ids))
            ):
                if told.value is not None:
                    found["developer", told.developer_id][Attribute(told.attribute).shown] = told.value
            for row in session.scalars(select(TeamMembership).where(TeamMembership.developer_id.in_(ids))):
                found["teamMembership", row.id] = {
                    "teamId": row.team_id,
                    "developerId": row.developer_id,
                    "startDate": str(row.start_on),
                    "endDate": str(row.end_on) if row.end_on else None,
                }
            return found


@pytest.fixture
def office(store: ControlStore, clock: Clock) -> Office:
    return Office(store, clock)


def differences(before: State, after: State) -> dict[tuple[str, str], tuple[Any, Any]]:
    """Naive comparison: each object with other values in the tables; of developers, only the differing fields."""
    found: dict[tuple[str, str], tuple[Any, Any]] = {}
    for key in before.keys() | after.keys():
        was, now = before.get(key), after.get(key)
        if was == now:
            continue
        if key[0] == "developer" and was is not None and now is not None:
            names = [name for name in was.keys() | now.keys() if was.get(name) != now.get(name)]
            was, now = {name: was.get(name) for name in names}, {name: now.get(name) for name in names}
        found[key] = was, now
    return found


steps = st.lists(
    st.tuples(
        st.sampled_from(["tell", "join", "change", "remove", "disband"]),
        st.integers(0, 7),
        st.integers(0, 7),
        st.sampled_from([*DAYS, None]),
    ),
    max_size=10,
)


def take(office: Office, people: list[KnownDeveloper], step: tuple[str, int, int, date | None]) -> None:
    """Take a step about one of these, if possible."""
    kind, one, two, day = step
    whom = people[one % len(people)]
    mine = sorted(key for what, key in office.state(*PEOPLE) if what == "teamMembership")
    store, organization = office.store, office.id
    try:
        if kind == "tell":
            name = TOLD[two % len(TOLD)]
            office.tell(whom, name, day if name in DATES or day is None else f"Role {day.day}")
        elif kind == "join":
            office.join(whom, office.teams[two % len(office.teams)], day or DAYS[0])
        elif kind == "change" and mine:
            office.clock.advance(minutes=1)
            change_membership(store, OPERATOR, organization, mine[two % len(mine)], end_on=day)
        elif kind == "remove" and mine:
            office.clock.advance(minutes=1)
            remove_membership(store, OPERATOR, organization, mine[two % len(mine)])
        elif kind == "disband" and two == 0:
            office.clock.advance(minutes=1)
            delete_team(store, OPERATOR, organization, office.teams[one % len(office.teams)])
    except ControlError:
        pass


@settings(max_examples=fewer(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=steps, meanwhile=steps)
# A team that was joined and deleted meanwhile, beside a membership that stays.
@example(before=[("join", 0, 0, DAYS[0])], meanwhile=[("join", 0, 1, DAYS[4]), ("disband", 1, 0, None)])
def test_surviving_changes_are_the_differences_from_before_the_merge(
    store: ControlStore, clock: Clock, before: list[Any], meanwhile: list[Any]
) -> None:
    with store.session() as session:
        session.connection().exec_driver_sql("delete from organizations")
    office = Office(store, clock)
    apart = [developer(key) for key in PEOPLE]
    for step in before:
        take(office, apart, step)
    clock.advance(minutes=1)
    merge_developers(store, OPERATOR, office.id, [apart[0], apart[1]])
    clock.advance(minutes=1)
    made = merge_developers(store, OPERATOR, office.id, [developer("ann", "bo"), apart[2]])
    was = office.state(*PEOPLE[:3])
    for step in meanwhile:
        take(office, [developer("ann", "bo", "cy"), apart[3]], step)
    now = office.state(*PEOPLE[:3])
    undone = office.undo(made.id)
    assert office.state(*PEOPLE[:3]) == now, "nothing of it is undone"
    told = {(one.target_kind, one.target_id): (one.before, one.after) for one in undone.surviving}
    expected = differences(was, now)
    # A team that was deleted took its memberships along, of which nothing was said.
    left = {team.id for team in list_teams(store, office.id, ListQuery(100)).items}
    with_teams = {
        key for key in expected.keys() - told.keys() if was.get(key, {}).get("teamId", "") in office.teams
    }
    assert not [key for key in with_teams if was[key]["teamId"] in left]
    assert told == {key: both for key, both in expected.items() if key not in with_teams}


def test_an_undo_lists_memberships_that_ended_for_another_merged_developer(office: Office) -> None:
    ann, bo = developer("ann"), developer("bo")
    of_bo = office.join(bo, office.teams[0], DAYS[0])
    office.clock.advance(minutes=1)
    made = merge_developers(office.store, OPERATOR, office.id, [ann, bo])
    of_ann = office.join(developer("ann", "bo"), office.teams[1], DAYS[3])
    undone = office.undo(made.id)
    assert undone.decision.undone_at is not None
    shown = {one.target_id: one for one in undone.surviving}
    assert shown.keys() == {of_ann, of_bo}
    assert (shown[of_ann].developer_id, shown[of_ann].before) == ("ann", None)
    ended = shown[of_bo]
    assert (ended.developer_id, ended.before, ended.after) == (
        "bo",
        {"teamId": office.teams[0], "developerId": "bo", "startDate": "2026-01-01", "endDate": None},
        {"teamId": office.teams[0], "developerId": "bo", "startDate": "2026-01-01", "endDate": "2026-01-03"},
    )
    assert (ended.changed_by, ended.changed_at) == ("operator", office.clock.at - timedelta(minutes=1))


def test_dates_from_another_developer_are_listed(office: Office) -> None:
    ann, bo = developer("ann"), developer("bo")
    office.tell(bo, Attribute.JOINING_DATE, DAYS[1])
    office.clock.advance(minutes=1)
    made = merge_developers(office.store, OPERATOR, office.id, [ann, bo])
    # The three dates stay together, so a leaving date also brings the joining date of the other developer.
    office.tell(developer("ann", "bo"), Attribute.LEAVING_DATE, DAYS[5])
    [kept] = office.undo(made.id).surviving
    assert (kept.target_kind, kept.developer_id) == ("developer", "ann")
    assert kept.before == {"joiningDate": None, "leavingDate": None}
    assert kept.after == {"joiningDate": "2026-01-02", "leavingDate": "2026-01-06"}


def test_changes_of_the_developer_of_a_split_are_listed(office: Office) -> None:
    both = developer("ann", "bo")
    made = split_developer(office.store, OPERATOR, office.id, both, ["bo-address"])
    apart = developer(str(made.new_developer_id))
    joined = office.join(apart, office.teams[0], DAYS[0])
    office.tell(apart, Attribute.ROLE, "Engineer")
    office.tell(both, Attribute.ROLE, "Designer")
    kept = office.undo(made.id).surviving
    assert {(one.target_kind, one.target_id) for one in kept} == {
        ("developer", apart.id),
        ("teamMembership", joined),
    }
    assert {one.developer_id for one in kept} == {apart.id}


@pytest.mark.parametrize("is_dismissed", [True, False])
def test_an_undo_without_later_changes_lists_none(office: Office, is_dismissed: bool) -> None:
    ann, bo, cy = developer("ann"), developer("bo"), developer("cy")
    office.tell(ann, Attribute.ROLE, "Engineer")
    office.clock.advance(minutes=1)
    decide: Callable[..., Any] = dismiss_suggestion if is_dismissed else merge_developers
    made = decide(office.store, OPERATOR, office.id, [ann, bo])
    office.tell(ann if is_dismissed else cy, Attribute.ROLE, "Designer")
    if not is_dismissed:
        # Said and taken back.
        office.tell(ann, Attribute.ROLE, "Designer")
        office.tell(ann, Attribute.ROLE, "Engineer")
    assert office.undo(made.id).surviving == ()


def test_the_log_keeps_the_listed_changes(office: Office) -> None:
    ann, bo = developer("ann"), developer("bo")
    made = merge_developers(office.store, OPERATOR, office.id, [ann, bo])
    office.tell(developer("ann", "bo"), Attribute.ROLE, "Engineer")
    office.undo(made.id)
    chosen = Selection(action="identityDecisions.undo")
    [entry] = list_entries(office.store, office.id, ListQuery(10), chosen).items
    kept = {
        "targetKind": "developer",
        "targetId": "ann",
        "before": {"role": None},
        "after": {"role": "Engineer"},
    }
    assert entry.after == {"survivingChanges": [kept]}
