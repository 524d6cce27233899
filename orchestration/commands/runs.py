"""Opens the Dagster instance of a deployment, with which a command runs jobs in its own process.

Keep out: how a job runs (runtime/in_process_runs.py), which jobs are due (analysis.py).
"""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterator

# Set before the import of Dagster; dagster.yaml sets the same for the instance.
os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "yes")

import dagster as dg
from dagster._core.instance.ref import InstanceRef

from ingest.locks import locked
from ingest.settings import CHECKOUT, Settings
from orchestration.deployment import Deployment
from orchestration.graph.assembly import build_defs
from orchestration.graph.reading_jobs import reading_definitions
from orchestration.reading.readings import Readings
from orchestration.reading.side_by_side import SideBySide
from orchestration.runtime import executor, old_runs
from orchestration.runtime.in_process_runs import Runs
from orchestration.runtime.instance import home
from orchestration.runtime.progress import Progress

__all__ = ["SideBySide", "open_instance", "open_runs", "open_syncs"]


@contextlib.contextmanager
def open_runs(deployment: Deployment, readings: Readings, progress: Progress) -> Iterator[Runs]:
    """Open the deployment's Dagster instance, with definitions from the present dbt project.

    Raises BuildFailed if dbt cannot parse the project.
    """
    with contextlib.chdir(CHECKOUT), warnings.catch_warnings():
        # Dagster's notices about its interfaces address developers, not users of `eas analyze`.
        warnings.simplefilter("ignore")
        definitions = build_defs(deployment=deployment, readings=readings, progress=progress)
        with open_instance(deployment.settings) as instance:
            executor.fail_lost_runs(instance)
            old_runs.forget_old(instance)
            yield Runs(definitions, instance)


@contextlib.contextmanager
def open_syncs(deployment: Deployment, readings: Readings, progress: Progress) -> Iterator[Runs]:
    """Open the deployment's Dagster instance for runs over connections, which need nothing of dbt."""
    with contextlib.chdir(CHECKOUT), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        definitions = reading_definitions(deployment, readings, progress)
        with open_instance(deployment.settings) as instance:
            executor.fail_lost_runs(instance)
            old_runs.forget_old(instance)
            yield Runs(definitions, instance)


def open_instance(settings: Settings) -> dg.DagsterInstance:
    """Open the instance under a lock: the first process creates its tables, and two at once would fail."""
    with locked(settings.dagster_dir / "opening.lock"):
        return dg.DagsterInstance.from_ref(InstanceRef.from_dir(str(home(settings))))
