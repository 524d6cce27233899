"""Builds the models of one raw lake on both engines."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingest.lake import Lake
from orchestration.build import dbt_build, raw_tables, spark_models
from tests.dbt import warehouse
from tests.dbt.spark import processor_time
from tests.dbt.spark.comparison import Difference, differences


@dataclass(frozen=True)
class Cost:
    """Seconds of a build: on the clock, and of all processors."""

    seconds: float
    processor_seconds: float

    def __str__(self) -> str:
        return f"{self.seconds:.0f} s (processors {self.processor_seconds:.0f} s)"


@dataclass(frozen=True)
class Both:
    """A build on each engine. `names` are the tables that both have, in dbt's order."""

    warehouse: Path
    tables: Path
    names: list[str]
    duckdb: Cost
    spark: Cost

    def differences(self) -> list[Difference]:
        """The tables that differ."""
        return differences(self.warehouse, self.tables, self.names)


def built(
    raw: Path,
    organization_id: str,
    folder: Path,
    as_of: str = warehouse.AS_OF,
    options: Mapping[str, str] | None = None,
) -> Both:
    """Build every model on both engines, without data tests. Every model must be built. `options` are Spark's."""
    file, files = _declared(raw, organization_id, folder)
    variables = {"organization_id": organization_id, "as_of": as_of}
    place = spark_models.SparkBuild(folder / "spark", file, options or {})

    started, used = time.monotonic(), processor_time.used()
    on_spark = spark_models.run(
        place,
        files,
        {},
        lambda command: dbt_build.invoke(command, variables, folder / "on_spark", file, None),
    )
    spark = Cost(time.monotonic() - started, processor_time.used() - used)
    _check(on_spark)
    duckdb = _on_duckdb(file, variables, folder)
    names = [
        result.node.alias
        for result in on_spark.results
        if result.node.resource_type == "model" and result.node.config.materialized == "table"
    ]
    return Both(file, place.tables, names, duckdb, spark)


def built_by_duckdb(raw: Path, organization_id: str, folder: Path, as_of: str = warehouse.AS_OF) -> Cost:
    """Build every model on DuckDB alone, as `built` does. Returns its cost."""
    file, _ = _declared(raw, organization_id, folder)
    return _on_duckdb(file, {"organization_id": organization_id, "as_of": as_of}, folder)


def _declared(
    raw: Path, organization_id: str, folder: Path
) -> tuple[Path, Mapping[tuple[str, str], list[str]]]:
    """A warehouse with the raw tables in an empty folder, and their files."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    file = folder / "warehouse.duckdb"
    files = Lake(raw).files(organization_id)
    raw_tables.declare(file, files)
    return file, files


def _on_duckdb(file: Path, variables: dict[str, str], folder: Path) -> Cost:
    command = ["build", "--no-write-json", "--exclude-resource-types", "test", "unit_test"]
    started, used = time.monotonic(), processor_time.used()
    run = dbt_build.invoke(command, variables, folder / "on_duckdb", file, None)
    cost = Cost(time.monotonic() - started, processor_time.used() - used)
    _check(run)
    return cost


def _check(run: Any) -> None:
    failed = [(one.node.name, one.message) for one in run.results if str(one.status) != "success"]
    assert not failed, failed
