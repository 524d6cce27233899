"""Jobs: reading one repository, building and publishing one organization, asking whether all is recent.

All run their steps in one process: a process per step costs seconds and saves nothing here.
"""

import dagster as dg

from orchestration.graph.assets.git import extract_git
from orchestration.graph.checks import CHECKS
from orchestration.runtime.executor import one_process

extract_repository_job = dg.define_asset_job(
    "extract_repository",
    selection=dg.AssetSelection.assets(extract_git) - dg.AssetSelection.checks(*CHECKS),
    executor_def=one_process,
    description="Reads what is new in one repository. Needs only the repository as partition.",
)

build_organization_job = dg.define_asset_job(
    "build_organization",
    selection=dg.AssetSelection.all()
    - dg.AssetSelection.assets(extract_git)
    - dg.AssetSelection.checks(*CHECKS),
    executor_def=one_process,
    description="Copies settings, builds all models with their tests and publishes the result.",
)

check_freshness_job = dg.define_asset_job(
    "check_freshness",
    selection=dg.AssetSelection.checks(*CHECKS),
    executor_def=one_process,
    description="Asks whether every repository was read and every organization published lately.",
)

JOBS = [extract_repository_job, build_organization_job, check_freshness_job]
