"""Dagster's launcher of runs that wait in the queue, as dagster.yaml names it.

Keep out: settings (run_queue.py), the application of workers (celery_app.py).
"""

from __future__ import annotations

import dagster as dg
from dagster_celery.launcher import CeleryRunLauncher
from dagster_celery.tags import DAGSTER_CELERY_TASK_ID_TAG

WAITING = "PENDING"


class QueueLauncher(CeleryRunLauncher):
    """Puts runs into the queue. The lock of a run tells whether its process lives (runtime/executor.py)."""

    @property
    def supports_check_run_worker_health(self) -> bool:
        """Celery does not notice a killed worker, and commands run without Celery."""
        return False

    @property
    def supports_resume_run(self) -> bool:
        """A lost run fails, and its sensor requests another one."""
        return False

    def is_waiting(self, run: dg.DagsterRun) -> bool:
        """Whether no worker has taken a run that has not begun out of the queue yet.

        Celery says so of every run that Redis has forgotten, after a day or with its data.
        """
        task = run.tags.get(DAGSTER_CELERY_TASK_ID_TAG)
        return task is not None and self.celery.AsyncResult(task).state == WAITING

    def terminate(self, run_id: str) -> bool:
        """End a run, or take it out of the queue. Returns whether it was put there."""
        run = self._instance.get_run_by_id(run_id)
        if run is None or run.is_finished or DAGSTER_CELERY_TASK_ID_TAG not in run.tags:
            return False
        self._instance.report_run_canceling(run)
        return bool(super().terminate(run_id))
