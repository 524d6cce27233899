"""The definitions of every asset, check, job, schedule and sensor. Assembles those of the other modules.

Keep out: the code location of Dagster's own processes (orchestration/definitions.py), which makes them once more.
"""

from __future__ import annotations

import os

# Set before the import of Dagster; dagster.yaml sets the same for the instance.
os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "yes")

import dagster as dg

from orchestration.deployment import Deployment
from orchestration.graph.assets.control import snapshot_control
from orchestration.graph.assets.git import extract_git
from orchestration.graph.assets.published import published_asset
from orchestration.graph.assets.synced import SYNC_ASSETS
from orchestration.graph.assets.telemetry import load_telemetry
from orchestration.graph.assets.warehouse import PUBLISHED, warehouse_assets
from orchestration.graph.checks import CHECKS
from orchestration.graph.connection_sensors import CONNECTION_SENSORS
from orchestration.graph.copied_builds import copies_due, copy_build_job
from orchestration.graph.jobs import JOBS
from orchestration.graph.nightly_reading import read_organization_job
from orchestration.graph.repository_sensors import REPOSITORY_SENSORS
from orchestration.graph.schedules import SCHEDULES
from orchestration.graph.sensors import SENSORS
from orchestration.graph.summaries import (
    BACKFILL_JOBS,
    SUMMARY_ASSETS,
    SUMMARY_SCHEDULES,
    summarize_organization_job,
)
from orchestration.reading.readings import Readings
from orchestration.runtime.executor import one_process
from orchestration.runtime.progress import Progress


def build_defs(**overrides: object) -> dg.Definitions:
    """Build the definitions. `overrides` replace the resources `deployment`, `readings` and `progress`."""
    resources = {
        "deployment": Deployment(),
        "readings": Readings(),
        "progress": Progress(),
    } | overrides
    deployment = resources["deployment"]
    assert isinstance(deployment, Deployment)
    warehouse = warehouse_assets(deployment)
    published = published_asset(key for key in warehouse.keys if key.path[0] == PUBLISHED)
    return dg.Definitions(
        assets=[
            snapshot_control,
            extract_git,
            load_telemetry,
            *SYNC_ASSETS.values(),
            warehouse,
            published,
            *SUMMARY_ASSETS,
        ],
        asset_checks=CHECKS,
        jobs=[*JOBS, copy_build_job, read_organization_job, summarize_organization_job, *BACKFILL_JOBS],
        schedules=[*SCHEDULES, *SUMMARY_SCHEDULES],
        sensors=[*SENSORS, copies_due, *REPOSITORY_SENSORS, *CONNECTION_SENSORS],
        resources=resources,
        executor=one_process,
    )
