"""Runs jobs in this process and records them in the Dagster instance, so that the UI shows them.

Add: how a job runs, and its result. Keep out: which jobs are due (commands/analysis.py, graph/).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import dagster as dg

from api.operator import traces
from ingest.schemas import SYNCED
from orchestration.runtime import collector, executor, interrupts, step_output
from orchestration.runtime.partitions import (
    CONNECTION_TAG,
    CONNECTIONS,
    COPY_TAG,
    ORGANIZATION_TAG,
    ORGANIZATIONS,
    REPOSITORIES,
    REPOSITORY_TAG,
    key,
    register,
)
from orchestration.workers import run_queue

EXTRACT_REPOSITORY, READ_ORGANIZATION = "extract_repository", "read_organization"
BUILD_ORGANIZATION, COPY_BUILD = "build_organization", "copy_build"
FULL_TAG = "eas/full"
"""Tag of a run that reads a connection from the start."""
UNFINISHED = [
    dg.DagsterRunStatus.QUEUED,
    dg.DagsterRunStatus.NOT_STARTED,
    dg.DagsterRunStatus.STARTING,
    dg.DagsterRunStatus.STARTED,
]
MAX_READING_RUNS = 2
"""Runs that read at the same time without workers: the limits of `eas/repository` and `eas/night` in dagster.yaml."""
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
    """An open Dagster instance with the definitions of the jobs."""

    def __init__(self, definitions: dg.Definitions, instance: dg.DagsterInstance) -> None:
        self._definitions = definitions
        self._instance = instance

    def extract(self, name: str, repository_id: str) -> Outcome:
        """Extract one repository."""
        partition = key(name, repository_id)
        register(self._instance, REPOSITORIES, partition)
        return self._run(EXTRACT_REPOSITORY, partition, {REPOSITORY_TAG: repository_id})

    def sync(self, category: str, name: str, connection_id: str, *, is_full: bool = False) -> Outcome:
        """Read one connection."""
        partition = key(name, connection_id)
        register(self._instance, CONNECTIONS, partition)
        tags = {CONNECTION_TAG: connection_id} | ({FULL_TAG: "yes"} if is_full else {})
        return self._run(SYNCED[category].job, partition, tags)

    def build(self, organization_id: str, slug: str) -> Outcome:
        """Build and publish one organization."""
        partition = key(slug, organization_id)
        register(self._instance, ORGANIZATIONS, partition)
        with collector.held():
            return self._run(BUILD_ORGANIZATION, partition, {ORGANIZATION_TAG: organization_id})

    def copy(self, organization_id: str, slug: str) -> Outcome:
        """Copy the published build of one organization for other machines."""
        partition = key(slug, organization_id)
        register(self._instance, ORGANIZATIONS, partition)
        return self._run(COPY_BUILD, partition, {COPY_TAG: organization_id})

    def _run(self, job: str, partition: str, tags: dict[str, str]) -> Outcome:
        started = time.monotonic()
        run_id = str(uuid4())
        traces.start("eas-runs")
        with (
            interrupts.passed_on(),
            executor.holding_run_lock(self._instance, run_id),
            step_output.shown_by_caller(),
            traces.span(job, {"eas.run_id": run_id}),
        ):
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


def share_of_workers(instance: dg.DagsterInstance, workers: int) -> int:
    """The processes for a run that reads: all of them if it is the only one, otherwise its part."""
    running = sum(
        instance.get_runs_count(dg.RunsFilter(job_name=job, statuses=UNFINISHED))
        for job in (EXTRACT_REPOSITORY, READ_ORGANIZATION)
    )
    most = run_queue.slots() if run_queue.is_used() else MAX_READING_RUNS
    return max(1, workers // min(max(running, 1), most))


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
