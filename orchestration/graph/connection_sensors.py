"""Requests runs over connections: for operations that wait, after the end of a pause, and for damaged facts.

The sensor reads the control database, so it misses nothing while it is off, and it restarts a run that was killed. The
nightly run reads all connections (nightly_reading.py).
"""

import hashlib
from collections.abc import Iterator
from functools import partial

import dagster as dg

from api.control.connections import sync_status
from ingest.schemas import SYNCED
from orchestration.deployment import Deployment
from orchestration.graph.jobs import SYNC_JOBS
from orchestration.graph.run_requests import MAX_PER_TICK, Wanted, request, runs_before
from orchestration.reading import syncs
from orchestration.runtime import executor
from orchestration.runtime.in_process_runs import FULL_TAG
from orchestration.runtime.partitions import CONNECTION_TAG, CONNECTIONS
from orchestration.state import conditions, connections
from orchestration.state.fingerprints import now

CAUSE_TAG = "eas/cause"
"""Tag of a run: a digest of what caused it, by which a later tick finds earlier runs with the same cause."""


@dg.sensor(
    name="connections_due",
    jobs=SYNC_JOBS,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Reads connections that people added or asked to sync, whose pause has ended, or whose facts are"
    " damaged.",
)
def connections_due(
    context: dg.SensorEvaluationContext, deployment: dg.ResourceParam[Deployment]
) -> Iterator[dg.RunRequest]:
    """Request one run per connection for all its causes. The run key names the oldest cause."""
    executor.fail_lost_runs(context.instance)
    for connection_id, (cause, is_full) in _causes(deployment).items():
        # With the connection: two that are paused or damaged alike would get one run between them.
        digest = hashlib.sha256(f"{connection_id} {cause}".encode()).hexdigest()[:32]
        for found in _readable(deployment, connection_id):
            source = syncs.source_of(deployment, found)
            wanted = Wanted(
                CONNECTIONS,
                found.name,
                connection_id,
                CONNECTION_TAG,
                (CAUSE_TAG, digest),
                found.organization_id,
            )
            runs = runs_before(context.instance, wanted, source, partial(_give_up, deployment, found))
            if runs is not None:
                yield request(
                    context.instance,
                    wanted,
                    runs,
                    job_name=SYNCED[found.category].job,
                    tags={FULL_TAG: "yes"} if is_full else {},
                )


def _causes(deployment: Deployment) -> dict[str, tuple[str, bool]]:
    """By connection, the oldest cause of a run, and whether it reads everything again."""
    causes: dict[str, tuple[str, bool]] = {}
    with deployment.control() as control:
        waiting = sync_status.waiting_syncs(control, MAX_PER_TICK)
        due = sync_status.due_connections(control, now())
        organizations = control.organizations()
    for one in waiting:
        cause, is_full = causes.get(one.connection_id, (one.operation_id, False))
        causes[one.connection_id] = cause, is_full or one.is_full
    for parked in due[:MAX_PER_TICK]:
        causes.setdefault(parked.connection_id, (parked.next_attempt_at.isoformat(), False))
    for organization in organizations:
        for damaged in conditions.damaged_connections(deployment, organization.id, thorough=False):
            causes.setdefault(damaged.connection_id or "", (damaged.detail, False))
    return causes


def _readable(deployment: Deployment, connection_id: str) -> list[connections.KnownConnection]:
    """The connection, unless its provider still limits requests: a person's request waits as well."""
    return [
        one
        for one in connections.all_known(deployment)
        if one.id == connection_id and (one.next_attempt_at is None or one.next_attempt_at <= now())
    ]


def _give_up(deployment: Deployment, found: connections.KnownConnection, runs: int) -> None:
    """Fail the operations of runs that were killed, so that only new requests and the next night try again."""
    message = f"{runs} runs ended before they had read the connection; their logs are in the Dagster UI"
    with deployment.control() as control:
        sync_status.note_attempt(control, found.organization_id, found.id)
        sync_status.note_failure(control, found.organization_id, found.id, reason="INTERNAL", message=message)


CONNECTION_SENSORS = [connections_due]
