"""Jobs: reading one repository, building and publishing one organization.

Both run their steps in one process: a process per step costs seconds and saves nothing here.
"""

import dagster as dg

from orchestration.assets.git import extract_git
from orchestration.assets.published import KEY
from orchestration.partitions import ORGANIZATIONS, REPOSITORIES

# A repository is read by one run at a time, an organization built by one; Dagster queues the others.
REPOSITORY_TAG, ORGANIZATION_TAG = "eas/repository", "eas/organization"

extract_repository_job = dg.define_asset_job(
    "extract_repository",
    selection=dg.AssetSelection.assets(extract_git),
    partitions_def=REPOSITORIES,
    executor_def=dg.in_process_executor,
    description="Reads what is new in one repository. Needs only the repository as partition.",
)

build_organization_job = dg.define_asset_job(
    "build_organization",
    selection=dg.AssetSelection.assets(KEY).upstream() - dg.AssetSelection.assets(extract_git),
    partitions_def=ORGANIZATIONS,
    executor_def=dg.in_process_executor,
    description="Copies settings, builds all models with their tests and publishes the result.",
)

JOBS = [extract_repository_job, build_organization_job]
