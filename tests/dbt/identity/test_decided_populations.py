"""Random decisions in the control store give the same developers as plain loops over its rows."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from api.control.errors import ControlError
from api.control.store import open_store
from ingest.schemas import control as schemas
from tests.dbt import warehouse
from tests.dbt.invented import invented_lake
from tests.dbt.invented.decided_steps import TABLES, Administration, population
from tests.dbt.invented.invented_history import ORGANIZATION_ID, History
from tests.dbt.invented.invented_identities import Person, mailbox_id
from tests.dbt.naive.naive_identities import World

POPULATIONS, STEPS = 25, 12
KINDS = ("merge", "merge", "split", "split", "tell", "tell", "tell", "undo any")
SAID = {
    "name": "name", "role": "role", "seniority": "seniority", "joining_date": "joined_on", "leaving_date": "left_on",
}  # fmt: skip


class Taken:
    """The rows of every population's decisions, as decisions of one invented organization."""

    def __init__(self, rows: dict[str, list[dict[str, Any]]]) -> None:
        self._rows = rows

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        return self._rows


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[World], dict[str, list[dict[str, Any]]]]:
    dice = random.Random(20)
    store = open_store(tmp_path_factory.mktemp("control"))
    store.ensure_organization("Acme", organization_id=ORGANIZATION_ID, slug="acme")
    offices = [Administration(store, population(number)) for number in range(POPULATIONS)]
    taken = 0
    for office in offices:
        for _ in range(STEPS):
            step = dice.choice(KINDS), dice.randrange(8), dice.randrange(8), dice.choice("xyz")
            try:
                office.take(step, office.world)
                taken += 1
            except ControlError:
                continue
    assert taken > POPULATIONS * STEPS // 2
    rows = offices[0].rows
    store.close()
    # Some names are used first after everything was decided.
    return [World(population(number, with_late=True), rows) for number in range(POPULATIONS)], rows


@pytest.fixture(scope="module")
def decided(
    worlds: tuple[list[World], dict[str, list[dict[str, Any]]]], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("populations")
    history = History("acme/people", seed=1)
    for number in range(POPULATIONS):
        for group in population(number, with_late=True):
            for person in group:
                history.say("Change the parser", author=person)
    _, rows = worlds
    assert set(TABLES) < set(schemas.TABLES)
    taken = Taken(rows | {"member_mailboxes": []})
    invented_lake.write(folder / "raw", [history.finish()], identities=taken)
    return warehouse.build(
        folder / "raw", folder, select="+int_identity__developers +int_identity__attributes"
    )


def test_developers_and_ids_equal_those_of_plain_loops(
    worlds: tuple[list[World], dict[str, list[dict[str, Any]]]], decided: Path
) -> None:
    query = "select developer_id, name, address from int_identity__developers"
    found: dict[str, set[Person]] = defaultdict(set)
    for row in warehouse.rows(decided, query):
        found[row["developer_id"]].add((row["name"], row["address"]))
    expected = {developer: people for world in worlds[0] for developer, people in world.people.items()}
    assert found == expected
    # Some are merged, some are split, and some of both.
    assert len(expected) != 3 * POPULATIONS
    assert {len(people) for people in expected.values()} >= {1, 2, 3, 4, 5}
    # Some late names moved with their mailbox; others stayed with the remaining developer of a split.
    late = {person for people in expected.values() for person in people if " Poe" in person[0]}
    assert len(late) == 2 * POPULATIONS
    assert (
        len(
            {mailbox_id(email) for _, email in late}
            & {row["mailbox_id"] for row in worlds[1]["mailbox_splits"]}
        )
        > 5
    )
    assert any(row["developer_id"] is None for row in worlds[1]["identity_splits"])


def test_every_former_id_finds_its_developer(
    worlds: tuple[list[World], dict[str, list[dict[str, Any]]]], decided: Path
) -> None:
    query = "select known_developer_id as known, developer_id from int_identity__known_ids"
    found = {row["known"]: row["developer_id"] for row in warehouse.rows(decided, query)}
    assert found == {known: who for world in worlds[0] for known, who in world.known_ids.items()}


def test_attributes_belong_to_the_right_developer(
    worlds: tuple[list[World], dict[str, list[dict[str, Any]]]], decided: Path
) -> None:
    columns = ", ".join(f"cast({column} as varchar) as {name}" for name, column in SAID.items())
    query = f"select developer_id, {columns} from int_identity__attributes"
    found = {
        row["developer_id"]: {name: row[name] for name in SAID if row[name] is not None}
        for row in warehouse.rows(decided, query)
    }
    expected = {who: attributes for world in worlds[0] for who, attributes in world.attributes.items()}
    assert {who: attributes for who, attributes in found.items() if attributes} == expected
    assert {name for attributes in expected.values() for name in attributes} == SAID.keys()
    # Several ids hold attributes of one developer.
    ids = [row["developer_id"] for row in worlds[1]["developer_attributes"]]
    assert len(set(ids)) > len(expected) > 15
