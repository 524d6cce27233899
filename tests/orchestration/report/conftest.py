"""Snapshots made by hand: an empty one, and one of an organization with people."""

import json
import shutil
from collections.abc import Iterator
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.orchestration.report.snapshot_rows import MONDAY, ORGANIZATION, Insert
from tests.published_tables import create_marts, fill

NEUTRAL: dict[str, Any] = {"BOOLEAN": False, "INTEGER": 0, "BIGINT": 0}


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Published tables without rows. Making them takes most of a second."""
    folder = tmp_path_factory.mktemp("empty")
    with duckdb.connect(str(folder / "marts.duckdb")) as marts:
        create_marts(marts)
    fill(folder / "marts.duckdb", folder / "tables.duckdb")
    return folder / "tables.duckdb"


@pytest.fixture
def published(empty: Path, tmp_path: Path) -> Iterator[tuple[Path, Insert]]:
    """An empty snapshot, and a function that adds a row to a table; missing values are neutral."""
    folder = tmp_path / ORGANIZATION
    folder.mkdir()
    shutil.copyfile(empty, folder / "b1.duckdb")
    connection = duckdb.connect(str(folder / "b1.duckdb"))

    @cache
    def neutral(table: str) -> dict[str, Any]:
        return {
            name: NEUTRAL.get(kind) for name, kind, *_ in connection.execute(f"describe {table}").fetchall()
        }

    def insert(table: str, **values: Any) -> None:
        row = neutral(table) | values
        marks = ", ".join("?" * len(row))
        connection.execute(f"insert into {table} ({', '.join(row)}) values ({marks})", list(row.values()))

    (folder / "current.json").write_text(json.dumps({"build_id": "b1", "file": "b1.duckdb"}))
    yield tmp_path, insert
    connection.close()


@pytest.fixture
def busy(published: tuple[Path, Insert]) -> tuple[Path, Insert]:
    """An organization with two repositories, two people and a bot."""
    root, insert = published
    insert(
        "organizations",
        organization_id=ORGANIZATION,
        name="Local",
        time_zone="UTC",
        last_complete_week_start=MONDAY,
        last_complete_month_start=date(2024, 4, 1),
    )
    for repository in ("r1", "r2"):
        insert("repositories", repository_id=repository, name=f"owner/{repository}")
    for developer, name in (("d1", "Ada"), ("d2", "Grace"), ("d3", "robot")):
        insert("developers", developer_id=developer, name=name)
    return root, insert
