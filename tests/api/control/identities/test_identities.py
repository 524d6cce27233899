"""Invariants of identity decisions: an undo leaves no trace, and the state follows from the decisions in force."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sqlalchemy import update

from api.control.errors import ControlError, NotPossible
from api.control.identities.decisions import DecisionRecord, list_decisions
from api.control.identities.identities import merge_developers, split_developer, undo_decision
from api.control.list_pages import ListQuery
from api.control.models import IdentityPart
from api.control.principals import OPERATOR
from api.control.store import ControlStore, open_store
from tests.dbt.invented.decided_steps import Administration, population
from tests.dbt.invented.invented_history import ORGANIZATION_ID
from tests.dbt.invented.invented_identities import Person, address_id, mailbox_id
from tests.dbt.naive.naive_identities import World
from tests.suite.tiers import fewer

GROUPS = population(0)
EVERYBODY = sorted(person for group in GROUPS for person in group)
numbers = st.integers(0, 7)
# Each example makes a dozen transactions: looking for a smaller failing one would take minutes.
PHASES = (Phase.explicit, Phase.generate)


def steps(*kinds: str) -> st.SearchStrategy[list[tuple[Any, ...]]]:
    step = st.tuples(st.sampled_from(kinds), numbers, numbers, st.sampled_from("xyz"))
    return st.lists(step, max_size=12)


laws = settings(
    max_examples=fewer(40),
    database=None,
    phases=PHASES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ControlStore]:
    store = open_store(tmp_path)
    store.ensure_organization("Acme", organization_id=ORGANIZATION_ID, slug="acme")
    yield store
    store.close()


@pytest.fixture
def office(store: ControlStore) -> Administration:
    return Administration(store, GROUPS)


def forget(office: Administration) -> None:
    """Delete all decisions of the example before."""
    with office.store.session() as session:
        for table in ("identity_parts", "identity_decisions", "developer_attributes"):
            session.connection().exec_driver_sql(f"delete from {table}")
    office.undoing.clear()


def history(store: ControlStore) -> Sequence[DecisionRecord]:
    return list_decisions(store, ORGANIZATION_ID, ListQuery(1000, "at")).items


def seen(world: World) -> tuple[Any, ...]:
    return world.people, world.known_ids, world.attributes


@laws
@given(
    st.lists(st.integers(0, 1), min_size=4, max_size=4),
    steps("merge", "merge", "split", "dismiss", "say", "undo"),
)
def test_steps_taken_back_in_turn_leave_the_rows_as_they_were(
    office: Administration, before: list[int], done: list[tuple[Any, ...]]
) -> None:
    forget(office)
    # What was decided earlier stays: it is no part of what is taken back.
    for place, one in enumerate(before):
        _try(office, (("merge", "split")[place % 2], one, one + 1, "x"), office.world)
    office.undoing.clear()
    states = [(office.rows, seen(office.world))]
    for step in done:
        rows, world, count = office.rows, office.world, len(office.undoing)
        if not _try(office, step, world):
            assert office.rows == rows
        if len(office.undoing) > count:
            states.append((office.rows, seen(office.world)))
        elif len(office.undoing) < count:
            states.pop()
            assert (office.rows, seen(office.world)) == states[-1]
    while office.undoing:
        office.undo(list(office.undoing)[-1])
        states.pop()
        assert (office.rows, seen(office.world)) == states[-1]
    assert len(states) == 1


@laws
@given(steps("merge", "split", "split", "dismiss", "undo any"), st.booleans())
def test_every_address_has_one_developer_and_decisions_hold(
    office: Administration, done: list[tuple[Any, ...]], is_stale: bool
) -> None:
    """Also when the administrator sees figures from before the first step."""
    forget(office)
    first = office.world
    for step in done:
        before, rows = office.world, office.rows
        taken = _try(office, step, first if is_stale else before)
        after = office.world
        assert sorted(person for people in after.people.values() for person in people) == EVERYBODY
        if not taken:
            assert office.rows == rows
            continue
        if is_stale:
            continue
        moved = [key for key, people in before.people.items() if after.people.get(key) != people]
        change = len(after.people) - len(before.people)
        if step[0] == "merge":
            # Two became one, nobody else changed.
            assert (change, len(moved)) == (-1, 2)
        elif step[0] == "split":
            assert (change, len(moved)) == (1, 1)
        elif step[0] == "dismiss":
            assert seen(after) == seen(before)
        # Every id still leads to a developer, unless the decision that made the id was undone.
        if step[0] != "undo any":
            assert before.known_ids.keys() <= after.known_ids.keys()


@pytest.mark.both_databases(postgresql="release")
@laws
@given(steps("merge", "merge", "merge", "split", "undo any", "undo any"), st.booleans())
def test_undoing_a_merge_does_not_divide_a_developer_of_a_later_merge(
    office: Administration, done: list[tuple[Any, ...]], is_stale: bool
) -> None:
    """The identities of a developer that a later merge named stay together after the undo if they were together
    before.
    """
    forget(office)
    shown = office.world
    meant: dict[str, list[set[Person]]] = {}
    for step in done:
        before, holding = office.world, set(office.undoing)
        if not is_stale:
            shown = before
        if not _try(office, step, shown):
            continue
        for decision in office.undoing.keys() - holding:
            if step[0] == "merge":
                people = shown.shown()
                meant[decision] = [set(shown.people[people[number % len(people)].id]) for number in step[1:3]]
        for decision in holding - office.undoing.keys():
            if decision in meant:
                del meant[decision]
                after = office.world.people.values()
                # Ids sort in the order of the decisions.
                for named in (one for later in meant if later > decision for one in meant[later]):
                    for together in (named & set(group) for group in before.people.values()):
                        assert any(together <= set(group) for group in after)


@pytest.mark.both_databases
def test_a_merge_is_undone_before_another_that_is_later_but_not_built_upon_it(office: Administration) -> None:
    forget(office)
    ann, bo, cy = office.world.shown()
    first = merge_developers(office.store, OPERATOR, ORGANIZATION_ID, [ann, bo])
    # Figures still show Bo alone, so the developers of the second merge stay together.
    second = merge_developers(office.store, OPERATOR, ORGANIZATION_ID, [bo, cy])
    assert len(office.world.shown()) == 1
    undo_decision(office.store, OPERATOR, ORGANIZATION_ID, first.id)
    assert {one.id for one in office.world.shown()} == {ann.id, bo.id}
    # Again, now that figures show Bo and Cy as one.
    both = office.world.people[bo.id]
    third = merge_developers(office.store, OPERATOR, ORGANIZATION_ID, office.world.shown())
    with pytest.raises(NotPossible, match=f"decision {third.id} later merged its result with another"):
        undo_decision(office.store, OPERATOR, ORGANIZATION_ID, second.id)
    undo_decision(office.store, OPERATOR, ORGANIZATION_ID, third.id)
    assert office.world.people[bo.id] == both
    undo_decision(office.store, OPERATOR, ORGANIZATION_ID, second.id)
    assert {one.id for one in office.world.shown()} == {ann.id, bo.id, cy.id}


@pytest.mark.both_databases(postgresql="release")
@laws
@given(steps("merge", "split", "split", "split", "undo any"))
def test_a_later_name_joins_the_developer_of_the_known_names_of_the_mailbox(
    office: Administration, done: list[tuple[Any, ...]]
) -> None:
    forget(office)
    _try_all(office, done)
    before, after = office.world, World(population(0, with_late=True), office.rows)
    assert {key: people & set(EVERYBODY) for key, people in after.people.items()} == before.people
    late = {person for people in after.people.values() for person in people} - set(EVERYBODY)
    assert len(late) == 2
    for person in late:
        [whose] = [key for key, people in after.people.items() if person in people]
        holders = {
            key for key, people in before.people.items() if person[1] in {email for _, email in people}
        }
        # Where the known names are several people's it is one of them.
        assert whose in holders


@pytest.mark.both_databases
def test_a_split_applies_to_later_names_of_its_mailbox(store: ControlStore) -> None:
    """Bob was merged with Alice by mistake. The name that Alice used with his address stays with her."""
    alice, at_bobs, bob = (
        ("Alice Lee", "alice@x.example"),
        ("Alice Lee", "bob@x.example"),
        ("Bob", "bob@x.example"),
    )
    later = ("Bob Builder", "bob@x.example")
    office = Administration(store, [[alice, at_bobs, bob]])
    [one] = office.world.shown()
    rows = office.rows
    chosen = [address.id for address in one.addresses if address.name == "Bob"]
    made = split_developer(store, OPERATOR, ORGANIZATION_ID, one, chosen)
    assert [part.name for part in made.parts] == ["Bob"]
    assert [[part.name for part in decision.parts] for decision in history(store)] == [["Bob"]]
    people = World([[alice, at_bobs, bob, later]], office.rows).people
    assert people[str(made.new_developer_id)] == {bob, later}
    # A second split takes the mailbox out of the developer of the first split; the rest stays.
    shown = {one.id: one for one in World([[alice, at_bobs, bob, later]], office.rows).shown()}
    apart = shown[str(made.new_developer_id)]
    chosen = [address.id for address in apart.addresses if address.name == "Bob"]
    again = split_developer(store, OPERATOR, ORGANIZATION_ID, apart, chosen)
    last = ("Robert", "bob@x.example")
    people = World([[alice, at_bobs, bob, later, last]], office.rows).people
    assert people[str(again.new_developer_id)] == {bob, last}
    assert people[str(made.new_developer_id)] == {later}
    for decision in (again, made):
        undone = undo_decision(store, OPERATOR, ORGANIZATION_ID, decision.id)
        assert [part.name for part in undone.decision.parts] == ["Bob"]
    assert office.rows == rows


@pytest.mark.both_databases
def test_a_split_of_an_earlier_release_is_of_its_names_alone(store: ControlStore) -> None:
    """Such a split did not store the names that stayed."""
    alice, bob, later = (
        ("Alice Lee", "alice@x.example"),
        ("Bob", "bob@x.example"),
        ("Bob Builder", "bob@x.example"),
    )
    office = Administration(store, [[alice, bob]])
    [one] = office.world.shown()
    made = split_developer(store, OPERATOR, ORGANIZATION_ID, one, [one.addresses[1].id])
    with store.session() as session:
        session.execute(update(IdentityPart).values(is_left=None))
    assert office.rows["mailbox_splits"] == []
    assert World([[alice, bob, later]], office.rows).people[str(made.new_developer_id)] == {bob}


@pytest.mark.both_databases(postgresql="release")
@laws
@given(steps("merge", "split", "dismiss", "undo any"))
def test_the_rows_are_those_of_the_decisions_that_hold_in_the_history(
    office: Administration, done: list[tuple[Any, ...]]
) -> None:
    forget(office)
    _try_all(office, done)
    holding = [one for one in history(office.store) if one.undone_at is None]
    assert {one.id for one in holding} == office.undoing.keys()
    splits = {part.id: one.new_developer_id for one in holding if one.kind == "split" for part in one.parts}
    rows = office.rows
    last = {row["address_id"]: row["developer_id"] for row in rows["identity_splits"] if row["is_last"]}
    assert splits.items() <= last.items()
    # The others were left where they were while other names of their mailboxes went.
    taken = {person[1] for person in EVERYBODY if address_id(person) in splits}
    left = {address_id(person) for person in EVERYBODY if person[1] in taken} - splits.keys()
    assert last.keys() - splits.keys() <= left
    assert {row["mailbox_id"] for row in rows["mailbox_splits"]} == {mailbox_id(email) for email in taken}
    for table, kind, key in (
        ("identity_merges", "merge", "merge_id"),
        ("suggestion_dismissals", "dismissal", "dismissal_id"),
    ):
        expected = {(one.id, part.id) for one in holding if one.kind == kind for part in one.parts}
        assert {(row[key], row["developer_id"]) for row in rows[table]} == expected


def _try(office: Administration, step: tuple[Any, ...], world: World) -> bool:
    try:
        office.take(step, world)
    except ControlError:
        return False
    return True


def _try_all(office: Administration, done: list[tuple[Any, ...]]) -> None:
    for step in done:
        _try(office, step, office.world)
