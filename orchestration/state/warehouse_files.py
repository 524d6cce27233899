"""The paths of the files beside an organization's warehouse, and their deletion.

Keep out: the build (build/dbt_build.py), publishing (publishing/snapshot.py).
"""

import shutil
from pathlib import Path

import duckdb

LOCKED = "Could not set lock"
"""DuckDB's words for a file that another process has open. It has no error class of its own."""


def published_tables(warehouse: Path) -> Path:
    """The file to which dbt writes the published tables, before `publish` moves it. profiles.yml has the same name."""
    return warehouse.with_name(f"{warehouse.name}.published")


def build_record_file(warehouse: Path) -> Path:
    """The JSON file of a complete build: `build_id`, `engine`, input fingerprints (`inputs`), outbox `watermark`.

    A partial build has no such file.
    """
    return warehouse.with_suffix(".inputs.json")


def discard_unreadable(warehouse: Path) -> None:
    """Remove a warehouse that cannot be opened, for example after a power cut; the build makes a new one.

    Raises duckdb.IOException while another process has it open.
    """
    if not warehouse.exists():
        return
    try:
        duckdb.connect(str(warehouse)).close()
    except duckdb.Error as error:
        if LOCKED in str(error):
            raise
        discard(warehouse)


def spark_folder(warehouse: Path) -> Path:
    """The folder of the tables that Spark builds, where it does: views of the warehouse read them."""
    return warehouse.with_suffix(".spark")


def discard(warehouse: Path) -> None:
    """Delete a warehouse and the files beside it. No process may have it open."""
    published = published_tables(warehouse)
    for file in (warehouse, published):
        file.unlink(missing_ok=True)
        file.with_name(f"{file.name}.wal").unlink(missing_ok=True)
    shutil.rmtree(spark_folder(warehouse), ignore_errors=True)
    build_record_file(warehouse).unlink(missing_ok=True)
