"""The nightly job: reads the connections of one organization, then its repositories, in one process.

A process per repository would import Dagster and dbt once for each, which takes longer than most readings. Each
repository still gets a recorded run of `extract_repository`, with its own failure.
Keep out: the time of the night (schedules.py), the pool itself (reading/pool.py).
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import dagster as dg

from ingest.errors import IngestError, Permanent, RateLimited, SourceBusy, Transient
from ingest.git.repository_source import RepositorySource
from orchestration.deployment import Deployment
from orchestration.graph.reading_jobs import reading_definitions
from orchestration.reading import telemetry
from orchestration.reading.pool import Pool
from orchestration.reading.readings import Readings
from orchestration.reading.repositories import KnownRepository, all_known, open_known
from orchestration.reading.side_by_side import SideBySide
from orchestration.runtime import old_runs
from orchestration.runtime.executor import one_process
from orchestration.runtime.failures import MAX_WAIT
from orchestration.runtime.in_process_runs import READ_ORGANIZATION, Outcome, Runs, share_of_workers
from orchestration.runtime.partitions import ORGANIZATIONS, identifier
from orchestration.runtime.progress import Progress
from orchestration.state import connections, fingerprints
from orchestration.state.connections import KnownConnection

NIGHT_TAG = "eas/night"
"""Tag of a nightly run: the time of the night. A run that continues a killed one skips what was read since then."""
MAX_PROCESS_RETRIES = 2
"""Times that Dagster starts a nightly run again whose process was killed."""
ATTEMPT_DELAYS = (0.0, 60.0, 240.0)
"""Seconds before each attempt at the repositories whose host did not answer. All of them wait together."""
RETRIED = (Transient, SourceBusy)
CONNECTIONS_FIRST_SECONDS = 900.0
"""Repositories wait so long for the connections of the night; those that take longer are read beside them."""


@dataclass
class Night:
    """The readings of one night. `waiting` holds the errors of the repositories that are tried again."""

    deployment: Deployment
    progress: Progress
    readings: Readings
    workers: int
    waiting: dict[str, IngestError] = field(default_factory=dict)

    def read(self, wanted: Sequence[KnownRepository]) -> Iterator[KnownRepository]:
        """Open and read repositories. Yields each as soon as its run can be recorded, successful or not."""
        for delay in ATTEMPT_DELAYS:
            if not wanted:
                return
            time.sleep(max(delay, *(_requested_delay(error) for error in self.waiting.values()), 0))
            self.waiting.clear()
            yield from self._attempt(wanted)
            wanted = [known for known in wanted if known.repository_id in self.waiting]
        for known in wanted:
            error = self.waiting[known.repository_id]
            self.readings.refuse(known, Permanent(f"{error} It was tried {len(ATTEMPT_DELAYS)} times."))
            yield known

    def _attempt(self, wanted: Sequence[KnownRepository]) -> Iterator[KnownRepository]:
        refused: list[KnownRepository] = []

        def open_one(number: int) -> RepositorySource | None:
            known = wanted[number]
            try:
                return open_known(self.deployment, known, self.progress)
            except RETRIED as error:
                self.waiting[known.repository_id] = error
            except Exception as error:  # noqa: BLE001 - the run of this repository raises it again
                self.readings.refuse(known, error)
                refused.append(known)
            return None

        by_id = {known.repository_id: known for known in wanted}
        with Pool(
            self.deployment, self.progress, len(wanted), open_one, workers=self.workers
        ).running() as pool:
            for source, reading in pool.ended():
                error = reading.exception()
                if isinstance(error, RETRIED):
                    self.waiting[source.repository_id] = error
                    continue
                self.readings.add(source, reading)
                yield by_id[source.repository_id]
        yield from refused


def _requested_delay(error: IngestError) -> float:
    """Seconds that the host asked to wait, where they are few enough for one night."""
    delay = error.retry_after if isinstance(error, RateLimited) else None
    return delay if delay is not None and delay <= MAX_WAIT else 0.0


@dg.op(
    description="Reads every connection and enabled repository of the organization, and records a run for each."
)
def read_repositories(
    context: dg.OpExecutionContext,
    deployment: dg.ResourceParam[Deployment],
    progress: dg.ResourceParam[Progress],
) -> None:
    organization_id = identifier(context.partition_key)
    night = context.run.tags.get(NIGHT_TAG)
    readings = Readings()
    runs = Runs(reading_definitions(deployment, readings, progress), context.instance)
    workers = share_of_workers(context.instance, deployment.settings.workers)
    failures: dict[str, str] = {}
    synced = _wanted_connections(deployment, organization_id, night)

    def note(name: str, identifier: str, outcome: Outcome) -> None:
        if outcome.succeeded:
            context.log.info(f"{name}: read")
        else:
            failures[f"{name} {identifier}"] = outcome.failures[0]
            context.log.warning(f"{name}: {outcome.failures[0]}")

    def record(ended: Iterator[KnownConnection]) -> None:
        for one in ended:
            note(one.name, one.id, runs.sync(one.category, one.name, one.id))

    with SideBySide(deployment, synced, readings, progress).running() as connected:
        # First, because they say which reviewed commits a mirror needs.
        record(connected.ended(CONNECTIONS_FIRST_SECONDS))
        wanted = _wanted(deployment, organization_id, night)
        for known in Night(deployment, progress, readings, workers).read(wanted):
            note(known.name, known.repository_id, runs.extract(known.name, known.repository_id))
        record(connected.ended())
    _load_telemetry(context, deployment, organization_id)
    old_runs.forget_old(context.instance)
    context.add_output_metadata(
        {
            "connections": len(synced),
            "repositories": len(wanted),
            "failed": len(failures),
            "failures": dg.MetadataValue.json(failures),
        }
    )


def _load_telemetry(context: dg.OpExecutionContext, deployment: Deployment, organization_id: str) -> None:
    """Load what AI tools have sent, so that the build after this job has it."""
    try:
        loaded = telemetry.load(deployment, organization_id)
    except (IngestError, OSError) as error:
        # The spool keeps it, and the build tries again.
        context.log.warning(f"telemetry: {error}")
    else:
        context.log.info(f"telemetry: {sum(loaded.rows.values())} rows loaded")


def _wanted(deployment: Deployment, organization_id: str, night: str | None) -> list[KnownRepository]:
    """The enabled repositories of an organization that no run has tried since the beginning of the night."""
    with deployment.control() as control:
        enabled = [
            one for one in all_known(control) if one.organization_id == organization_id and one.is_scheduled
        ]
    if night is None:
        return enabled
    begun = datetime.fromisoformat(night)
    return [one for one in enabled if not _was_tried(deployment, one, begun)]


def _wanted_connections(
    deployment: Deployment, organization_id: str, night: str | None
) -> list[KnownConnection]:
    """The connections of an organization that no run has tried since the beginning of the night, and that no provider
    has paused.
    """
    begun = datetime.fromisoformat(night) if night is not None else None
    found = []
    for one in connections.all_known(deployment):
        is_paused = one.next_attempt_at is not None and one.next_attempt_at > fingerprints.now()
        if one.organization_id != organization_id or is_paused:
            continue
        entry = deployment.run_state.connection(organization_id, one.id)
        if begun is None or entry is None or not _is_since(begun, entry.succeeded_at, entry.failed_at):
            found.append(one)
    return found


def _was_tried(deployment: Deployment, known: KnownRepository, since: datetime) -> bool:
    entry = deployment.run_state.repository(known.organization_id, known.repository_id)
    return entry is not None and _is_since(since, entry.succeeded_at, entry.failed_at)


def _is_since(since: datetime, *times: str | None) -> bool:
    return any(datetime.fromisoformat(at) >= since for at in times if at is not None)


@dg.job(
    name=READ_ORGANIZATION,
    partitions_def=ORGANIZATIONS,
    executor_def=one_process,
    tags={"dagster/max_retries": str(MAX_PROCESS_RETRIES)},
    description=(
        "Reads every connection, then every enabled repository of an organization, several at once. Each gets a run of"
        " its own, so that a failure stops no other."
    ),
)
def read_organization_job() -> None:
    read_repositories()
