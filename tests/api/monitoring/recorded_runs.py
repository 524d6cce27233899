"""Runs that Dagster itself executes and records."""

import sqlite3
from contextlib import closing
from pathlib import Path

import dagster as dg
import psycopg


@dg.job
def succeeding() -> None:
    """Does nothing."""


@dg.op
def fail() -> None:
    raise RuntimeError


@dg.job
def failing() -> None:
    fail()


def record_runs(data_dir: Path) -> None:
    """Two runs that succeed, one that fails, and one that waits."""
    folder = data_dir / "dagster"
    folder.mkdir()
    with dg.DagsterInstance.local_temp(str(folder)) as instance:
        for _ in range(2):
            succeeding.execute_in_process(instance=instance)
        failing.execute_in_process(instance=instance, raise_on_error=False)
        instance.create_run_for_job(succeeding)
    with closing(sqlite3.connect(folder / "history" / "runs.db")) as record, record:
        record.execute("update runs set status = 'QUEUED' where status = 'NOT_STARTED'")


def copy_runs(data_dir: Path, database: str) -> None:
    """Move the records to PostgreSQL, in a table with the columns and types that Dagster gives it there."""
    columns = (
        "pipeline_name text",
        "status text",
        "create_timestamp timestamp",
        "start_time float",
        "end_time float",
    )
    names = ", ".join(column.partition(" ")[0] for column in columns)
    file = data_dir / "dagster" / "history" / "runs.db"
    with closing(sqlite3.connect(file)) as record, psycopg.connect(database) as copied:
        copied.execute(f"create table runs ({', '.join(columns)})")
        for row in record.execute(f"select {names} from runs").fetchall():
            copied.execute(f"insert into runs ({names}) values (%s, %s, %s, %s, %s)", row)
    file.unlink()
