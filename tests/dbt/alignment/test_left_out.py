"""The empty relations of a build without connections have the columns that dbt would give them."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestration.build import connection_models
from tests.dbt import warehouse

COLUMNS = (
    "select table_name, column_name, data_type from duckdb_columns() where not internal order by column_index"
)


def columns(file: Path) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for row in warehouse.rows(file, COLUMNS):
        found.setdefault(row["table_name"], {})[row["column_name"]] = row["data_type"]
    return found


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> list[connection_models.LeftOut]:
    folder = tmp_path_factory.mktemp("parsed")
    manifest = warehouse.run_dbt(["parse"], folder / "raw", folder).to_dict()
    return connection_models.of_manifest(manifest)


def test_empty_relations_have_the_columns_of_their_models(
    built: Path, models: list[connection_models.LeftOut], tmp_path: Path
) -> None:
    file = tmp_path / "empty.duckdb"
    connection_models.empty(file, models)
    for ours, theirs in ((file, built), (warehouse.published(file), warehouse.published(built))):
        made, expected = columns(ours), columns(theirs)
        assert made
        assert {name: kinds for name, kinds in expected.items() if name in made} == made
