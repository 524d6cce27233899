"""Declares the raw tables in a warehouse: one view per table over exactly the files that the manifests list.

dbt reads these views as its sources. A pattern would read every file that somebody put into a folder, and a variable
with the list would make dbt parse the project again before each build.
Keep out: the comparison of the files with the manifests (`ingest.lake`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb

from ingest.schemas import TABLES
from orchestration.prices import price_table

# As in profiles.yml: the first connection decides the format of the file.
CONFIG: dict[str, str | bool | int | float | list[str]] = {"storage_compatibility_version": "latest"}


def declare(
    warehouse: Path, files: Mapping[tuple[str, str], Sequence[str]], held: Mapping[str, int] | None = None
) -> None:
    """Replace the views `<noun>.<table>`, and the prices of the models that they name.

    `files` has paths by noun and table.

    `held` are connections by id of which versions of rows after a batch are left out.
    """
    limits = ", ".join(f"('{key}', {batch})" for key, batch in sorted((held or {}).items()))
    with duckdb.connect(str(warehouse), config=CONFIG) as connection:
        for noun in sorted({noun for noun, _ in files}):
            connection.execute(f'create schema if not exists "{noun}"')
        for (noun, table), paths in files.items():
            listed = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
            # Partition keys are columns of the files too; the folder `repository_id=_` must not override them. Files of
            # an earlier release may lack a column.
            query = f"from read_parquet([{listed}], hive_partitioning = false, union_by_name = true) as found"
            if limits and "batch" in TABLES[noun, table].names:
                query += (
                    f" left join (values {limits}) as held (held_id, newest) on found.connection_id = held.held_id"
                    " where held.newest is null or found.batch <= held.newest"
                )
            connection.execute(f'create or replace view "{noun}"."{table}" as select found.* {query}')
        if files.keys() >= price_table.TABLES:
            price_table.declare(connection)
