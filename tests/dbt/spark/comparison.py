"""Compares the tables of a build on Spark with those of a build on DuckDB, cell by cell."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import duckdb

from orchestration.state.warehouse_files import published_tables


@dataclass(frozen=True)
class Difference:
    """A table whose rows differ: how many each engine alone has, and the columns by which they differ."""

    table: str
    only_duckdb: int
    only_spark: int
    columns: tuple[str, ...]

    def __str__(self) -> str:
        return (
            f"{self.table}: {self.only_duckdb} rows of DuckDB alone, {self.only_spark} of Spark alone"
            f" ({', '.join(self.columns) or 'a row more often'})"
        )


def differences(warehouse: Path, tables: Path, names: list[str]) -> list[Difference]:
    """The differences between models of a warehouse of DuckDB and the Parquet files that Spark wrote of them."""
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        connection.execute("set timezone = 'UTC'")
        connection.execute(f"attach '{published_tables(warehouse)}' as published (read_only)")
        connection.execute("set search_path = 'main,published.main'")
        found = (_difference(connection, name, tables / name) for name in names)
        return [one for one in found if one is not None]


def _difference(connection: duckdb.DuckDBPyConnection, name: str, folder: Path) -> Difference | None:
    described = connection.execute(f"describe select * from {name}")
    types = {column: kind for column, kind, *_ in described.fetchall()}
    files = f"read_parquet('{folder}/*.parquet', hive_partitioning = false)"
    of_spark = {row[0] for row in connection.execute(f"describe select * from {files}").fetchall()}
    # The number of a row is made where the table is published.
    shared = {column: kind for column, kind in types.items() if column in of_spark}
    missing = {"position"} if "position" not in of_spark else set()
    if types.keys() - missing != of_spark:
        return Difference(name, -1, -1, tuple(sorted(types.keys() ^ of_spark)))
    columns = ", ".join(f'"{column}"' for column in shared)
    cast = ", ".join(f'cast("{column}" as {kind}) as "{column}"' for column, kind in shared.items())
    ours, theirs = f"(select {columns} from {name})", f"(select {cast} from {files})"
    counts = [
        _count(connection, f"select * from ({one} except all {other})")
        for one, other in ((ours, theirs), (theirs, ours))
    ]
    if counts == [0, 0]:
        return None
    apart = [column for column in shared if _differs(connection, column, shared[column], name, files)]
    return Difference(name, counts[0], counts[1], tuple(apart))


def _differs(connection: duckdb.DuckDBPyConnection, column: str, kind: str, name: str, files: str) -> bool:
    one = f'(select "{column}" from {name})'
    other = f'(select cast("{column}" as {kind}) from {files})'
    return _count(connection, f"select * from ({one} except all {other})") > 0


def _count(connection: duckdb.DuckDBPyConnection, query: str) -> int:
    row = connection.execute(f"select count(*) from ({query})").fetchone()
    assert row is not None
    return int(row[0])
