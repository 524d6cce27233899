"""The empty relations of a build without connections have the columns that dbt would give them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orchestration.build import connection_models
from tests.dbt import warehouse

COLUMNS = (
    "select table_name, column_name, data_type from duckdb_columns() "
    "where not internal and database_name = current_database() order by column_index"
)


def columns(file: Path) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for row in warehouse.rows(file, COLUMNS):
        found.setdefault(row["table_name"], {})[row["column_name"]] = row["data_type"]
    return found


@pytest.fixture(scope="module")
def manifest() -> dict[str, Any]:
    found: dict[str, Any] = warehouse.project().to_dict()
    return found


@pytest.fixture(scope="module")
def models(manifest: dict[str, Any]) -> list[connection_models.LeftOut]:
    return connection_models.of_manifest(manifest)


def test_models_that_others_read_name_their_types(
    manifest: dict[str, Any], models: list[connection_models.LeftOut]
) -> None:
    left_out = {model.unique_id: model for model in models}
    read = {
        parent
        for unique_id, node in manifest["nodes"].items()
        if node["resource_type"] == "model" and unique_id not in left_out
        for parent in node["depends_on"]["nodes"]
        if parent in left_out
    }
    assert read
    assert [left_out[one].name for one in read if not all(left_out[one].relations.values())] == []


def test_empty_relations_have_the_columns_of_their_models(
    built: Path, models: list[connection_models.LeftOut], tmp_path: Path
) -> None:
    file = tmp_path / "empty.duckdb"
    connection_models.empty(file, models)
    for ours, theirs in ((file, built), (warehouse.published(file), warehouse.published(built))):
        made, expected = columns(ours), columns(theirs)
        assert made
        assert {name: kinds for name, kinds in expected.items() if name in made} == made
