"""Deletes Dagster's records of runs that ended long ago: a build has some megabytes of events, and nothing needs them.

The newest run of each job and partition stays, so that the UI shows when it was. Keep out: records that an erasure or a
removal deletes at once (they use `forget`).
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from typing import Any

import dagster as dg
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

KEPT = timedelta(days=7)
"""Long enough to look at the failure of a weekend."""
MAX_AT_ONCE = 2_500
"""More than the runs of a night over 2,000 repositories: 20 processor milliseconds each."""
PARTITION_TAG = "dagster/partition"
ENDED = [dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE, dg.DagsterRunStatus.CANCELED]

logger = logging.getLogger(__name__)


def forget_old(instance: dg.DagsterInstance, now: datetime | None = None) -> int:
    """Delete the records of runs that were made before KEPT. Returns how many.

    A full disk or a busy database leaves the rest to the next call, because no command may fail for this.
    """
    before = (now or datetime.now(UTC)) - KEPT
    found = instance.get_runs(
        dg.RunsFilter(statuses=ENDED, created_before=before), limit=MAX_AT_ONCE, ascending=True
    )
    newest: dict[tuple[str, str | None], str] = {}
    forgotten = 0
    try:
        for run in found:
            partition = run.tags.get(PARTITION_TAG)
            subject = run.job_name, partition
            if subject not in newest:
                tags = {PARTITION_TAG: partition} if partition is not None else {}
                ended = dg.RunsFilter(job_name=run.job_name, tags=tags, statuses=ENDED)
                newest[subject] = instance.get_runs(ended, limit=1)[0].run_id
            if run.run_id != newest[subject]:
                forget(instance, run)
                forgotten += 1
    except (SQLAlchemyError, OSError) as error:
        logger.info("records of old runs stay until the next time: %s", error)
    return forgotten


def forget(instance: dg.DagsterInstance, run: dg.DagsterRun) -> None:
    """Delete a run with its events, checks and logs. Dagster alone leaves the checks and, in SQLite, the tags."""
    instance.compute_log_manager.delete_logs(prefix=[run.run_id])
    # Both storages are databases, here as in the settings of workers, and tell it by no public type.
    runs: Any = instance.run_storage
    events: Any = instance.event_log_storage
    of_run = {"run": run.run_id}
    with runs.connect() as connection:
        connection.execute(text("delete from run_tags where run_id = :run"), of_run)
    with events.index_connection() as connection:
        connection.execute(text("delete from asset_check_executions where run_id = :run"), of_run)
    instance.delete_run(run.run_id)
