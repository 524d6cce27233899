"""Runs jobs in this process and records them in the Dagster instance, so that the UI shows them.

Add: how a job runs, and its result. Keep out: which jobs are due (analysis.py).
"""

from __future__ import annotations

import contextlib
import os
import time
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

# Set before the import of Dagster; dagster.yaml sets the same for the instance.
os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "yes")

import dagster as dg
from dagster._core.instance.ref import InstanceRef
from dagster._core.utils import make_new_run_id

from ingest.git.repository_source import RepositorySource
from ingest.locks import locked
from ingest.settings import CHECKOUT, Settings
from orchestration.definitions import build_defs
from orchestration.deployment import Deployment
from orchestration.graph.jobs import build_organization_job, extract_repository_job
from orchestration.runtime import collector, executor
from orchestration.runtime.instance import home
from orchestration.runtime.partitions import (
    ORGANIZATION_TAG,
    ORGANIZATIONS,
    REPOSITORIES,
    REPOSITORY_TAG,
    key,
    register,
)
from orchestration.runtime.progress import Progress
from orchestration.state.repositories import Repositories

# The caller shows progress and failures; the UI shows the events.
SILENT_LOGGING = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@dataclass(frozen=True)
class Outcome:
    """The result of a run: reasons of failures, seconds of wall time, and metadata by materialized asset."""

    failures: list[str]
    seconds: float
    metadata: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def succeeded(self) -> bool:
        """Whether the run materialized every asset."""
        return not self.failures


class Runs:
    """An open Dagster instance with its definitions. The context manager `open_runs` opens and closes it."""

    def __init__(self, definitions: dg.Definitions, instance: dg.DagsterInstance) -> None:
        self._definitions = definitions
        self._instance = instance

    def extract(self, source: RepositorySource) -> Outcome:
        """Extract one repository."""
        partition = key(source.name, source.repository_id)
        register(self._instance, REPOSITORIES, partition)
        return self._run(extract_repository_job.name, partition, {REPOSITORY_TAG: source.repository_id})

    def build(self, organization_id: str, slug: str) -> Outcome:
        """Build and publish one organization."""
        partition = key(slug, organization_id)
        register(self._instance, ORGANIZATIONS, partition)
        with collector.held():
            return self._run(build_organization_job.name, partition, {ORGANIZATION_TAG: organization_id})

    def _run(self, job: str, partition: str, tags: dict[str, str]) -> Outcome:
        started = time.monotonic()
        run_id = make_new_run_id()
        with executor.holding_run_lock(self._instance, run_id):
            result = self._definitions.resolve_job_def(job).execute_in_process(
                partition_key=partition,
                instance=self._instance,
                raise_on_error=False,
                run_config=SILENT_LOGGING,
                tags=tags,
                run_id=run_id,
            )
        seconds = time.monotonic() - started
        events = result.all_events
        failures = [_reason(event) for event in events if event.is_step_failure or event.is_run_failure]
        if not result.success:
            return Outcome(
                [next(filter(None, failures), "the run failed; its log is in the Dagster UI")], seconds
            )
        materializations = [
            event.step_materialization_data.materialization
            for event in events
            if event.is_step_materialization
        ]
        metadata = {
            asset.label: {name: value.value for name, value in asset.metadata.items()}
            for asset in materializations
            if asset.label
        }
        return Outcome([], seconds, metadata)


@contextlib.contextmanager
def open_runs(deployment: Deployment, repositories: Repositories, progress: Progress) -> Iterator[Runs]:
    """Open the deployment's Dagster instance, with definitions from the present dbt project.

    Raises BuildFailed if dbt cannot parse the project.
    """
    with contextlib.chdir(CHECKOUT), warnings.catch_warnings():
        # Dagster's notices about its interfaces address developers, not users of `eas analyze`.
        warnings.simplefilter("ignore")
        definitions = build_defs(deployment=deployment, repositories=repositories, progress=progress)
        with open_instance(deployment.settings) as instance:
            executor.fail_lost_runs(instance)
            yield Runs(definitions, instance)


def open_instance(settings: Settings) -> dg.DagsterInstance:
    """Open the instance under a lock: the first process creates its tables, and two at once would fail."""
    with locked(settings.dagster_dir / "opening.lock"):
        return dg.DagsterInstance.from_ref(InstanceRef.from_dir(str(home(settings))))


def _reason(event: dg.DagsterEvent) -> str:
    """The description of a failed step; empty if the event has none."""
    if not event.is_step_failure:
        return ""
    error = event.step_failure_data.error
    while error is not None and error.message.startswith("Exceeded max_retries") and error.cause is not None:
        error = error.cause
    data = event.step_failure_data.user_failure_data
    if data is not None and data.description:
        return str(data.description)
    return error.message.strip() if error is not None else ""
