"""The data tests of published tables find differences from the marts and orders, and a difference fails the build."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.dbt import warehouse

CHANGES = {
    "insert into capex from capex limit 1": "rows_of_capex",
    "delete from performance_by_period where rowid = 0": "rows_of_performance",
    "delete from daily_by_team where rowid = 0": "rows_of_api_v1__daily",
    "update commits_by_repository set position = position + 1 where position = 3": "rows_of_api_v1__commits",
    "update teams set position = position + 1 where position = 1": "rows_of_teams",
    "update daily_totals set etv_micro = etv_micro + 1 where rowid = 0": "published_sums",
    "delete from team_periods where period = 'month'": "published_sums",
    "update team_days set files = files - 1 where rowid = 0": "published_sums",
}
SELECTED = ("--select", *sorted(set(CHANGES.values())))


@pytest.fixture(scope="module")
def copied(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A warehouse of which the tests change the published tables."""
    folder = tmp_path_factory.mktemp("published")
    for file in (built, warehouse.published(built)):
        shutil.copyfile(file, folder / file.name)
    return folder / built.name


@pytest.fixture(scope="module")
def queries(built: Path, copied: Path) -> dict[str, str]:
    """What each data test asks, compiled once: compiling takes most of the time of a run."""
    answer = warehouse.run_dbt(["compile", *SELECTED], built.parent / "raw", copied.parent)
    return {result.node.name: result.node.compiled_code for result in answer.results}


@pytest.fixture
def changeable(copied: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection as dbt has it, whose changes are undone."""
    with duckdb.connect(str(copied)) as connection:
        connection.execute(f"attach '{warehouse.published(copied)}' as published")
        connection.execute("begin")
        yield connection
        connection.execute("rollback")


@pytest.mark.parametrize(("change", "finder"), CHANGES.items(), ids=list(CHANGES))
def test_a_difference_is_found(
    changeable: duckdb.DuckDBPyConnection, queries: dict[str, str], change: str, finder: str
) -> None:
    assert set(queries) == set(CHANGES.values())
    assert [name for name, query in queries.items() if changeable.execute(query).fetchall()] == []
    changeable.execute("use published")
    changeable.execute(change)
    changeable.execute("use warehouse")
    assert [name for name, query in queries.items() if changeable.execute(query).fetchall()] == [finder]


def test_a_difference_fails_the_build(built: Path, copied: Path, tmp_path: Path) -> None:
    for file in (copied, warehouse.published(copied)):
        shutil.copyfile(file, tmp_path / file.name)
    with duckdb.connect(str(warehouse.published(tmp_path / copied.name))) as connection:
        for change in CHANGES:
            connection.execute(change)
    answer = warehouse.run_dbt(["test", *SELECTED], built.parent / "raw", tmp_path)
    found = {result.node.name: str(result.status) for result in answer.results}
    assert found == dict.fromkeys(CHANGES.values(), "fail")
