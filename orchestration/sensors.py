"""When an organization is built: as soon as its facts, settings, rules or its date differ from the published build.

The sensor compares states instead of listening to finished runs: it misses nothing that happened while it was
off, and many repositories that finish together cause one build.
"""

from collections.abc import Iterator

import dagster as dg

from orchestration import control_snapshot, inputs, outbox
from orchestration.deployment import Deployment
from orchestration.jobs import ORGANIZATION_TAG, build_organization_job, extract_repository_job
from orchestration.partitions import ORGANIZATIONS, key, register

UNFINISHED = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
    dg.DagsterRunStatus.CANCELING,
]


@dg.sensor(
    name="builds_due",
    job=build_organization_job,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Builds an organization whose inputs differ from those of its published build, once extraction rests.",
)
def builds_due(
    context: dg.SensorEvaluationContext, deployment: dg.ResourceParam[Deployment]
) -> Iterator[dg.RunRequest | dg.SkipReason]:
    """A failed build is not tried again before one of its inputs changes: the run key names them."""
    waiting = [
        job.name
        for job in (extract_repository_job, build_organization_job)
        if context.instance.get_runs(dg.RunsFilter(job_name=job.name, statuses=UNFINISHED), limit=1)
    ]
    if waiting:
        yield dg.SkipReason(f"Waiting for {' and '.join(waiting)} to end.")
        return
    with deployment.control() as control:
        organizations = control.organizations()
    for organization in organizations:
        published = deployment.journal.build(organization.id)
        # Its last repository may have been removed since.
        if published is None and not deployment.lake.sources("git", organization.id):
            continue
        seen = outbox.noted(deployment, organization.id)
        settings = control_snapshot.decided(deployment, organization.id)
        wanted = inputs.of_build(deployment, organization.id, settings, inputs.now())
        if published is None or published.inputs != wanted:
            partition = key(organization.slug, organization.id)
            register(context.instance, ORGANIZATIONS, partition)
            # With the build that it replaces: what was changed and taken back has the inputs of an earlier run.
            replaced = published.build_id if published is not None else ""
            run_key = ":".join([organization.id, replaced, *wanted.values()])
            yield dg.RunRequest(
                run_key=run_key, partition_key=partition, tags={ORGANIZATION_TAG: organization.id}
            )
        else:
            # What was decided and taken back since changes nothing: it is in there too.
            outbox.included(deployment, organization.id, seen, published.build_id)


SENSORS = [builds_due]
