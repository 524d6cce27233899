"""Jobs: extract one repository, read one connection, build and publish one organization, check freshness.

Every job runs its steps in one process, because a process per step costs seconds without a gain.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial

import dagster as dg
from dagster._core.storage.tags import PARTITION_NAME_TAG

from ingest.schemas import SYNCED
from orchestration.deployment import Deployment
from orchestration.graph.assets.git import extract_git
from orchestration.graph.assets.synced import SYNC_ASSETS
from orchestration.graph.checks import CHECKS, READING_CHECKS
from orchestration.runtime import executor
from orchestration.runtime.executor import one_process
from orchestration.runtime.in_process_runs import BUILD_ORGANIZATION, EXTRACT_REPOSITORY
from orchestration.runtime.partitions import identifier
from orchestration.state import build_lock

# The group of the assets that write summaries of past periods (summaries.py). A build writes those that it completes.
SUMMARIES = "summaries"

extract_repository_job = dg.define_asset_job(
    EXTRACT_REPOSITORY,
    selection=dg.AssetSelection.assets(extract_git) - dg.AssetSelection.checks(*READING_CHECKS),
    executor_def=one_process,
    description="Extracts the new commits of one repository. The partition is the repository.",
)

SYNC_JOBS = [
    dg.define_asset_job(
        one.job,
        selection=dg.AssetSelection.assets(SYNC_ASSETS[one.noun]) - dg.AssetSelection.checks(*READING_CHECKS),
        executor_def=one_process,
        description=f"Reads what changed in one {one.title}. The partition is the connection.",
    )
    for one in SYNCED.values()
]


def building_alone(run: dg.DagsterRun, say: Callable[[str], None]) -> AbstractContextManager[bool]:
    """Wait until no other process builds the organization of a run, and let none start before its last step."""
    partition = run.tags.get(PARTITION_NAME_TAG, "")
    line = f"{partition}: another process builds this organization now; this run waits for it"
    return build_lock.held(Deployment(), identifier(partition), partial(say, line))


@dg.executor(name="sole_builder")
def sole_builder(_: dg.InitExecutorContext) -> executor.LockingExecutor:
    """Executor of builds. Without one lock for all steps another build could replace what is about to be published."""
    return executor.LockingExecutor(building_alone)


build_organization_job = dg.define_asset_job(
    BUILD_ORGANIZATION,
    selection=dg.AssetSelection.all()
    - dg.AssetSelection.assets(extract_git, *SYNC_ASSETS.values())
    - dg.AssetSelection.groups(SUMMARIES)
    - dg.AssetSelection.checks(*CHECKS),
    executor_def=sole_builder,
    description="Copies settings into the lake, builds and tests all models, and publishes the result.",
)

check_freshness_job = dg.define_asset_job(
    "check_freshness",
    selection=dg.AssetSelection.checks(*CHECKS),
    executor_def=one_process,
    description="Checks that every repository was read and every organization published recently.",
)

READING_JOBS = [extract_repository_job, *SYNC_JOBS]
JOBS = [*READING_JOBS, build_organization_job, check_freshness_job]
