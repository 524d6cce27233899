"""Requests the extraction of repositories that people added, edited or enabled, or of a commit to analyse again.

The sensor reads pending operations from the control database. So it misses none while it is off, and it restarts a run
that was killed. The nightly schedule reads all repositories (schedules.py).
"""

import hashlib
from collections.abc import Iterator
from functools import partial

import dagster as dg

from api.control.repositories import sync_status
from orchestration.deployment import Deployment
from orchestration.graph.jobs import extract_repository_job
from orchestration.graph.run_requests import MAX_PER_TICK, Wanted, request, runs_before
from orchestration.reading.extraction import NOUN
from orchestration.runtime import executor
from orchestration.runtime.partitions import REPOSITORIES, REPOSITORY_TAG
from orchestration.state import conditions, strays

OPERATION_TAG = "eas/operation"
DAMAGE_TAG = "eas/damage"


@dg.sensor(
    name="repositories_due",
    job=extract_repository_job,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Reads repositories that people added, edited or enabled, that hold a commit to analyse again, or whose"
    " facts are damaged.",
)
def repositories_due(
    context: dg.SensorEvaluationContext, deployment: dg.ResourceParam[Deployment]
) -> Iterator[dg.RunRequest]:
    """Request one run per repository for all its causes. The run key names the oldest operation.

    A repository whose facts are damaged gets a run as well, which extracts them from the start.
    """
    if (moved := strays.set_aside(deployment)) is not None:
        context.log.info(moved)
    executor.fail_lost_runs(context.instance)
    for repository_id, cause in _causes(deployment).items():
        with deployment.control() as control:
            readable = sync_status.readable_repositories(control, repository_id)
        for known in readable:
            source = deployment.lake.source(NOUN, known.organization_id, repository_id)
            wanted = Wanted(
                REPOSITORIES, known.name, repository_id, REPOSITORY_TAG, cause, known.organization_id
            )
            runs = runs_before(context.instance, wanted, source, partial(_give_up, deployment, cause))
            if runs is not None:
                yield request(context.instance, wanted, runs)


def _causes(deployment: Deployment) -> dict[str, tuple[str, str]]:
    """By repository, the tag of the oldest operation that waits, or of damaged facts."""
    causes: dict[str, tuple[str, str]] = {}
    with deployment.control() as control:
        waiting = sync_status.waiting(control, MAX_PER_TICK)
        organizations = control.organizations()
    for one in waiting:
        causes.setdefault(one.repository_id, (OPERATION_TAG, one.operation_id))
    for organization in organizations:
        for damaged in conditions.damaged_facts(deployment, organization.id, thorough=False):
            digest = hashlib.sha256(damaged.detail.encode()).hexdigest()[:32]
            causes.setdefault(damaged.repository_id or "", (DAMAGE_TAG, digest))
    return causes


def _give_up(deployment: Deployment, cause: tuple[str, str], runs: int) -> None:
    """Refuse the operation of runs that were killed. Damaged facts wait for the night."""
    tag, operation_id = cause
    if tag == OPERATION_TAG:
        reason = f"{runs} runs ended before they had read the repository; their logs are in the Dagster UI"
        with deployment.control() as control:
            sync_status.refuse(control, [operation_id], reason)


REPOSITORY_SENSORS = [repositories_due]
