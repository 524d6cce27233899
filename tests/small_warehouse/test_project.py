"""The small warehouse publishes what the report and the API read, and every raw row."""

from collections.abc import Callable
from pathlib import Path

import pytest

from api.snapshot.empty_build import declared_tables
from ingest.schemas import TABLES
from orchestration.deployment import LOCAL_ORGANIZATION
from tests.end_to_end.eas import Eas
from tests.end_to_end.histories import varied
from tests.git_repository import GitRepository
from tests.small_warehouse.project import filled_tables


@pytest.fixture
def built(tmp_path: Path, new_repository: Callable[..., GitRepository]) -> Eas:
    eas = Eas(tmp_path / "data", is_small=True)
    done = eas.run_here("analyze", varied(new_repository("house")).path)
    assert done.returncode == 0, done.stdout
    return eas


def test_its_published_tables_have_the_contracted_columns_and_every_raw_row(built: Eas) -> None:
    columns: dict[str, dict[str, str]] = {}
    for table, column, kind in built.rows(
        "select table_name, column_name, data_type from duckdb_columns() where not internal"
        " order by table_name, column_index"
    ):
        columns.setdefault(table, {})[column] = kind
    expected = declared_tables()
    assert {table: list(columns[table].items()) for table in expected} == {
        table: list(declared.items()) for table, declared in expected.items()
    }
    assert columns.keys() - expected.keys() == {"raw_rows", "connected_rows"}
    filled = {table for table in expected if built.rows(f"select count(*) from {table}") != [(0,)]}
    assert filled == set(filled_tables()) - {"raw_rows", "connected_rows"}

    published = dict(built.rows("select raw_table, count(*) from raw_rows group by all"))
    for noun, table in TABLES:
        if noun in ("git", "control"):
            folder = built.data / "raw" / noun / table / f"organization_id={LOCAL_ORGANIZATION}"
            files = [str(file) for file in folder.rglob("*.parquet")]
            [(rows,)] = built.rows(f"select count(*) from read_parquet({files})")
            assert published.get(f"{noun}/{table}", 0) == rows, (noun, table)
