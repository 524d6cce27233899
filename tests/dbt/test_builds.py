"""The same facts give the same rows: whatever the order and the threads, and whenever built for the same instant."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestration.published_schema import RELATIONS
from tests.dbt import invented_lake, warehouse
from tests.dbt.invented_history import Repository


@pytest.fixture(scope="module")
def shuffled(repositories: list[Repository], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shuffled")
    invented_lake.write(folder / "raw", reversed(repositories), shuffle=11)
    return warehouse.build(folder / "raw", folder, threads=1, with_tests=False)


def test_neither_order_nor_threads_change_a_bit(built: Path, shuffled: Path) -> None:
    names = warehouse.relations(built, "api_v1__")
    assert len(names) == len(RELATIONS)
    for name in names:
        assert warehouse.fingerprint(shuffled, name) == warehouse.fingerprint(built, name), name


def test_an_earlier_instant_changes_only_what_depends_on_it(built: Path, tmp_path: Path) -> None:
    raw = built.parent / "raw"
    select = "+api_v1__commits +api_v1__organizations +api_v1__performance"
    earlier = warehouse.build(raw, tmp_path, select=select, as_of="2025-03-10 23:30:00+00:00")
    facts = "commit_id, etv_micro, delivered_on, provisional_until"
    query = f"select {facts} from api_v1__commits order by commit_id"
    assert warehouse.rows(earlier, query) == warehouse.rows(built, query)
    organization = warehouse.rows(earlier, "select * from api_v1__organizations")[0]
    # Half past eleven in the evening of a Monday is Tuesday in Vienna.
    assert str(organization["last_complete_week_start"]) == "2025-03-03"
    assert str(organization["last_complete_month_start"]) == "2025-02-01"
    provisional = warehouse.rows(
        earlier,
        "select is_provisional, provisional_until > '2025-03-10 23:30:00+00:00' as p from api_v1__commits",
    )
    assert {row["is_provisional"] == row["p"] for row in provisional} == {True}
    assert {row["p"] for row in provisional} == {True, False}
    drafts = warehouse.rows(
        earlier, "select is_draft, period_end >= '2025-03-11' as d from api_v1__performance"
    )
    assert {row["is_draft"] == row["d"] for row in drafts} == {True}


def test_an_organization_without_sources_builds_empty(tmp_path: Path) -> None:
    invented_lake.write(tmp_path / "raw", [])
    file = warehouse.build(tmp_path / "raw", tmp_path)
    sizes = {
        name: warehouse.rows(file, f"select count(*) as n from {name}")[0]["n"]
        for name in warehouse.relations(file, "api_v1__")
    }
    assert sizes.pop("api_v1__organizations") == 1
    # What the reasons mean is the same for everybody.
    assert sizes.pop("api_v1__zero_reasons") > 10
    assert set(sizes.values()) == {0}
