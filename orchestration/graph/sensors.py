"""Requests a build if an organization's facts, settings, rules or local date differ from its published build.

The sensor compares fingerprints and does not listen to finished runs. So it misses no change while it is off, and many
repositories that finish together cause one build.
"""

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import dagster as dg

from api.control.connections.removals import removed_connections
from api.control.connections.usable import usable_connections
from api.control.repositories import removals
from orchestration.build import due
from orchestration.deployment import Deployment
from orchestration.graph.jobs import READING_JOBS, build_organization_job
from orchestration.graph.nightly_reading import read_organization_job
from orchestration.graph.run_requests import (
    SOON,
    Wanted,
    attempts_if_due,
    has_running,
    request,
    running_partitions,
)
from orchestration.graph.summaries import summarize_organization_job
from orchestration.operations import outbox
from orchestration.publishing import copies
from orchestration.publishing.snapshot import PublishRefused
from orchestration.runtime import executor
from orchestration.runtime.partitions import (
    INPUTS_TAG,
    ORGANIZATION_TAG,
    ORGANIZATIONS,
)
from orchestration.state import build_lock, conditions

# Longest wait of a decision for running extractions. An unreachable host is retried for minutes, and a nightly
# extraction takes hours. Building meanwhile is safe: a build includes a batch of facts completely or not at all.
MAX_EXTRACTION_WAIT = timedelta(minutes=1)
READING = [*(job.name for job in READING_JOBS), read_organization_job.name, summarize_organization_job.name]


@dg.sensor(
    name="builds_due",
    job=build_organization_job,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Builds an organization if its inputs differ from those of its published build. Waits for running"
    " extractions; a decision of people waits at most a minute.",
)
def builds_due(
    context: dg.SensorEvaluationContext, deployment: dg.ResourceParam[Deployment]
) -> Iterator[dg.RunRequest | dg.SkipReason]:
    """Request due builds, and retry a failed build a few times. The run key names the inputs and the attempt."""
    executor.fail_lost_runs(context.instance)
    try:
        copies.refuse_reader()
    except PublishRefused as error:
        yield dg.SkipReason(str(error))
        return
    running = {
        name: running_partitions(context.instance, name) for name in (*READING, build_organization_job.name)
    }
    with deployment.control() as control:
        organizations = control.organizations()
    waiting = []
    has_requested = False
    for organization in organizations:
        reading = set().union(*(running[name] for name in READING))
        # `eas analyze` builds in its own process, most often from the same facts.
        if (
            has_running(running[build_organization_job.name], {organization.id})
            or build_lock.is_taken(deployment, organization.id)
            or _waits_for_extraction(deployment, organization.id, reading)
        ):
            waiting.append(organization.slug)
            continue
        inputs = _due_inputs(deployment, organization.id)
        if inputs is None:
            continue
        digest = hashlib.sha256(":".join(inputs).encode()).hexdigest()[:32]
        wanted = Wanted(
            ORGANIZATIONS,
            organization.slug,
            organization.id,
            ORGANIZATION_TAG,
            (INPUTS_TAG, digest),
            organization.id,
        )
        attempts = attempts_if_due(context.instance, wanted.tags)
        if attempts is None:
            continue
        has_requested = True
        yield request(context.instance, wanted, attempts, tags=SOON)
    if waiting and not has_requested:
        yield dg.SkipReason(f"Waiting for running work of {', '.join(waiting)} to end.")


def _due_inputs(deployment: Deployment, organization_id: str) -> list[str] | None:
    """The identity of a due build. None if no build is due, or if damaged facts are extracted again first."""
    if conditions.blocking(deployment, organization_id, thorough=False):
        return None
    return due.inputs_of_due_build(deployment, organization_id, thorough=False)


def _waits_for_extraction(deployment: Deployment, organization_id: str, extracting: set[str]) -> bool:
    """Whether a build should wait for running extractions, given the ids of their repositories, connections and
    organizations.

    It always waits for those of removed repositories and connections; a nightly run may read any.
    """
    if not extracting:
        return False
    with deployment.control() as control:
        own = removals.repositories(control, organization_id)
        connected = {one.id for one in usable_connections(control) if one.organization_id == organization_id}
        disconnected = {key for key, _ in removed_connections(control, organization_id)}
    known = {one.repository_id for one in own} | connected | disconnected
    if not has_running(extracting, {organization_id, *known}):
        return False
    removed = {one.repository_id for one in own if one.is_removed} | disconnected
    if removed and has_running(extracting, removed | {organization_id}):
        return True
    since = outbox.due_since(deployment, organization_id)
    return since is None or abs(datetime.now(UTC) - since) < MAX_EXTRACTION_WAIT


SENSORS = [builds_due]
