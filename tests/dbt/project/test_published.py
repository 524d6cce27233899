"""The data tests of published tables find differences from the marts, and a difference fails the build."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from tests.dbt import warehouse

CHANGES = {
    "delete from commit_files where rowid = 0": "published_copies",
    "alter table capex drop column hours": "published_copies",
    "alter table daily add column mood varchar": "published_copies",
    "update commits_by_repository set position = position + 1 where position = 3": "published_copies",
    "update daily_totals set etv_micro = etv_micro + 1 where rowid = 0": "published_sums",
    "delete from team_periods where period = 'month'": "published_sums",
    "update team_days set files = files - 1 where rowid = 0": "published_sums",
}
SELECTED = ("--select", "published_copies", "published_sums")


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
