"""Runs of a killed process fail, and runs of a living process continue."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Self

import dagster as dg
import pytest

from ingest.settings import CHECKOUT
from orchestration.deployment import Deployment
from orchestration.graph.repository_sensors import repositories_due
from orchestration.graph.sensors import builds_due
from orchestration.runs import open_instance
from orchestration.runtime import executor

# A job that works until its process ends, started in the two ways in which runs start.
WORK = """
    import sys, time
    import dagster as dg
    from dagster._core.utils import make_new_run_id
    from orchestration.deployment import machine_settings
    from orchestration.runtime import executor
    from orchestration.runs import open_instance

    @dg.op
    def work() -> None:
        print("working", flush=True)
        sys.stdin.read()

    @dg.job(name="build_organization", executor_def=executor.one_process)
    def job() -> None:
        work()

    if __name__ == "__main__":
        with open_instance(machine_settings()) as instance:
            if sys.argv[1] == "launched":
                dg.execute_job(dg.reconstructable(job), instance=instance)
            else:
                run_id = make_new_run_id()
                with executor.holding_run_lock(instance, run_id):
                    job.execute_in_process(instance=instance, run_id=run_id)
"""


@pytest.fixture
def instance(deployment: Deployment, monkeypatch: pytest.MonkeyPatch) -> Iterator[dg.DagsterInstance]:
    monkeypatch.setattr(executor, "GRACE", dict.fromkeys(executor.GRACE, timedelta(0)))
    with open_instance(deployment.settings) as instance:
        yield instance


def work(folder: Path, how: str) -> subprocess.Popen[bytes]:
    script = folder / "work_to_do.py"
    script.write_text(textwrap.dedent(WORK))
    # PYTHONPATH: the script is in another folder than the packages.
    environment = os.environ | {"PYTHONPATH": f"{CHECKOUT}:{folder}"}
    process = subprocess.Popen(
        [sys.executable, str(script), how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=CHECKOUT,
        env=environment,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"working\n"
    return process


def states(instance: dg.DagsterInstance) -> list[dg.DagsterRunStatus]:
    return [run.status for run in instance.get_runs()]


def files(instance: dg.DagsterInstance) -> list[Path]:
    return list((Path(instance.root_directory) / executor.FOLDER).glob("*"))


# Each sensor and each way once, because a process with Dagster takes seconds.
@pytest.mark.parametrize(("sensor", "how"), [(builds_due, "launched"), (repositories_due, "in process")])
def test_a_run_whose_process_was_killed_is_failed_by_the_next_tick(
    deployment: Deployment,
    instance: dg.DagsterInstance,
    tmp_path: Path,
    sensor: dg.SensorDefinition,
    how: str,
) -> None:
    def tick() -> None:
        context = dg.build_sensor_context(instance=instance, resources={"deployment": deployment})
        sensor.evaluate_tick(context)

    process = work(tmp_path, how)
    try:
        tick()
        assert states(instance) == [dg.DagsterRunStatus.STARTED]
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    tick()
    assert states(instance) == [dg.DagsterRunStatus.FAILURE]
    assert files(instance) == []


@pytest.mark.parametrize("how", ["launched", "in process"])
def test_a_run_that_ends_by_itself_keeps_its_status(
    instance: dg.DagsterInstance, tmp_path: Path, how: str
) -> None:
    process = work(tmp_path, how)
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait() == 0
    assert executor.fail_lost_runs(instance) == []
    assert states(instance) == [dg.DagsterRunStatus.SUCCESS]
    assert files(instance) == []


def test_a_run_that_has_just_begun_is_given_time(
    instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    create(instance, dg.DagsterRunStatus.STARTED)
    assert executor.fail_lost_runs(instance) == []


@pytest.mark.parametrize("status", executor.GRACE)
def test_a_lost_run_fails_in_every_status(instance: dg.DagsterInstance, status: dg.DagsterRunStatus) -> None:
    run_id = create(instance, status)
    assert executor.fail_lost_runs(instance) == [run_id]
    assert states(instance) == [dg.DagsterRunStatus.FAILURE]


def create(instance: dg.DagsterInstance, status: dg.DagsterRunStatus) -> str:
    @dg.job
    def job() -> None: ...

    return instance.create_run_for_job(job, status=status).run_id


def test_every_job_of_the_code_location_holds_its_lock() -> None:
    from orchestration.definitions import defs

    for job in defs.resolve_all_job_defs():
        make = job.executor_def.executor_creation_fn
        assert make is not None, job.name
        assert isinstance(make(None), executor.LockingExecutor), job.name  # type: ignore[arg-type]


def test_a_lost_run_fails_although_the_clock_was_set_back(
    instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Earlier(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return super().now(tz) - timedelta(days=365)

    run_id = create(instance, dg.DagsterRunStatus.STARTED)
    monkeypatch.setattr(executor, "GRACE", dict.fromkeys(executor.GRACE, timedelta(minutes=15)))
    assert executor.fail_lost_runs(instance) == []
    monkeypatch.setattr(executor, "datetime", Earlier)
    assert executor.fail_lost_runs(instance) == [run_id]
