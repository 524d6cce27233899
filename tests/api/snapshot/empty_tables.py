"""Writes the tables of an empty build as the models declare them: `python -m tests.api.snapshot.empty_tables`."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from api.snapshot.empty_build import TABLES
from tests.published_tables import create_marts, fill


def of_models() -> dict[str, dict[str, str]]:
    """Columns and types of every published table, from empty marts."""
    with TemporaryDirectory() as folder:
        marts, tables = Path(folder) / "marts.duckdb", Path(folder) / "tables.duckdb"
        with duckdb.connect(str(marts)) as connection:
            create_marts(connection)
        fill(marts, tables)
        with duckdb.connect(str(tables), read_only=True) as connection:
            rows = connection.execute(
                "select table_name, column_name, data_type from duckdb_columns() where not internal "
                "order by table_name, column_index"
            ).fetchall()
    found: dict[str, dict[str, str]] = {}
    for table, column, kind in rows:
        found.setdefault(table, {})[column] = kind
    return found


if __name__ == "__main__":
    TABLES.write_text(json.dumps(of_models(), indent=1) + "\n")
