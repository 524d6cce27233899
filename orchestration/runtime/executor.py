"""Which runs are still worked on: the process of a run holds a lock that ends with it, however it ends.

Dagster learns of the end of a run from the run itself. One whose process was killed, or lost its machine, would
count as started for ever, and what waits for it would wait for ever too.
Keep out: what is done about runs that ended (sensors.py, repository_sensors.py).
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import dagster as dg
from dagster._core.execution.retries import RetryMode
from dagster._core.executor.in_process import InProcessExecutor

from ingest.locks import locked

if TYPE_CHECKING:
    from dagster._core.execution.context.system import PlanOrchestrationContext
    from dagster._core.execution.plan.plan import ExecutionPlan

FOLDER = "run_locks"
SECONDS_KEPT = 86_400
# By status, how long ago a run came to it at least. Between being called started and holding the lock it does
# nothing; before that its process parses the dbt project, on a loaded machine slowly.
GRACE = {
    dg.DagsterRunStatus.STARTED: timedelta(minutes=1),
    dg.DagsterRunStatus.CANCELING: timedelta(minutes=1),
    dg.DagsterRunStatus.NOT_STARTED: timedelta(minutes=15),
    dg.DagsterRunStatus.STARTING: timedelta(minutes=15),
}
LOST = "The process of this run is gone: it was killed, or its machine was. What it had finished is kept."

_held = ExitStack()


class LockingExecutor(InProcessExecutor):
    """Runs all steps in the process of the run, which holds the run's lock until it ends."""

    def execute(
        self, plan_context: PlanOrchestrationContext, execution_plan: ExecutionPlan
    ) -> Iterator[dg.DagsterEvent]:
        """Run the steps."""
        # Never released: that the run has ended is noted only after this.
        _held.enter_context(locked(_file(plan_context.instance, plan_context.run_id)))
        yield from super().execute(plan_context, execution_plan)


@dg.executor(name="one_process")
def one_process(_: dg.InitExecutorContext) -> LockingExecutor:
    """All steps in one process: a process per step costs seconds and saves nothing here."""
    return LockingExecutor(retries=RetryMode.ENABLED)


@contextmanager
def holding(instance: dg.DagsterInstance, run_id: str) -> Iterator[None]:
    """Hold the lock of a run that this process works on; from before it is known until after it has ended."""
    file = _file(instance, run_id)
    with locked(file):
        try:
            yield
        finally:
            file.unlink(missing_ok=True)


def fail_lost(instance: dg.DagsterInstance) -> list[str]:
    """Note the runs as failed whose process is gone; their ids."""
    lost = []
    for status, grace in GRACE.items():
        unchanged = dg.RunsFilter(statuses=[status], updated_before=datetime.now(UTC) - grace)
        for run in instance.get_runs(unchanged):
            with _unless_held(_file(instance, run.run_id)) as is_free:
                # It may have ended since it was listed.
                found = instance.get_run_by_id(run.run_id) if is_free else None
                if found is not None and found.status == status:
                    instance.report_run_failed(found, LOST)
                    lost.append(run.run_id)
    _sweep(instance)
    return lost


def _sweep(instance: dg.DagsterInstance) -> None:
    """Remove the files of runs that have ended."""
    for file in _folder(instance).glob("*.lock"):
        with _unless_held(file) as is_free:
            run = instance.get_run_by_id(file.stem) if is_free else None
            # A run that is not known is about to be, or was deleted.
            is_over = run.is_finished if run is not None else _is_old(file)
            if is_free and is_over:
                file.unlink(missing_ok=True)


def _is_old(file: Path) -> bool:
    return file.exists() and time.time() - file.stat().st_mtime > SECONDS_KEPT


def _folder(instance: dg.DagsterInstance) -> Path:
    # The checkout's own instance is described by relative paths.
    return Path(instance.root_directory).resolve() / FOLDER


def _file(instance: dg.DagsterInstance, run_id: str) -> Path:
    return _folder(instance) / f"{run_id}.lock"


@contextmanager
def _unless_held(file: Path) -> Iterator[bool]:
    """Whether nobody holds the lock; during the block nobody else gets it."""
    try:
        handle = file.open("rb")
    except FileNotFoundError:
        yield True
        return
    with handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            is_free = False
        else:
            is_free = True
        yield is_free
