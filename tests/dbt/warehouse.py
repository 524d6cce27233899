"""Builds a warehouse with dbt in this process and reads it.

dbt parses the project again if a variable or path differs from the last build, which takes half as long as the models.
So every build uses the same path: a symbolic link to the folder of the build.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import duckdb

from ingest.lake import Lake
from orchestration.build import raw_tables
from orchestration.state.warehouse_files import published_tables
from tests.dbt.invented.invented_history import ORGANIZATION_ID

PROJECT = Path(__file__).parents[2] / "dbt_project"
AS_OF = "2027-03-01 12:00:00+00:00"


@cache
def _places() -> Path:
    """The folder of the link and of dbt's parsed project; one per process."""
    folder = Path(tempfile.mkdtemp(prefix="eas-dbt-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _lead_to(name: str, folder: Path) -> Path:
    link = _places() / name
    link.unlink(missing_ok=True)
    link.symlink_to(folder.absolute())
    return link


def run_dbt(command: list[str], raw: Path, folder: Path, **options: Any) -> Any:
    """dbt's results by node name. `options` are variables; `threads` goes to DuckDB and dbt alike."""
    from dbt.adapters.duckdb.connections import DuckDBConnectionManager
    from dbt.cli.main import dbtRunner

    from orchestration.build import dbt_savings

    dbt_savings.install()
    folder.mkdir(parents=True, exist_ok=True)
    if command[0] not in ("parse", "compile"):
        lake, organization_id = Lake(raw), options.get("organization_id", ORGANIZATION_ID)
        if not raw.exists():
            lake.prepare(organization_id)
        raw_tables.declare(folder / "warehouse.duckdb", lake.files(organization_id))
    threads = str(options.pop("threads", 2))
    names = {
        "EAS_WAREHOUSE_PATH": str(_lead_to("folder", folder) / "warehouse.duckdb"),
        "EAS_WAREHOUSE_THREADS": threads,
        "EAS_DBT_THREADS": threads,
    }
    variables = {"organization_id": ORGANIZATION_ID, "as_of": AS_OF}
    variables |= options
    parsed = hashlib.sha256(json.dumps([threads, variables], sort_keys=True).encode()).hexdigest()[:16]
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(names)
    try:
        result = dbtRunner().invoke(
            [
                *command,
                "--quiet",
                "--log-level",
                "none",
                "--log-level-file",
                "none",
                "--project-dir",
                str(PROJECT),
                "--profiles-dir",
                str(PROJECT),
                "--target-path",
                str(_places() / parsed),
                "--log-path",
                str(folder / "logs"),
                "--vars",
                json.dumps(variables),
            ]
        )
    finally:
        DuckDBConnectionManager.close_all_connections()
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
    assert result.exception is None, result.exception
    return result.result


def build(raw: Path, folder: Path, *, with_tests: bool = True, **options: Any) -> Path:
    """Build a warehouse and return its file. Every model and data test must pass; `select` limits them.

    Skip the data tests if the result is compared, relation by relation, with a tested build.
    """
    # Cautious: a test that compares with a model outside the selection cannot run.
    chosen = (
        ["--indirect-selection", "cautious", "--select", options.pop("select")] if "select" in options else []
    )
    left_out = ["unit_test"] if with_tests else ["unit_test", "test"]
    command = ["build", *(word for kind in left_out for word in ("--exclude-resource-type", kind)), *chosen]
    answer = run_dbt(command, raw, folder, **options)
    failed = [(r.node.name, r.message) for r in answer.results if str(r.status) not in ("success", "pass")]
    assert not failed, failed
    return folder / "warehouse.duckdb"


def opened(warehouse: Path) -> duckdb.DuckDBPyConnection:
    """A read-only connection, also to the views of raw tables."""
    return duckdb.connect(str(warehouse), read_only=True)


def published(warehouse: Path) -> Path:
    """The file of the published tables beside a warehouse."""
    return published_tables(warehouse)


def rows(warehouse: Path, query: str) -> list[dict[str, Any]]:
    with opened(warehouse) as connection:
        found = connection.execute(query)
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def relations(warehouse: Path, prefix: str) -> list[str]:
    query = f"select table_name from information_schema.tables where starts_with(table_name, '{prefix}') order by 1"
    return [row["table_name"] for row in rows(warehouse, query)]


def fingerprint(warehouse: Path, relation: str) -> list[str]:
    """The sorted rows of a relation as text, equal if and only if the relations are equal bit for bit."""
    with opened(warehouse) as connection:
        columns = [c[0] for c in connection.execute(f"select * from {relation} limit 0").description]
        whole = " || chr(31) || ".join(f"coalesce(cast({c} as varchar), chr(0))" for c in columns)
        return [
            row[0] for row in connection.execute(f"select {whole} as t from {relation} order by t").fetchall()
        ]
