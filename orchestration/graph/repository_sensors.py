"""Requests the extraction of repositories that people added, edited or enabled, or of a commit to analyse again.

The sensor reads pending operations from the control database. So it misses none while it is off, and it restarts a run
that was killed. The nightly schedule reads all repositories (schedules.py).
"""

import hashlib
from collections.abc import Iterator

import dagster as dg

from api.control.repositories import sync_status
from api.control.repositories.sync_status import Waiting
from orchestration.deployment import Deployment
from orchestration.graph.jobs import extract_repository_job
from orchestration.graph.sensors import UNFINISHED
from orchestration.reading.extraction import NOUN
from orchestration.runtime import executor
from orchestration.runtime.partitions import REPOSITORIES, REPOSITORY_TAG, key, register
from orchestration.state import conditions, strays

OPERATION_TAG = "eas/operation"
DAMAGE_TAG = "eas/damage"
# A tick has a minute; later ticks take the remaining operations.
MAX_OPERATIONS_PER_TICK = 50
# A run that ends without a result was killed, perhaps by the content of the repository.
MAX_RUNS = 3


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
    """Request one run per repository for all its pending operations. The run key names the oldest operation.

    A repository whose facts are damaged gets a run as well, which extracts them from the start.
    """
    if (moved := strays.set_aside(deployment)) is not None:
        context.log.info(moved)
    executor.fail_lost_runs(context.instance)
    yield from _repairs(context.instance, deployment)
    with deployment.control() as control:
        oldest: dict[str, Waiting] = {}
        for one in sync_status.waiting(control, MAX_OPERATIONS_PER_TICK):
            oldest.setdefault(one.repository_id, one)
        for repository_id, one in oldest.items():
            tags = {REPOSITORY_TAG: repository_id}
            if context.instance.get_runs(dg.RunsFilter(tags=tags, statuses=UNFINISHED), limit=1):
                continue
            # A nightly run reads before it records the run of the repository.
            if deployment.lake.source(NOUN, one.organization_id, repository_id).is_busy():
                continue
            tags[OPERATION_TAG] = one.operation_id
            runs = context.instance.get_runs_count(dg.RunsFilter(tags=tags))
            if runs >= MAX_RUNS:
                reason = (
                    f"{runs} runs ended before they had read the repository; their logs are in the Dagster UI"
                )
                sync_status.refuse(control, [one.operation_id], reason)
                continue
            for known in sync_status.readable_repositories(control, repository_id):
                partition = key(known.name, repository_id)
                register(context.instance, REPOSITORIES, partition)
                run_key = f"{one.operation_id}:{runs}"
                yield dg.RunRequest(run_key=run_key, partition_key=partition, tags=tags)


def _repairs(instance: dg.DagsterInstance, deployment: Deployment) -> Iterator[dg.RunRequest]:
    """Runs for damaged facts. After MAX_RUNS for one damage only the nightly schedule tries again."""
    with deployment.control() as control:
        organizations = control.organizations()
    for organization in organizations:
        for one in conditions.damaged_facts(deployment, organization.id, thorough=False):
            tags = {REPOSITORY_TAG: one.repository_id or ""}
            if instance.get_runs(dg.RunsFilter(tags=tags, statuses=UNFINISHED), limit=1):
                continue
            if deployment.lake.source(NOUN, organization.id, one.repository_id or "").is_busy():
                continue
            tags[DAMAGE_TAG] = hashlib.sha256(one.detail.encode()).hexdigest()[:32]
            runs = instance.get_runs_count(dg.RunsFilter(tags=tags))
            with deployment.control() as control:
                readable = sync_status.readable_repositories(control, one.repository_id)
            for known in readable if runs < MAX_RUNS else []:
                partition = key(known.name, known.repository_id)
                register(instance, REPOSITORIES, partition)
                run_key = f"{tags[DAMAGE_TAG]}:{runs}"
                yield dg.RunRequest(run_key=run_key, partition_key=partition, tags=tags)


REPOSITORY_SENSORS = [repositories_due]
