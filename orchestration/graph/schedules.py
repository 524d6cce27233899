"""Daily schedules."""

from collections.abc import Iterator

import dagster as dg

from api.control.plans import notices
from orchestration.deployment import Deployment
from orchestration.graph.jobs import check_freshness_job
from orchestration.graph.nightly_reading import NIGHT_TAG, read_organization_job
from orchestration.reading.repositories import all_known
from orchestration.runtime.partitions import ORGANIZATIONS, key, register
from orchestration.state import connections
from orchestration.workers.run_queue import READER_TAG


@dg.schedule(
    name="nightly",
    job=read_organization_job,
    # Few people push in Europe and America at this hour, and reports are ready in the morning.
    cron_schedule="0 2 * * *",
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description=(
        "Reads every connection and enabled repository, in one run per organization. A failure stops no other."
        " Warns of trials that end and of payments that are soon past due."
    ),
)
def nightly(
    context: dg.ScheduleEvaluationContext, deployment: dg.ResourceParam[Deployment]
) -> Iterator[dg.RunRequest | dg.SkipReason]:
    """Request one run per organization with an enabled repository or a connection."""
    with deployment.control() as control:
        notices.warn_of_ending(control)
        notices.warn_of_past_due(control)
        enabled = {
            one.organization_id: one.organization_slug for one in all_known(control) if one.is_scheduled
        }
    enabled |= {one.organization_id: one.organization_slug for one in connections.all_known(deployment)}
    night = context.scheduled_execution_time.isoformat()
    for organization_id, slug in enabled.items():
        partition = key(slug, organization_id)
        register(context.instance, ORGANIZATIONS, partition)
        # Run keys prevent a second run of an organization in the same night.
        run_key = f"{context.scheduled_execution_time:%Y-%m-%d}:{organization_id}"
        yield dg.RunRequest(
            run_key=run_key, partition_key=partition, tags={NIGHT_TAG: night, READER_TAG: organization_id}
        )
    if not enabled:
        yield dg.SkipReason("There is no repository yet; `eas analyze <path or address>` adds one.")


morning = dg.ScheduleDefinition(
    name="morning",
    job=check_freshness_job,
    # After the nightly runs, before working hours.
    cron_schedule="0 6 * * *",
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Checks that the nightly runs updated every repository and organization.",
)

SCHEDULES = [nightly, morning]
