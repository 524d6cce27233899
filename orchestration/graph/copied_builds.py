"""Copies published builds for other machines in runs of their own, so that no build waits for the object store.

The sensor compares the builds here with those that were copied last. So it misses none while it is off, of several
builds that were published meanwhile the newest is copied, and a build that is deleted here is deleted in the store.
Keep out: what a copy is (publishing/copies.py).
"""

from collections.abc import Iterator

import dagster as dg

from orchestration.deployment import Deployment
from orchestration.graph.run_requests import (
    SOON,
    Wanted,
    attempts_if_due,
    has_running,
    request,
    running_partitions,
)
from orchestration.publishing import copies
from orchestration.runtime import executor
from orchestration.runtime.executor import one_process
from orchestration.runtime.failures import translating_errors
from orchestration.runtime.in_process_runs import COPY_BUILD
from orchestration.runtime.partitions import COPY_TAG, ORGANIZATIONS, identifier

BUILD_TAG = "eas/build"


@dg.op(description="Copies the published build, and deletes the copies of builds that were deleted here.")
def copy_published_build(context: dg.OpExecutionContext, deployment: dg.ResourceParam[Deployment]) -> None:
    with translating_errors(f"copying {context.partition_key}"):
        copies.mirror(deployment.settings.published_dir, identifier(context.partition_key))


@dg.job(
    name=COPY_BUILD,
    partitions_def=ORGANIZATIONS,
    executor_def=one_process,
    description="Copies the published build of one organization to the object store, for other machines.",
)
def copy_build_job() -> None:
    copy_published_build()


@dg.sensor(
    name="copies_due",
    job=copy_build_job,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Copies each new build to the object store of EAS_PUBLISHED_COPY. Builds do not wait for it.",
)
def copies_due(
    context: dg.SensorEvaluationContext, deployment: dg.ResourceParam[Deployment]
) -> Iterator[dg.RunRequest]:
    """Request due copies, and retry a failed one a few times. The run key has the cause and the attempt."""
    if not copies.is_wanted():
        return
    executor.fail_lost_runs(context.instance)
    running = running_partitions(context.instance, copy_build_job.name)
    with deployment.control() as control:
        organizations = control.organizations()
    for organization in organizations:
        cause = copies.waiting(deployment.settings.published_dir, organization.id)
        if cause is None or has_running(running, {organization.id}):
            continue
        wanted = Wanted(
            ORGANIZATIONS,
            organization.slug,
            organization.id,
            COPY_TAG,
            (BUILD_TAG, cause),
            organization.id,
        )
        attempts = attempts_if_due(context.instance, wanted.tags)
        if attempts is not None:
            yield request(context.instance, wanted, attempts, tags=SOON)
