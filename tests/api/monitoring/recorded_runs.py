"""Runs that Dagster itself executes and records."""

import sqlite3
from contextlib import closing
from pathlib import Path

import dagster as dg


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
