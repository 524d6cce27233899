"""The request of a sensor for one run: not while another run or process works on the same, and not without end.

Add: what every sensor asks. Keep out: the causes of runs (the sensors).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import dagster as dg
from dagster._core.storage.tags import PARTITION_NAME_TAG, PRIORITY_TAG

from ingest.lake import Source
from orchestration.runtime.partitions import COPY_TAG, ORGANIZATION_TAG, identifier, key, register
from orchestration.workers.run_queue import OWNER_TAG, READER_TAG

UNFINISHED = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]
# Delay before each retry after a run without a build or a copy, long enough for a restarted database, a full disk or a
# store to recover. After the last retry only a new cause makes a run; the local date changes the inputs of builds every
# day.
RETRY_DELAYS = (timedelta(minutes=2), timedelta(minutes=15), timedelta(hours=2))
# A run that ends without a result was killed, perhaps by the content of what it read.
MAX_RUNS = 3
# A tick has a minute; later ticks take the remaining operations.
MAX_PER_TICK = 50
# Higher than the nightly extractions, which may fill the queue.
SOON = {PRIORITY_TAG: "1"}


@dataclass(frozen=True)
class Wanted:
    """A run that a sensor wants for the organization `owner`.

    `subject` and `cause` are tags, by which a later tick finds runs of the same.
    """

    partitions: dg.DynamicPartitionsDefinition
    name: str
    identifier: str
    subject: str
    cause: tuple[str, str]
    owner: str

    @property
    def tags(self) -> dict[str, str]:
        """The tags of the run."""
        return {self.subject: self.identifier} | dict([self.cause])


def request(
    instance: dg.DagsterInstance,
    wanted: Wanted,
    runs: int,
    *,
    job_name: str | None = None,
    tags: Mapping[str, str] | None = None,
) -> dg.RunRequest:
    """The request after so many runs for the same cause, with more `tags`."""
    # A copy has a limit of its own.
    owners = {ORGANIZATION_TAG: {OWNER_TAG: wanted.owner}, COPY_TAG: {}}
    owner = owners.get(wanted.subject, {READER_TAG: wanted.owner})
    partition = key(wanted.name, wanted.identifier)
    register(instance, wanted.partitions, partition)
    return dg.RunRequest(
        run_key=f"{wanted.identifier}:{wanted.cause[1]}:{runs}",
        job_name=job_name,
        partition_key=partition,
        tags=wanted.tags | owner | dict(tags or {}),
    )


def runs_before(
    instance: dg.DagsterInstance, wanted: Wanted, source: Source, give_up: Callable[[int], None]
) -> int | None:
    """The number of runs for the same cause. None while the source is read, or after MAX_RUNS, which call `give_up`.

    Nights and commands read a source before they record its run.
    """
    subject = dg.RunsFilter(tags={wanted.subject: wanted.identifier}, statuses=UNFINISHED)
    if instance.get_runs(subject, limit=1) or source.is_busy():
        return None
    runs = instance.get_runs_count(dg.RunsFilter(tags=wanted.tags))
    if runs < MAX_RUNS:
        return runs
    give_up(runs)
    return None


def running_partitions(instance: dg.DagsterInstance, job: str) -> set[str]:
    """Ids of the partitions of unfinished runs of a job; an empty id for a run without a partition tag."""
    runs = instance.get_runs(dg.RunsFilter(job_name=job, statuses=UNFINISHED))
    return {identifier(run.tags.get(PARTITION_NAME_TAG, "")) for run in runs}


def has_running(running: set[str], own: set[str]) -> bool:
    """Whether one of the ids, or a run without a partition, is among those of `running_partitions`."""
    return not running.isdisjoint(own | {""})


def attempts_if_due(instance: dg.DagsterInstance, tags: Mapping[str, str]) -> int | None:
    """Number of ended runs with these tags, after which the work is still to do; None if no retry is due yet."""
    ended = instance.get_run_records(dg.RunsFilter(tags=dict(tags)))
    if not ended:
        return 0
    if len(ended) > len(RETRY_DELAYS):
        return None
    last = max(record.end_time or record.update_timestamp.replace(tzinfo=UTC).timestamp() for record in ended)
    # The clock may have been set back since; nothing must wait until it gets there again.
    since = abs(datetime.now(UTC) - datetime.fromtimestamp(last, UTC))
    return len(ended) if since >= RETRY_DELAYS[len(ended) - 1] else None
