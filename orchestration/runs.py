"""Runs of the jobs in this process, recorded where the Dagster UI shows them.

Add: how a job is run and what became of it. Keep out: which ones are needed (analysis.py).
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

# Before Dagster is imported; dagster.yaml says the same for the instance.
os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "yes")

import dagster as dg
from dagster._core.instance.ref import InstanceRef
from dagster._core.utils import make_new_run_id

from ingest.git.mirror import RepositorySource
from ingest.settings import CHECKOUT, Settings
from orchestration import collector, run_locks
from orchestration.definitions import build_defs
from orchestration.deployment import Deployment
from orchestration.instance import home
from orchestration.jobs import (
    ORGANIZATION_TAG,
    REPOSITORY_TAG,
    build_organization_job,
    extract_repository_job,
)
from orchestration.partitions import ORGANIZATIONS, REPOSITORIES, key, register
from orchestration.progress import Progress
from orchestration.repositories import Repositories

# Progress and failures are shown by the caller; the events are in the UI.
SILENT = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@dataclass(frozen=True)
class Outcome:
    """How a run ended: the reasons why it failed, its wall time, and the metadata of what it made by asset."""

    failures: list[str]
    seconds: float
    metadata: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def succeeded(self) -> bool:
        """Whether everything was made."""
        return not self.failures


class Runs:
    """An open instance and the definitions to run in it; close it by leaving `opened`."""

    def __init__(self, definitions: dg.Definitions, instance: dg.DagsterInstance) -> None:
        self._definitions = definitions
        self._instance = instance

    def extract(self, source: RepositorySource) -> Outcome:
        """Read one repository."""
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
        with run_locks.holding(self._instance, run_id):
            result = self._definitions.resolve_job_def(job).execute_in_process(
                partition_key=partition,
                instance=self._instance,
                raise_on_error=False,
                run_config=SILENT,
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
        made = [
            event.step_materialization_data.materialization
            for event in events
            if event.is_step_materialization
        ]
        metadata = {
            asset.label: {name: value.value for name, value in asset.metadata.items()}
            for asset in made
            if asset.label
        }
        return Outcome([], seconds, metadata)


@contextlib.contextmanager
def opened(
    deployment: Deployment, opened_sources: Mapping[str, RepositorySource], progress: Progress
) -> Iterator[Runs]:
    """The deployment's instance with the definitions as they stand on disk.

    Raises BuildFailed when the dbt project cannot be parsed.
    """
    with contextlib.chdir(CHECKOUT), warnings.catch_warnings():
        # Notices of Dagster about its own interfaces are for developers, not for who analyses a repository.
        warnings.simplefilter("ignore")
        definitions = build_defs(
            deployment=deployment, repositories=Repositories(opened_sources), progress=progress
        )
        with open_instance(deployment.settings) as instance:
            run_locks.fail_lost(instance)
            yield Runs(definitions, instance)


def open_instance(settings: Settings) -> dg.DagsterInstance:
    """The instance, opened by one process after the other: the first makes its tables, which two cannot do at once."""
    settings.dagster_dir.mkdir(parents=True, exist_ok=True)
    with (settings.dagster_dir / "opening.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return dg.DagsterInstance.from_ref(InstanceRef.from_dir(str(home(settings))))


def _reason(event: dg.DagsterEvent) -> str:
    """Why a step failed, in the words of the failure policy; empty where the event has none."""
    if not event.is_step_failure:
        return ""
    error = event.step_failure_data.error
    while error is not None and error.message.startswith("Exceeded max_retries") and error.cause is not None:
        error = error.cause
    data = event.step_failure_data.user_failure_data
    if data is not None and data.description:
        return str(data.description)
    return error.message.strip() if error is not None else ""
