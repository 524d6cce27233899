"""Laws of decisions about who is who: taken back they leave nothing, and every state is that of those that hold."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from api.control.errors import ControlError
from api.control.identity_decisions import list_decisions
from api.control.lists import Asked
from api.control.store import ControlStore, open_store
from tests.dbt.decided_steps import Administration, population
from tests.dbt.invented_history import ORGANIZATION_ID
from tests.dbt.naive_identities import World

GROUPS = population(0)
EVERYBODY = sorted(person for group in GROUPS for person in group)
numbers = st.integers(0, 7)
# Each example makes a dozen transactions: looking for a smaller failing one would take minutes.
PHASES = (Phase.explicit, Phase.generate)


def steps(*kinds: str) -> st.SearchStrategy[list[tuple[Any, ...]]]:
    step = st.tuples(st.sampled_from(kinds), numbers, numbers, st.sampled_from("xyz"))
    return st.lists(step, max_size=12)


laws = settings(
    max_examples=40,
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


def forget(store: ControlStore) -> None:
    with store.session() as session:
        for table in ("identity_parts", "identity_decisions", "developer_attributes"):
            session.connection().exec_driver_sql(f"delete from {table}")


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
    forget(office.store)
    office.undoing.clear()
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
def test_every_address_is_one_developers_and_what_was_decided_holds(
    office: Administration, done: list[tuple[Any, ...]], is_stale: bool
) -> None:
    """Also where the figures that an administrator sees are those from before the first step."""
    forget(office.store)
    office.undoing.clear()
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
        # Whoever was known by an id still is somebody, unless what made the id was undone.
        if step[0] != "undo any":
            assert before.known_ids.keys() <= after.known_ids.keys()


@laws
@given(steps("merge", "split", "dismiss", "undo any"))
def test_the_rows_are_those_of_the_decisions_that_hold_in_the_history(
    office: Administration, done: list[tuple[Any, ...]]
) -> None:
    forget(office.store)
    office.undoing.clear()
    for step in done:
        _try(office, step, office.world)
    history = list_decisions(office.store, ORGANIZATION_ID, Asked(1000, "at")).items
    holding = [one for one in history if one.undone_at is None]
    assert {one.id for one in holding} == office.undoing.keys()
    splits = {part.id: one.new_developer_id for one in holding if one.kind == "split" for part in one.parts}
    rows = office.rows
    last = {row["address_id"]: row["developer_id"] for row in rows["identity_splits"] if row["is_last"]}
    assert last == splits
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
