"""Totals of lists include every committed change at once, by any process, and no rolled-back one."""

from pathlib import Path

import pytest
from sqlalchemy import Integer, Text, literal, select, union_all

from api.control.list_pages import Key, ListQuery, list_page
from api.control.principals import OPERATOR
from api.control.store import ControlStore, open_store
from api.control.teams.teams import create_team, list_teams
from tests.api.published_facts import ORGANIZATION

pytestmark = pytest.mark.both_databases


@pytest.fixture
def store(tmp_path: Path) -> ControlStore:
    found = open_store(tmp_path)
    found.ensure_organization("Acme", organization_id=ORGANIZATION, slug="acme")
    return found


def total(store: ControlStore) -> int:
    return list_teams(store, ORGANIZATION, ListQuery(1)).total


def test_a_total_is_that_of_the_last_commit_of_any_process(store: ControlStore) -> None:
    other = open_store(url=store.engine.url.render_as_string(hide_password=False))
    for number in range(1, 6):
        create_team(store if number % 2 else other, OPERATOR, ORGANIZATION, f"Team {number}", None)
        for _ in range(2):
            assert total(store) == number
            assert total(other) == number


def test_rolled_back_changes_are_not_counted(store: ControlStore) -> None:
    create_team(store, OPERATOR, ORGANIZATION, "Kept", None)
    assert total(store) == 1
    with pytest.raises(ZeroDivisionError):
        _make_and_take_back(store)
    assert total(store) == 1


def _make_and_take_back(store: ControlStore) -> None:
    with store.write_transaction(ORGANIZATION) as session:
        joined = store.joined(session)
        create_team(joined, OPERATOR, ORGANIZATION, "Taken back", None)
        assert total(joined) == 2
        raise ZeroDivisionError


ROWS: list[tuple[str, int | None]] = [("a", 2), ("b", None), ("c", 1), ("d", None), ("e", 2), ("f", None)]


@pytest.mark.parametrize(("order", "expected"), [("at", "caebdf"), ("at desc", "eacfdb")])
@pytest.mark.parametrize("size", [1, 2, 4])
def test_later_pages_have_the_rows_without_a_value_too(
    store: ControlStore, order: str, expected: str, size: int
) -> None:
    listed = union_all(
        *(select(literal(name, Text).label("id"), literal(at, Integer).label("at")) for name, at in ROWS)
    ).subquery("listed")
    keys = {"id": Key(listed.c.id), "at": Key(listed.c.at, nullable=True)}
    found, after = "", None
    with store.session() as session:
        for _ in range(len(ROWS)):
            asked = ListQuery(size, order, after)
            page = list_page(session, select(listed.c.id), keys, asked, str, default="id", unique="id")
            found += "".join(page.items)
            if page.next_values is None:
                break
            after = tuple(page.next_values)
    assert found == expected
