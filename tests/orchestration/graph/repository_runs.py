"""Runs of one repository as the sensor asks for them, and what they leave."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import dagster as dg

from api.control.commits import reanalyses
from api.control.commits.exclusions import NamedCommit
from api.control.operations import operations
from api.control.principals import OPERATOR
from api.control.repositories.repositories import (
    change_repository,
)
from api.control.repositories.settings import SettingsChange
from ingest.git.repository_source import RepositorySource
from ingest.lake import Source
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.graph.assets.git import extract_git
from orchestration.graph.repository_sensors import repositories_due
from orchestration.reading.readings import Readings
from orchestration.runtime.partitions import REPOSITORIES, key, register
from orchestration.runtime.progress import Progress


def tick(instance: dg.DagsterInstance, deployment: Deployment) -> list[dg.RunRequest]:
    context = dg.build_sensor_context(instance=instance, resources={"deployment": deployment})
    requests = repositories_due(context) or ()
    assert isinstance(requests, Iterable)
    return [one for one in requests if isinstance(one, dg.RunRequest)]


def read(
    instance: dg.DagsterInstance,
    deployment: Deployment,
    source: RepositorySource,
    readings: Readings | None = None,
    **tags: str,
) -> dg.ExecuteInProcessResult:
    """Run the job as the sensor does."""
    partition = key(source.name, source.repository_id)
    register(instance, REPOSITORIES, partition)
    return dg.materialize(
        [extract_git],
        instance=instance,
        partition_key=partition,
        resources={
            "deployment": deployment,
            "readings": readings or Readings(),
            "progress": Progress(),
        },
        raise_on_error=False,
        tags=tags,
    )


def change(deployment: Deployment, source: RepositorySource, **values: Any) -> None:
    with deployment.control() as control:
        change_repository(
            control, OPERATOR, LOCAL_ORGANIZATION, source.repository_id, SettingsChange(**values)
        )


def request_reanalysis(deployment: Deployment, source: RepositorySource, sha: str) -> str:
    """Request the analysis of a commit again. Returns the operation."""
    commit = NamedCommit("c", sha, source.repository_id, "Change", None)
    with deployment.control() as control:
        return reanalyses.reanalyze(control, OPERATOR, LOCAL_ORGANIZATION, commit)


def operation_record(deployment: Deployment, operation_id: str) -> operations.OperationRecord:
    with deployment.control() as control:
        return operations.operation(control, LOCAL_ORGANIZATION, operation_id)


def lake_source(deployment: Deployment, source: RepositorySource) -> Source:
    return deployment.lake.source("git", LOCAL_ORGANIZATION, source.repository_id)


def rows(source: Source) -> dict[str, Counter[str]]:
    return {
        table: Counter(map(str, source.read(table).to_pylist()))
        for table in (
            "commits",
            "file_changes",
            "delivered_lines",
            "line_deaths",
            "deliveries",
            "reachability",
        )
    }


def delivered(deployment: Deployment, source: RepositorySource) -> list[str]:
    return sorted(lake_source(deployment, source).read("deliveries")["delivery_sha"].to_pylist())
