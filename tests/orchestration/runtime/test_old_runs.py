"""Records of runs that ended long ago leave nothing in Dagster's databases; the newest of each partition stay."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from sqlalchemy.exc import OperationalError

from ingest.settings import Settings
from orchestration.commands.runs import open_instance
from orchestration.runtime import old_runs


@dg.asset(
    partitions_def=dg.StaticPartitionsDefinition(["a", "b"]),
    check_specs=[dg.AssetCheckSpec("is_whole", asset="counted")],
)
def counted() -> Iterator[Any]:
    yield dg.MaterializeResult(tags={"kind": "count"})
    yield dg.AssetCheckResult(passed=True)


@dg.asset
def whole() -> None: ...


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[dg.DagsterInstance]:
    with open_instance(Settings(data_dir=tmp_path)) as opened:
        yield opened


def ran(instance: dg.DagsterInstance, key: str) -> str:
    return dg.materialize([counted], instance=instance, partition_key=key, raise_on_error=False).run_id


def later(days: float) -> datetime:
    return datetime.now(UTC) + timedelta(days=days)


def holding(tmp_path: Path, run: str) -> set[str]:
    """The tables of Dagster's databases with a row that names the run, and the files named after it."""
    found = {str(file.relative_to(tmp_path)) for file in tmp_path.rglob(f"*{run}*")}
    for file in (tmp_path / "dagster").rglob("*.db"):
        with closing(sqlite3.connect(file)) as connection:
            for line in connection.iterdump():
                if run in line:
                    found.add(f"{file.name}: {line[:60]}")
    return found


def test_old_runs_leave_nothing(tmp_path: Path, instance: dg.DagsterInstance) -> None:
    first, second, other = [ran(instance, key) for key in "aab"]
    assert holding(tmp_path, first)
    kept = list(instance.all_logs(second))
    assert old_runs.forget_old(instance, later(6)) == 0
    assert old_runs.forget_old(instance, later(8)) == 1
    assert holding(tmp_path, first) == set()
    assert {run.run_id for run in instance.get_runs()} == {second, other}
    assert list(instance.all_logs(second)) == kept
    assert old_runs.forget_old(instance, later(8)) == 0


def test_the_newest_of_each_partition_and_job_stays(instance: dg.DagsterInstance) -> None:
    ran(instance, "a")
    newest = ran(instance, "a")
    ran(instance, "b")
    newest_of_b = ran(instance, "b")
    dg.materialize([whole], instance=instance)
    without_partition = dg.materialize([whole], instance=instance).run_id
    old_runs.forget_old(instance, later(8))
    assert {run.run_id for run in instance.get_runs()} == {newest, newest_of_b, without_partition}
    found = instance.get_latest_materialization_event(counted.key)
    assert found is not None
    assert found.run_id == newest_of_b


@pytest.mark.parametrize("status", [dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.NOT_STARTED])
def test_a_run_that_has_not_ended_stays(instance: dg.DagsterInstance, status: dg.DagsterRunStatus) -> None:
    waiting = dg.DagsterRun("__ephemeral_asset_job__", status=status)
    instance.add_run(waiting)
    ran(instance, "a")
    assert old_runs.forget_old(instance, later(800)) == 0
    assert instance.has_run(waiting.run_id)


def test_a_database_that_takes_no_change_fails_no_command(
    instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        ran(instance, "a")

    def refuse(_: str) -> None:
        raise OperationalError("delete", {}, Exception("database or disk is full"))

    with monkeypatch.context() as full:
        full.setattr(instance.run_storage, "delete_run", refuse)
        assert old_runs.forget_old(instance, later(8)) == 0
    assert old_runs.forget_old(instance, later(8)) == 1
