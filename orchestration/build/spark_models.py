"""Builds the models of one organization on Spark and leaves each table as Parquet files, which DuckDB reads.

Add: how dbt is called for Spark. Keep out: the session (spark_session.py), what reads the files (`rows_of_spark` in
dbt_project), the rest of a build (dbt_build.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb

from api.operator.environment import value_of
from orchestration.build import spark_session, spark_steps
from orchestration.build.spark_session import DuckDBMemory, SparkSession, SparkUnavailable
from orchestration.runtime.explanations import Explained
from orchestration.state.warehouse_files import spark_folder

SCHEMA = "main"
PRICES = ("model_prices", "model_names")
COMMAND = (
    "build", "--target", "spark", "--no-write-json", "--exclude-resource-types", "test", "unit_test",
    "--exclude", "models/marts/published",
)  # fmt: skip
"""The data tests read the Parquet files with DuckDB, and published tables are DuckDB's own."""
WHOLE_BUILD = "build all models: run `eas analyze`, or select every asset of the organization in Dagster"


class NotInParts(Explained):
    """Only a build of all models makes this warehouse. The message says how to run one."""


@dataclass(frozen=True)
class SparkBuild:
    """Where a build on Spark works: `folder` gets the tables, `warehouse` is DuckDB's file with the prices.

    `options` are further ones of Spark.
    """

    folder: Path
    warehouse: Path
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def tables(self) -> Path:
        """The folder with a folder of Parquet files for each table."""
        return self.folder / f"{SCHEMA}.db"


def place_of(engine: str, warehouse: Path, *, is_partial: bool) -> SparkBuild | None:
    """Where Spark builds a warehouse if it is the engine. Changes nothing.

    A session of Spark begins without tables, so it cannot build some models alone. DuckDB cannot either after a build
    on Spark: what it leaves out would still read the files of Spark. Raises NotInParts and SparkUnavailable.
    """
    folder = spark_folder(warehouse)
    if engine == "spark":
        if is_partial:
            raise NotInParts(f"Spark builds all models of an organization or none; {WHOLE_BUILD}")
        if lack := spark_session.missing():
            raise SparkUnavailable(lack)
        return SparkBuild(folder, warehouse)
    if is_partial and folder.exists():
        raise NotInParts(f"the last build ran on Spark, and the engine is DuckDB now; first {WHOLE_BUILD}")
    return None


def run(
    build: SparkBuild,
    files: Mapping[tuple[str, str], Sequence[str]],
    held: Mapping[str, int],
    invoke: Callable[[Sequence[str]], Any],
) -> Any:
    """dbt's results of the models on Spark. `invoke` runs a command of dbt."""
    with (
        spark_session.started(build.folder, _threads(), _memory(), build.options) as session,
        _our_ways(),
    ):
        spark_session.declare(session, files, held)
        _declare_prices(session, build)
        session.sql(f"create schema {SCHEMA}")
        return invoke(COMMAND)


def _threads() -> int:
    return int(value_of("EAS_WAREHOUSE_THREADS") or 2)


def _memory() -> DuckDBMemory:
    return value_of("EAS_WAREHOUSE_MEMORY") or "6GB"


def _declare_prices(session: SparkSession, build: SparkBuild) -> None:
    session.sql("create schema prices")
    with duckdb.connect(str(build.warehouse), read_only=True) as connection:
        for table in PRICES:
            file = build.folder / f"{table}.parquet"
            path = str(file).replace("'", "''")
            connection.execute(f"copy prices.{table} to '{path}' (format parquet)")
            session.sql(
                f"create table prices.{table} using parquet options (path '{spark_session.pattern([str(file)])}')"
            )


@contextmanager
def _our_ways() -> Iterator[None]:
    """Let dbt-spark keep ANSI on and keep steps of models.

    It sets ANSI off for each statement, whatever its profile says, and an overflow would be a wrong number.
    """
    connections = import_module("dbt.adapters.spark.connections")

    complete, add_query = (
        connections.SparkCredentials.__post_init__,
        connections.SparkConnectionManager.add_query,
    )

    def with_ansi(credentials: Any) -> None:
        complete(credentials)
        credentials.server_side_parameters["spark.sql.ansi.enabled"] = "true"

    def add_kept(connection: Any, sql: str, *arguments: Any, **options: Any) -> Any:
        statements = spark_steps.kept(sql)
        try:
            for one in statements.before:
                add_query(connection, one, auto_begin=False)
            return add_query(connection, statements.main, *arguments, **options)
        finally:
            for one in statements.after:
                add_query(connection, one, auto_begin=False)

    changes = (
        (connections.SparkCredentials, "__post_init__", with_ansi),
        (connections.SparkConnectionManager, "add_query", add_kept),
    )
    before = [(changed, name, getattr(changed, name)) for changed, name, _ in changes]
    for change in changes:
        setattr(*change)
    try:
        yield
    finally:
        for change in before:
            setattr(*change)
