"""Builds a warehouse with dbt in this process and reads it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import duckdb

from tests.dbt.invented_history import ORGANIZATION_ID

PROJECT = Path(__file__).parents[2] / "dbt_project"
AS_OF = "2027-03-01 12:00:00+00:00"


def run_dbt(command: list[str], raw: Path, folder: Path, **options: Any) -> Any:
    """dbt's results by node name. `options` are variables; `threads` goes to DuckDB and dbt alike."""
    from dbt.adapters.duckdb.connections import DuckDBConnectionManager
    from dbt.cli.main import dbtRunner

    threads = str(options.pop("threads", 2))
    names = {
        "EAS_WAREHOUSE_PATH": str(folder / "warehouse.duckdb"),
        "EAS_WAREHOUSE_THREADS": threads,
        "EAS_DBT_THREADS": threads,
    }
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(names)
    variables = {"organization_id": ORGANIZATION_ID, "raw_dir": str(raw), "as_of": AS_OF} | options
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
                str(folder / "target"),
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


def build(raw: Path, folder: Path, **options: Any) -> Path:
    """The warehouse file of a build in which every model and data test passed; `select` names some of them."""
    folder.mkdir(parents=True, exist_ok=True)
    chosen = ["--select", options.pop("select")] if "select" in options else []
    answer = run_dbt(["build", "--exclude-resource-type", "unit_test", *chosen], raw, folder, **options)
    failed = [(r.node.name, r.message) for r in answer.results if str(r.status) not in ("success", "pass")]
    assert not failed, failed
    return folder / "warehouse.duckdb"


def rows(warehouse: Path, query: str) -> list[dict[str, Any]]:
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        found = connection.execute(query)
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def relations(warehouse: Path, prefix: str) -> list[str]:
    query = f"select table_name from duckdb_tables() where starts_with(table_name, '{prefix}') order by 1"
    return [row["table_name"] for row in rows(warehouse, query)]


def fingerprint(warehouse: Path, relation: str) -> list[str]:
    """The rows of a relation as text in an order of their own: equal when the relations are, bit for bit."""
    with duckdb.connect(str(warehouse), read_only=True) as connection:
        columns = [c[0] for c in connection.execute(f"select * from {relation} limit 0").description]
        whole = " || chr(31) || ".join(f"coalesce(cast({c} as varchar), chr(0))" for c in columns)
        return [
            row[0] for row in connection.execute(f"select {whole} as t from {relation} order by t").fetchall()
        ]
