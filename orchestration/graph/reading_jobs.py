"""The jobs that read, with what they need and nothing of dbt: for commands and nights that run them in their process.

Keep out: the whole code location (definitions.py), when the jobs run (nightly_reading.py, commands/syncs.py).
"""

import dagster as dg

from orchestration.deployment import Deployment
from orchestration.graph.assets.git import extract_git
from orchestration.graph.assets.synced import SYNC_ASSETS
from orchestration.graph.checks import READING_CHECKS
from orchestration.graph.jobs import READING_JOBS
from orchestration.reading.readings import Readings
from orchestration.runtime.executor import one_process
from orchestration.runtime.progress import Progress


def reading_definitions(deployment: Deployment, readings: Readings, progress: Progress) -> dg.Definitions:
    """Definitions of the jobs that read one repository or one connection."""
    return dg.Definitions(
        assets=[extract_git, *SYNC_ASSETS.values()],
        asset_checks=READING_CHECKS,
        jobs=READING_JOBS,
        resources={"deployment": deployment, "readings": readings, "progress": progress},
        executor=one_process,
    )
