"""The files of an organization's warehouse: what stands beside it, and how it is thrown away.

Keep out: building it (build/dbt_build.py), giving its published tables to readers (publishing/snapshot.py).
"""

from pathlib import Path

import duckdb


def published_tables(warehouse: Path) -> Path:
    """The file of the published tables of a build until readers get it; profiles.yml names it for dbt."""
    return warehouse.with_name(f"{warehouse.name}.published")


def built_from(warehouse: Path) -> Path:
    """The file that says what a complete warehouse was built from (`inputs`, `seen`) and the id of that build.

    There is none for a warehouse of which only a part was built.
    """
    return warehouse.with_suffix(".inputs.json")


def discard_unreadable(warehouse: Path) -> None:
    """Remove a warehouse that cannot be opened: a killed machine may leave one, and every build makes it anew.

    Raises duckdb.IOException while another process has it open.
    """
    if not warehouse.exists():
        return
    try:
        duckdb.connect(str(warehouse)).close()
    except duckdb.Error as error:
        if "lock" in str(error).lower():
            raise
        discard(warehouse)


def discard(warehouse: Path) -> None:
    """Delete a warehouse that nobody has open; every build makes it anew."""
    published = published_tables(warehouse)
    for file in (warehouse, published):
        file.unlink(missing_ok=True)
        file.with_name(f"{file.name}.wal").unlink(missing_ok=True)
    built_from(warehouse).unlink(missing_ok=True)
