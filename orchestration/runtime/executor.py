"""Detects lost runs: the process of a run holds a lock, which the operating system releases when the process ends.

A run itself reports its end to Dagster. Without the lock, a run whose process was killed would count as started
for ever, and later runs would wait for it for ever.
Keep out: retries of ended runs (sensors.py, repository_sensors.py).
"""

from __future__ import annotations

import fcntl
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import dagster as dg
from dagster._core.execution.retries import RetryMode
from dagster._core.executor.in_process import InProcessExecutor

from api.operator import traces
from ingest.locks import locked

if TYPE_CHECKING:
    from dagster._core.execution.context.system import PlanOrchestrationContext
    from dagster._core.execution.plan.plan import ExecutionPlan

FOLDER = "run_locks"
MAX_LOCK_AGE_SECONDS = 86_400
# By status, the minimum time in that status before a run without a lock counts as lost. A started run takes the lock
# at once. Before that its process parses the dbt project, which is slow on a busy machine.
GRACE = {
    dg.DagsterRunStatus.STARTED: timedelta(minutes=1),
    dg.DagsterRunStatus.CANCELING: timedelta(minutes=1),
    dg.DagsterRunStatus.NOT_STARTED: timedelta(minutes=15),
    dg.DagsterRunStatus.STARTING: timedelta(minutes=15),
}
LOST_RUN_MESSAGE = "The process of this run was killed, or its machine stopped. Finished work is kept."

STEP_ENDS = (
    dg.DagsterEventType.STEP_SUCCESS,
    dg.DagsterEventType.STEP_FAILURE,
    dg.DagsterEventType.STEP_SKIPPED,
    dg.DagsterEventType.STEP_UP_FOR_RETRY,
)

_locks = ExitStack()


RunGuard = Callable[[dg.DagsterRun, Callable[[str], None]], AbstractContextManager[object]]
"""A context that surrounds all steps of a run: entered with the run and with a function that logs a line."""


class LockingExecutor(InProcessExecutor):
    """Runs all steps in the process of the run, which holds the run's lock until the process ends."""

    def __init__(self, guard: RunGuard | None = None) -> None:
        super().__init__(retries=RetryMode.ENABLED)
        self._guard = guard

    def execute(
        self, plan_context: PlanOrchestrationContext, execution_plan: ExecutionPlan
    ) -> Iterator[dg.DagsterEvent]:
        """Take the lock and run the steps."""
        # Never released here, because Dagster records the end of the run after this method returns.
        _locks.enter_context(locked(_file(plan_context.instance, plan_context.run_id)))
        with ExitStack() as stack:
            if self._guard is not None:
                stack.enter_context(self._guard(plan_context.dagster_run, plan_context.log.info))
            run = plan_context.dagster_run
            traces.start("eas-runs")
            stack.enter_context(traces.span(run.job_name, {"eas.run_id": run.run_id}))
            yield from traced(super().execute(plan_context, execution_plan))


def traced(events: Iterator[dg.DagsterEvent]) -> Iterator[dg.DagsterEvent]:
    """The same events, with a span for each step that begins and ends among them."""
    with ExitStack() as step:
        for event in events:
            if event.event_type is dg.DagsterEventType.STEP_START:
                step.enter_context(traces.span(event.step_key or "step"))
            elif event.event_type is dg.DagsterEventType.STEP_FAILURE:
                traces.fail()
            if event.event_type in STEP_ENDS:
                step.close()
            yield event


@dg.executor(name="one_process")
def one_process(_: dg.InitExecutorContext) -> LockingExecutor:
    """Executor that runs all steps in one process; a process per step costs seconds without a gain."""
    return LockingExecutor()


@contextmanager
def holding_run_lock(instance: dg.DagsterInstance, run_id: str) -> Iterator[None]:
    """Hold the lock of a run in this process, from before Dagster knows the run until after it ends."""
    file = _file(instance, run_id)
    with locked(file):
        try:
            yield
        finally:
            file.unlink(missing_ok=True)


def fail_lost_runs(instance: dg.DagsterInstance) -> list[str]:
    """Mark lost runs as failed and return their ids."""
    lost = []
    for status, grace in GRACE.items():
        for record in instance.get_run_records(dg.RunsFilter(statuses=[status])):
            run = record.dagster_run
            # A time in the future is of a clock that was set back; such a run must not count as started for a year.
            if abs(datetime.now(UTC) - record.update_timestamp.replace(tzinfo=UTC)) < grace:
                continue
            with _try_lock(_file(instance, run.run_id)) as is_free:
                # The run may have ended after it was listed.
                found = (
                    instance.get_run_by_id(run.run_id) if is_free and not _waits(instance, record) else None
                )
                if found is not None and found.status == status:
                    instance.report_run_failed(found, LOST_RUN_MESSAGE)
                    lost.append(run.run_id)
    _remove_old_locks(instance)
    return lost


def _waits(instance: dg.DagsterInstance, record: dg.RunRecord) -> bool:
    """Whether a run is in the queue of workers (workers/launcher.py), where it waits until one is free."""
    run = record.dagster_run
    # The queue says of a run that it has forgotten that it waits.
    has_begun = run.status is dg.DagsterRunStatus.STARTED or record.start_time is not None
    is_waiting = getattr(instance.run_launcher, "is_waiting", None)
    return is_waiting is not None and not has_begun and bool(is_waiting(run))


def _remove_old_locks(instance: dg.DagsterInstance) -> None:
    """Remove the lock files of runs that have ended."""
    for file in _folder(instance).glob("*.lock"):
        with _try_lock(file) as is_free:
            run = instance.get_run_by_id(file.stem) if is_free else None
            # A run that Dagster does not know is about to start, or was deleted.
            is_over = run.is_finished if run is not None else _is_old(file)
            if is_free and is_over:
                file.unlink(missing_ok=True)


def _is_old(file: Path) -> bool:
    return file.exists() and time.time() - file.stat().st_mtime > MAX_LOCK_AGE_SECONDS


def _folder(instance: dg.DagsterInstance) -> Path:
    # The instance of the checkout has relative paths.
    return Path(instance.root_directory).resolve() / FOLDER


def _file(instance: dg.DagsterInstance, run_id: str) -> Path:
    return _folder(instance) / f"{run_id}.lock"


@contextmanager
def _try_lock(file: Path) -> Iterator[bool]:
    """Try to take the lock for the block. Yields whether it was free or the file is missing."""
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
