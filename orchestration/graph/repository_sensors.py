"""When a repository is read because somebody asked: it was added, edited, enabled, or one of its commits doubted.

The sensor looks at what waits in the control database, so nothing is missed while it is off, and a run that was
killed is started again. The night reads all (schedules.py).
"""

from collections.abc import Iterator

import dagster as dg

from api.control.repositories import sync_status
from api.control.repositories.sync_status import Waiting
from orchestration.deployment import Deployment
from orchestration.graph.jobs import extract_repository_job
from orchestration.graph.sensors import UNFINISHED
from orchestration.runtime import executor
from orchestration.runtime.partitions import REPOSITORIES, REPOSITORY_TAG, key, register

OPERATION_TAG = "eas/operation"
# A tick has a minute; the rest of a large selection comes with the next ones.
MOST_AT_ONCE = 50
# A run that ends without a word was killed: perhaps by what it read.
MAX_RUNS = 3


@dg.sensor(
    name="repositories_due",
    job=extract_repository_job,
    minimum_interval_seconds=30,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Reads repositories that were added, edited or enabled, or of which a commit is to be analysed again.",
)
def repositories_due(
    context: dg.SensorEvaluationContext, deployment: dg.ResourceParam[Deployment]
) -> Iterator[dg.RunRequest]:
    """One run per repository answers everything that waits for it; its run key names what waits longest."""
    executor.fail_lost(context.instance)
    with deployment.control() as control:
        oldest: dict[str, Waiting] = {}
        for one in sync_status.waiting(control, MOST_AT_ONCE):
            oldest.setdefault(one.repository_id, one)
        for repository_id, one in oldest.items():
            tags = {REPOSITORY_TAG: repository_id}
            if context.instance.get_runs(dg.RunsFilter(tags=tags, statuses=UNFINISHED), limit=1):
                continue
            tags[OPERATION_TAG] = one.operation_id
            runs = context.instance.get_runs_count(dg.RunsFilter(tags=tags))
            if runs >= MAX_RUNS:
                why = (
                    f"{runs} runs ended before they had read the repository; their logs are in the Dagster UI"
                )
                sync_status.refuse(control, [one.operation_id], why)
                continue
            for known in sync_status.readable_repositories(control, repository_id):
                partition = key(known.name, repository_id)
                register(context.instance, REPOSITORIES, partition)
                run_key = f"{one.operation_id}:{runs}"
                yield dg.RunRequest(run_key=run_key, partition_key=partition, tags=tags)


REPOSITORY_SENSORS = [repositories_due]
