"""Invariants of memberships: a developer is in one team at a time, and a refused request changes nothing."""

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event

from api.control.errors import ControlError
from api.control.list_pages import ListQuery
from api.control.principals import Principal
from api.control.store import ControlStore
from api.control.teams.memberships import (
    MembershipRecord,
    add_membership,
    change_membership,
    list_memberships,
    remove_membership,
)
from api.control.teams.teams import create_team
from tests.api.people import join, principal
from tests.suite.tiers import fewer

pytestmark = pytest.mark.both_databases

DAYS = [date(2026, 1, 1) + timedelta(days=n) for n in range(12)]
days = st.sampled_from(DAYS)
steps = st.one_of(
    st.tuples(st.just("add"), st.integers(0, 2), st.sampled_from("ab"), days),
    st.tuples(st.just("change"), st.integers(0, 9), days, st.none() | days),
    st.tuples(st.just("remove"), st.integers(0, 9)),
)


def team_by_day(rows: list[MembershipRecord]) -> dict[tuple[str, date], list[str]]:
    """Teams of each developer on each day, by plain loops."""
    found: dict[tuple[str, date], list[str]] = {}
    for row in rows:
        for day in DAYS:
            if row.start_on <= day <= (row.end_on or DAYS[-1]):
                found.setdefault((row.developer_id, day), []).append(row.team_id)
    return found


@settings(max_examples=fewer(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(steps, max_size=14))
def test_a_developer_is_in_one_team_at_a_time(store: ControlStore, done: list[tuple[Any, ...]]) -> None:
    organization = store.ensure_organization("Acme").id
    actor = principal(store, join(store, organization, "owner"))
    teams = [create_team(store, actor, organization, f"Team {n}").id for n in range(3)]

    def now() -> list[MembershipRecord]:
        return list(list_memberships(store, organization, ListQuery(1000)).items)

    for step in done:
        before = now()
        try:
            _do(store, actor, organization, teams, before, step)
        except ControlError:
            assert now() == before
        after = team_by_day(now())
        assert all(len(names) == 1 for names in after.values())
        if step[0] == "add" and now() != before:
            assert after[step[2], step[3]] == [teams[step[1]]]
            # What was before the day, and what begins later, stays.
            earlier = team_by_day(before)
            assert all(after[key] == was for key, was in earlier.items() if key[1] < step[3])
    with store.session() as session:
        session.connection().exec_driver_sql("delete from team_memberships")
        session.connection().exec_driver_sql("delete from teams")


def test_joining_a_team_ends_the_memberships_of_all_ids_of_the_developer(store: ControlStore) -> None:
    """No other membership continues when the new one ends."""
    organization = store.ensure_organization("Acme").id
    actor = principal(store, join(store, organization, "owner"))
    one, two, three = (create_team(store, actor, organization, name).id for name in ("One", "Two", "Three"))
    add_membership(store, actor, organization, one, "a", DAYS[0])
    add_membership(store, actor, organization, two, "b", DAYS[2])
    add_membership(store, actor, organization, three, "a", DAYS[5], ["a", "b"])
    rows = list_memberships(store, organization, ListQuery(1000)).items
    found = {row.team_id: (row.start_on, row.end_on) for row in rows}
    assert found == {one: (DAYS[0], DAYS[4]), two: (DAYS[2], DAYS[4]), three: (DAYS[5], None)}


def _do(
    store: ControlStore,
    actor: Principal,
    organization: str,
    teams: list[str],
    rows: list[MembershipRecord],
    step: tuple[object, ...],
) -> None:
    match step:
        case ("add", int(team), str(developer), date() as day):
            add_membership(store, actor, organization, teams[team], developer, day)
        case ("change", int(number), date() as first, last) if rows:
            wanted = rows[number % len(rows)].id
            end = last if isinstance(last, date) else None
            change_membership(store, actor, organization, wanted, start_on=first, end_on=end)
        case ("remove", int(number)) if rows:
            remove_membership(store, actor, organization, rows[number % len(rows)].id)


def test_a_long_list_takes_as_many_queries_as_a_short_one_and_reads_the_rows_of_the_team_alone(
    store: ControlStore,
) -> None:
    organization = store.ensure_organization("Acme").id
    actor = principal(store, join(store, organization, "owner"))
    few, many = (create_team(store, actor, organization, name).id for name in ("Few", "Many"))
    for number, team in enumerate([few, *[many] * 5]):
        add_membership(store, actor, organization, team, f"developer {number}", DAYS[0])
    statements: list[tuple[str, Any]] = []
    event.listen(
        store.engine, "before_cursor_execute", lambda *given: statements.append((given[2], given[3]))
    )

    def taken(team: str, size: int) -> list[tuple[str, Any]]:
        statements.clear()
        assert len(list_memberships(store, organization, ListQuery(10), team_id=team).items) == size
        return [one for one in statements if one[0].startswith("SELECT")]

    asked = taken(many, 5)
    assert len(taken(few, 1)) == len(asked)
    if store.engine.dialect.name == "sqlite":
        [listed] = [one for one in asked if "ORDER BY" in one[0]]
        with store.engine.connect() as connection:
            plan = connection.exec_driver_sql(f"explain query plan {listed[0]}", listed[1]).fetchall()
        assert any("ix_team_memberships_team" in row[3] for row in plan), plan
