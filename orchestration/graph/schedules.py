"""What happens daily without anybody asking."""

from collections.abc import Iterator

import dagster as dg

from api.control.plans import plans
from orchestration.deployment import Deployment
from orchestration.graph.jobs import check_freshness_job, extract_repository_job
from orchestration.runtime.partitions import REPOSITORIES, REPOSITORY_TAG, key, register
from orchestration.state.repositories import all_known


@dg.schedule(
    name="nightly",
    job=extract_repository_job,
    # When nobody pushes in Europe and America, and before anybody reads.
    cron_schedule="0 2 * * *",
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description=(
        "Reads every enabled repository, each in a run of its own, so that a bad one stops no other; warns of trials"
        " that end."
    ),
)
def nightly(
    context: dg.ScheduleEvaluationContext, deployment: dg.ResourceParam[Deployment]
) -> Iterator[dg.RunRequest | dg.SkipReason]:
    """One run per repository. A range of partitions would be one run, and would end with its first failure."""
    with deployment.control() as control:
        plans.warn_of_ending(control)
        enabled = [one for one in all_known(control) if one.is_scheduled]
    for repository in enabled:
        partition = key(repository.name, repository.repository_id)
        register(context.instance, REPOSITORIES, partition)
        # Requests of one tick need keys, and the same tick must not read a repository twice.
        run_key = f"{context.scheduled_execution_time:%Y-%m-%d}:{repository.repository_id}"
        yield dg.RunRequest(
            run_key=run_key, partition_key=partition, tags={REPOSITORY_TAG: repository.repository_id}
        )
    if not enabled:
        yield dg.SkipReason("No repository has been added yet: `eas analyze <path or address>` adds one.")


morning = dg.ScheduleDefinition(
    name="morning",
    job=check_freshness_job,
    # After the nightly runs have ended, before people come.
    cron_schedule="0 6 * * *",
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Checks that the night left nothing old behind.",
)

SCHEDULES = [nightly, morning]
