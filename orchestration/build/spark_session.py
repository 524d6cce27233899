"""A session of Spark in this process, with the raw tables of one organization.

dbt-spark finds the session and runs the models in it. Add: options of Spark, types of raw tables.
Keep out: how dbt is called (spark_models.py), models (dbt_project).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa

from ingest.schemas import TABLES
from orchestration.runtime.explanations import Explained

SparkSession = Any
"""The session of pyspark, a package that only the extra `spark` installs."""

MIN_JAVA = 17
JAVA_COMMAND = "apt-get install openjdk-17-jre-headless"
PACKAGES_COMMAND = "pip install --no-deps --require-hashes -r requirements-spark.lock"
DuckDBMemory = str
"""An amount as DuckDB reads it, such as 6GB."""


class SparkUnavailable(Explained):
    """Spark cannot start on this machine. The message says what to install."""


def missing() -> str | None:
    """What this machine lacks for Spark, with the command that installs it; None if it has all."""
    if any(find_spec(name) is None for name in ("pyspark", "dbt.adapters.spark")):
        return f"Spark needs the packages pyspark and dbt-spark. Install them: {PACKAGES_COMMAND}"
    home = os.environ.get("JAVA_HOME")
    java = shutil.which(f"{home}/bin/java" if home else "java")
    known = _java_version(java) if java else None
    if known is None or known < MIN_JAVA:
        present = "" if java is None else f", and {java} is {known or 'none that starts'}"
        return f"Spark needs Java {MIN_JAVA} or newer{present}. Install it ({JAVA_COMMAND}), or set JAVA_HOME to one"
    return None


def _java_version(java: str) -> int | None:
    """The main number of a Java (8 calls itself 1.8); None if it does not start."""
    try:
        answer = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', answer.stderr)
    return int(found[1]) if found else None


@contextmanager
def started(
    folder: Path, threads: int, memory: DuckDBMemory, options: Mapping[str, str] | None = None
) -> Iterator[SparkSession]:
    """A session whose tables are Parquet files below the folder, which is emptied before."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    builder = import_module("pyspark.sql").SparkSession.builder.master(f"local[{threads}]").appName("eas")
    for name, value in (_options(folder, threads, memory) | dict(options or {})).items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    try:
        yield session
    finally:
        session.stop()
        shutil.rmtree(folder / "spill", ignore_errors=True)


def _options(folder: Path, threads: int, memory: DuckDBMemory) -> dict[str, str]:
    return {
        "spark.driver.memory": java_memory(memory),
        # Nothing of a session is reached from outside.
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.ansi.enabled": "true",
        "spark.sql.session.timeZone": "UTC",
        # As DuckDB writes instants; the default is a type of 96 bits without a zone.
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.warehouse.dir": str(folder),
        "spark.local.dir": str(folder / "spill"),
        "spark.sql.shuffle.partitions": str(2 * threads),
    }


def java_memory(memory: DuckDBMemory) -> str:
    """The same amount as Java reads it: whole numbers alone, in units of 1,024."""
    found = re.fullmatch(r"([\d.]+)\s*([kmgt])(i?)b", memory.lower())
    if found is None:
        raise ValueError(f"{memory!r} is no amount of memory")
    number, unit, binary = found.groups()
    size = float(number) * (1024 if binary else 1000) ** ("kmgt".index(unit) + 1)
    return f"{max(1, int(size / 1024**2))}m"


def declare(
    session: SparkSession,
    files: Mapping[tuple[str, str], Sequence[str]],
    held: Mapping[str, int] | None = None,
) -> None:
    """Create the tables `<noun>.<table>` over exactly these files, as `raw_tables.declare` does in DuckDB."""
    for statement in statements(files, held or {}):
        session.sql(statement)


def statements(files: Mapping[tuple[str, str], Sequence[str]], held: Mapping[str, int]) -> Iterator[str]:
    """The SQL that creates the tables. Files of an earlier release may lack a column, which is null then."""
    for noun in sorted({noun for noun, _ in files}):
        yield f"create schema if not exists `{noun}`"
    limits = ", ".join(f"('{key}', {batch})" for key, batch in sorted(held.items()))
    for (noun, table), paths in files.items():
        schema = TABLES[noun, table]
        columns = ", ".join(f"`{field.name}` {sql_type(field.type)}" for field in schema)
        is_limited = bool(limits) and "batch" in schema.names
        name = f"{table}__files" if is_limited else table
        yield f"create table `{noun}`.`{name}` ({columns}) using parquet options (path '{pattern(paths)}')"
        if is_limited:
            yield (
                f"create view `{noun}`.`{table}` as select found.* from `{noun}`.`{name}` as found"
                f" left join (values {limits}) as held (held_id, newest) on found.connection_id = held.held_id"
                " where held.newest is null or found.batch <= held.newest"
            )


def pattern(paths: Sequence[str]) -> str:
    """The pattern of Hadoop that names exactly these files, as the inside of a text of Spark."""
    scheme = f"{paths[0].partition('://')[0]}://" if "://" in paths[0] else ""
    folders = [path.removeprefix(scheme).rpartition("/")[0] for path in paths]
    start = scheme + os.path.commonpath(folders).rstrip("/") + "/"
    written = [_literal(path.removeprefix(start)) for path in paths]
    return _literal(start) + (f"{{{','.join(written)}}}" if len(written) > 1 else written[0])


def _literal(path: str) -> str:
    """A part of a path without a sign that patterns or texts of Spark read."""
    signs = "".join(f"\\\\{sign}" if sign in "{}[]*?," else sign for sign in path)
    return signs.replace("'", "\\'")


def sql_type(kind: pa.DataType) -> str:
    """Spark's name of a type of raw tables."""
    if pa.types.is_list(kind):
        return f"array<{sql_type(kind.value_type)}>"
    if pa.types.is_struct(kind):
        return f"struct<{', '.join(f'`{field.name}`: {sql_type(field.type)}' for field in kind)}>"
    return _TYPES[kind]


_TYPES: dict[Any, str] = {
    pa.string(): "string",
    pa.bool_(): "boolean",
    pa.int8(): "tinyint",
    pa.int16(): "smallint",
    pa.int32(): "int",
    pa.int64(): "bigint",
    pa.float32(): "float",
    pa.float64(): "double",
    pa.date32(): "date",
    pa.timestamp("us", tz="UTC"): "timestamp",
}
