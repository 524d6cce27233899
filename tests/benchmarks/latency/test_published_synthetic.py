"""The invented warehouse has the marts of the contracts, column by column: a bench of other columns says nothing."""

from pathlib import Path

import duckdb
import pytest

from tests.benchmarks.latency.published_synthetic import write_warehouse
from tests.published_tables import departures


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    write_warehouse(tmp_path / "built.duckdb", commits=200, repositories=4, developers=8, teams=3, days=400)
    return tmp_path / "built.duckdb"


def test_every_mart_has_the_columns_of_its_contract(warehouse: Path) -> None:
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        assert departures(connection) == []


@pytest.mark.parametrize(
    "change",
    [
        "alter table api_v1__commits drop subject",
        "alter table api_v1__commits add more integer",
        "alter table api_v1__daily alter commits type integer",
        "drop table api_v1__capex",
    ],
)
def test_a_departure_is_noticed(warehouse: Path, change: str) -> None:
    with duckdb.connect(str(warehouse)) as connection:
        before = departures(connection)
        connection.execute(change)
        assert departures(connection) != before
