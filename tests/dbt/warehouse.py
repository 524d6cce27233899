"""Builds a warehouse with dbt in this process and reads it.

The project is parsed as the product parses it: once for all builds, whatever their variables and paths.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from ingest.lake import Lake
from orchestration.build import dbt_build, parsed_project, raw_tables
from orchestration.deployment import DBT_PROJECT, Deployment
from orchestration.state.warehouse_files import published_tables
from tests.dbt.invented.invented_history import ORGANIZATION_ID
from tests.suite.tiers import IS_WHOLE

PROJECT = DBT_PROJECT
AS_OF = "2027-03-01 12:00:00+00:00"


def project() -> Any:
    """dbt's manifest of the project."""
    return parsed_project.load(_parsed(), "warehouse")


def _parsed() -> Path:
    """The folder of the parsed project. Parsing takes half as long as the models."""
    return dbt_build.manifest(Deployment()).parent


def run_dbt(command: list[str], raw: Path, folder: Path, **options: Any) -> Any:
    """dbt's results by node name. `options` are variables; `threads` goes to DuckDB and dbt alike."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "warehouse.duckdb"
    if command[0] != "compile":
        lake, organization_id = Lake(raw), options.get("organization_id", ORGANIZATION_ID)
        if not raw.exists():
            lake.prepare(organization_id)
        raw_tables.declare(file, lake.files(organization_id))
    threads = str(options.pop("threads", 2))
    variables = {"organization_id": ORGANIZATION_ID, "as_of": AS_OF} | options
    with pytest.MonkeyPatch.context() as patch:
        for name in ("EAS_WAREHOUSE_THREADS", "EAS_DBT_THREADS"):
            patch.setenv(name, threads)
        return dbt_build.invoke(
            [*command, "--no-write-json"], variables, folder / "target", file, None, _parsed()
        )


def build(raw: Path, folder: Path, *, with_tests: bool | None = None, **options: Any) -> Path:
    """Build a warehouse and return its file. Every model and data test must pass; `select` limits them.

    Data tests take half of the time. By default those of a selection run in `make test-all` alone, because whole builds
    run each of them in `make test` too. Skip them if the result is compared, relation by relation, with a tested build.
    """
    with_tests = IS_WHOLE or "select" not in options if with_tests is None else with_tests
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
    """A read-only connection to a warehouse, also to the views of raw tables and to the published tables beside it."""
    connection = duckdb.connect(str(warehouse), read_only=True)
    if published(warehouse).exists():
        connection.execute(f"attach '{published(warehouse)}' as published (read_only)")
        connection.execute("set search_path = 'main,published.main'")
    return connection


def published(warehouse: Path) -> Path:
    """The file of the published tables beside a warehouse."""
    return published_tables(warehouse)


def rows(warehouse: Path, query: str) -> list[dict[str, Any]]:
    with opened(warehouse) as connection:
        found = connection.execute(query)
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def relations(warehouse: Path, prefix: str) -> list[str]:
    """Names of the tables and views of a file."""
    query = (
        "select table_name from information_schema.tables "
        f"where starts_with(table_name, '{prefix}') and table_catalog = current_database() order by 1"
    )
    return [row["table_name"] for row in rows(warehouse, query)]


def figures(warehouse: Path) -> list[str]:
    """Names of the published tables of a warehouse."""
    return relations(published(warehouse), "")


def fingerprint(warehouse: Path, relation: str) -> list[str]:
    """The sorted rows of a relation as text, equal if and only if the relations are equal bit for bit."""
    with opened(warehouse) as connection:
        columns = [c[0] for c in connection.execute(f"select * from {relation} limit 0").description]
        whole = " || chr(31) || ".join(f"coalesce(cast({c} as varchar), chr(0))" for c in columns)
        return [
            row[0] for row in connection.execute(f"select {whole} as t from {relation} order by t").fetchall()
        ]
