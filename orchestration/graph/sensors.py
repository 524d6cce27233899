"""When an organization is built: as soon as its facts, settings, rules or its date differ from the published build.

The sensor compares states instead of listening to finished runs: it misses nothing that happened while it was
off, and many repositories that finish together cause one build.
"""

import hashlib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

import dagster as dg
from dagster._core.storage.tags import PARTITION_NAME_TAG, PRIORITY_TAG

from api.control.repositories import removals
from orchestration.build import settings_snapshot
from orchestration.deployment import Deployment
from orchestration.graph.jobs import build_organization_job, extract_repository_job
from orchestration.operations import outbox, removal
from orchestration.runtime import executor
from orchestration.runtime.partitions import ORGANIZATION_TAG, ORGANIZATIONS, identifier, key, register
from orchestration.state import fingerprints

UNFINISHED = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


# Names what a run was to build from, so that a later tick finds the runs that did not manage to.
INPUTS_TAG = "eas/inputs"
# How long after each run that ended without a build the next is due: a database that restarts, a disk that is
# full. Afterwards only something else in the inputs helps, if only the next day.
WAITS = (timedelta(minutes=2), timedelta(minutes=15), timedelta(hours=2))
# How long what people decided waits for repositories that are read: a host that does not answer is tried for minutes,
# and a night reads for hours. A batch of facts is whole in a build or not in it.
PATIENCE = timedelta(minutes=1)


@dg.sensor(
    name="builds_due",
    job=build_organization_job,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Builds an organization whose inputs differ from those of its published build, once extraction rests,"
    " or what people decided has waited for a minute.",
)
def builds_due(
    context: dg.SensorEvaluationContext, deployment: dg.ResourceParam[Deployment]
) -> Iterator[dg.RunRequest | dg.SkipReason]:
    """A build that failed is tried again a few times; its run key names its inputs and how often it was tried."""
    executor.fail_lost(context.instance)
    working = {
        job.name: _partitions_at_work(context.instance, job.name)
        for job in (extract_repository_job, build_organization_job)
    }
    with deployment.control() as control:
        organizations = control.organizations()
    waiting = []
    has_asked = False
    for organization in organizations:
        if _is_met(working[build_organization_job.name], {organization.id}) or _waits_for_reading(
            deployment, organization.id, working[extract_repository_job.name]
        ):
            waiting.append(organization.slug)
            continue
        wanted = _due(deployment, organization.id)
        if wanted is None:
            continue
        digest = hashlib.sha256(":".join(wanted).encode()).hexdigest()[:32]
        tags = {ORGANIZATION_TAG: organization.id, INPUTS_TAG: digest}
        tries = _tries_if_due(context.instance, tags)
        if tries is None:
            continue
        # A night's repositories stand in the queue before it.
        tags[PRIORITY_TAG] = "1"
        partition = key(organization.slug, organization.id)
        register(context.instance, ORGANIZATIONS, partition)
        run_key = f"{organization.id}:{digest}:{tries}"
        has_asked = True
        yield dg.RunRequest(run_key=run_key, partition_key=partition, tags=tags)
    if waiting and not has_asked:
        yield dg.SkipReason(f"Waiting for runs of {', '.join(waiting)} to end.")


def _due(deployment: Deployment, organization_id: str) -> list[str] | None:
    """What a build would be made from; None where there is none to make."""
    published = deployment.run_state.build(organization_id)
    # Its last repository may have been removed since.
    if published is None and not deployment.lake.sources("git", organization_id):
        return None
    seen = outbox.noted(deployment, organization_id)
    settings = settings_snapshot.decided(deployment, organization_id)
    wanted = fingerprints.of_build(deployment, organization_id, settings, fingerprints.now())
    if published is None:
        return ["", *wanted.values()]
    if published.inputs != wanted or removal.is_waiting(deployment, organization_id):
        # With the build that it replaces: what was changed and taken back has the inputs of an earlier run.
        return [published.build_id, *wanted.values()]
    # What was decided and taken back since changes nothing: it is in there too.
    outbox.included(deployment, organization_id, seen, published.build_id)
    return None


def _partitions_at_work(instance: dg.DagsterInstance, job: str) -> set[str]:
    """Ids of what the unfinished runs of a job work on; an empty one for a run that does not say."""
    runs = instance.get_runs(dg.RunsFilter(job_name=job, statuses=UNFINISHED))
    return {identifier(run.tags.get(PARTITION_NAME_TAG, "")) for run in runs}


def _waits_for_reading(deployment: Deployment, organization_id: str, reading: set[str]) -> bool:
    """Whether a build should wait for the repositories that are read: for one that is removed it has to."""
    with deployment.control() as control:
        own = removals.repositories(control, organization_id)
    if not _is_met(reading, {one.repository_id for one in own}):
        return False
    removed = {one.repository_id for one in own if one.is_removed}
    if removed and _is_met(reading, removed):
        return True
    since = outbox.due_since(deployment, organization_id)
    return since is None or datetime.now(UTC) - since < PATIENCE


def _is_met(working: set[str], own: set[str]) -> bool:
    return not working.isdisjoint(own | {""})


def _tries_if_due(instance: dg.DagsterInstance, tags: Mapping[str, str]) -> int | None:
    """How many runs with these inputs have ended without a build; None where it is not time for another."""
    ended = instance.get_run_records(dg.RunsFilter(tags=dict(tags)))
    if not ended:
        return 0
    if len(ended) > len(WAITS):
        return None
    last = max(record.end_time or record.update_timestamp.replace(tzinfo=UTC).timestamp() for record in ended)
    since = datetime.now(UTC) - datetime.fromtimestamp(last, UTC)
    return len(ended) if since >= WAITS[len(ended) - 1] else None


SENSORS = [builds_due]
