"""Runs of a killed process fail, and runs of a living process continue."""

from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import Self

import dagster as dg
import pytest

from orchestration.deployment import Deployment
from orchestration.graph.repository_sensors import repositories_due
from orchestration.graph.sensors import builds_due
from orchestration.runtime import executor
from tests.orchestration.runtime.other_processes import Forked, Forks, add_key, run_job


@pytest.fixture
def instance(stored_instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch) -> dg.DagsterInstance:
    monkeypatch.setattr(executor, "GRACE", dict.fromkeys(executor.GRACE, timedelta(0)))
    return stored_instance


@pytest.fixture(scope="module")
def forks() -> Iterator[Forks]:
    forks = Forks()
    yield forks
    forks.close()


def working(forks: Forks, how: str) -> Forked:
    """A process in which a run works."""
    process = forks.start(run_job, how)
    assert process.receive() == "working"
    return process


def states(instance: dg.DagsterInstance) -> list[dg.DagsterRunStatus]:
    return [run.status for run in instance.get_runs()]


def files(instance: dg.DagsterInstance) -> list[Path]:
    return list((Path(instance.root_directory) / executor.FOLDER).glob("*"))


# Each sensor and each way once.
@pytest.mark.parametrize(("sensor", "how"), [(builds_due, "launched"), (repositories_due, "in process")])
def test_a_run_whose_process_was_killed_is_failed_by_the_next_tick(
    deployment: Deployment,
    instance: dg.DagsterInstance,
    forks: Forks,
    sensor: dg.SensorDefinition,
    how: str,
) -> None:
    def tick() -> None:
        context = dg.build_sensor_context(instance=instance, resources={"deployment": deployment})
        sensor.evaluate_tick(context)

    process = working(forks, how)
    tick()
    assert states(instance) == [dg.DagsterRunStatus.STARTED]
    process.kill()
    tick()
    assert states(instance) == [dg.DagsterRunStatus.FAILURE]
    assert files(instance) == []


@pytest.mark.parametrize("how", ["launched", "in process"])
def test_a_run_that_ends_by_itself_keeps_its_status(
    instance: dg.DagsterInstance, forks: Forks, how: str
) -> None:
    process = working(forks, how)
    process.send("end")
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


def test_many_processes_can_open_a_new_instance_at_once(forks: Forks, tmp_path: Path) -> None:
    processes = [forks.start(add_key, tmp_path, f"key {number}") for number in range(4)]
    assert [process.receive() for process in processes] == ["ready"] * 4
    for process in processes:
        process.send("open")
    found = [process.receive() for process in processes]
    assert max(map(len, found)) == 4


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
