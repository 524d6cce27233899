"""Requested extractions: the sensor, the run, and the results of the operations."""

from pathlib import Path

import dagster as dg
import pytest

from api.control.principals import OPERATOR
from api.control.repositories.repositories import (
    NewRepository,
    add_repository,
    change_repository,
    managed_repository,
)
from api.control.repositories.settings import Settings as RepositorySettings
from api.control.repositories.settings import SettingsChange
from ingest.errors import UnsupportedTarget
from ingest.git.repository_source import RepositorySource
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.graph.repository_sensors import OPERATION_TAG
from orchestration.graph.run_requests import MAX_RUNS
from orchestration.reading.repositories import known, open_known
from orchestration.runtime.progress import Progress
from tests.git_repository import GitRepository
from tests.orchestration.graph.repository_runs import (
    change,
    lake_source,
    operation_record,
    read,
    request_reanalysis,
    rows,
    tick,
)


def test_an_added_repository_gets_a_run(instance: dg.DagsterInstance, deployment: Deployment) -> None:
    with deployment.control() as control:
        for name in ("one", "two"):
            wanted = NewRepository(
                f"id-{name}", f"git.example/{name}", f"https://git.example/{name}", RepositorySettings(name)
            )
            add_repository(control, OPERATOR, LOCAL_ORGANIZATION, wanted)
            # The same run completes a second operation that was requested before it.
            change = SettingsChange(chosen_branch="develop")
            change_repository(control, OPERATOR, LOCAL_ORGANIZATION, f"id-{name}", change)
    requests = tick(instance, deployment)
    assert [request.partition_key for request in requests] == ["one id-one", "two id-two"]
    assert [request.run_key for request in tick(instance, deployment)] == [r.run_key for r in requests]
    with deployment.control() as control:
        off = SettingsChange(is_disabled=True)
        change_repository(control, OPERATOR, LOCAL_ORGANIZATION, "id-one", off)
    assert [request.partition_key for request in tick(instance, deployment)] == ["two id-two"]


def test_a_killed_run_is_retried_a_few_times(
    instance: dg.DagsterInstance, deployment: Deployment, source: RepositorySource
) -> None:
    operation = request_reanalysis(deployment, source, "5" * 40)
    run_keys = set()
    for number in range(MAX_RUNS):
        [request] = tick(instance, deployment)
        run_keys.add(request.run_key)
        run = instance.create_run_for_job(_job(), tags=dict(request.tags), status=dg.DagsterRunStatus.STARTED)
        # No other run starts meanwhile.
        assert tick(instance, deployment) == []
        instance.report_run_failed(run)
        assert operation_record(deployment, operation).state == "PENDING", number
    assert len(run_keys) == MAX_RUNS
    assert tick(instance, deployment) == []
    failed = operation_record(deployment, operation)
    assert failed.state == "FAILED"
    assert "ended before they had read" in (failed.error or "")


def test_damaged_facts_are_extracted_again_a_few_times(
    instance: dg.DagsterInstance, deployment: Deployment, source: RepositorySource
) -> None:
    assert read(instance, deployment, source).success
    assert tick(instance, deployment) == []
    before = rows(lake_source(deployment, source))
    for file in Path(deployment.lake.root).glob("git/file_changes/*/*/0*.parquet"):
        file.unlink()
    run_keys = set()
    for _ in range(MAX_RUNS):
        [request] = tick(instance, deployment)
        run_keys.add(request.run_key)
        run = instance.create_run_for_job(_job(), tags=dict(request.tags), status=dg.DagsterRunStatus.STARTED)
        assert tick(instance, deployment) == []
        instance.report_run_failed(run)
    assert len(run_keys) == MAX_RUNS
    assert tick(instance, deployment) == []
    assert read(instance, deployment, source).success
    assert rows(lake_source(deployment, source)) == before
    assert lake_source(deployment, source).damage() == []


def _job() -> dg.JobDefinition:
    @dg.op
    def nothing() -> None: ...

    @dg.job(name="extract_repository")
    def job() -> None:
        nothing()

    return job


@pytest.mark.parametrize("state", ["is_disabled", "is_stopped"])
def test_a_disabled_or_stopped_repository_is_not_read(
    instance: dg.DagsterInstance, deployment: Deployment, source: RepositorySource, state: str
) -> None:
    change(deployment, source, **{state: True})
    assert not read(instance, deployment, source).success
    assert not lake_source(deployment, source).state().batch
    with deployment.control() as control:
        # This is no failure of the repository.
        assert managed_repository(control, LOCAL_ORGANIZATION, source.repository_id).failure is None
    change(deployment, source, **{state: False})
    assert len(tick(instance, deployment)) == 1
    assert read(instance, deployment, source).success


def test_an_address_of_the_api_is_never_a_path(deployment: Deployment, repository: GitRepository) -> None:
    """This holds for any entry in the run state and any row in the database."""
    with deployment.control() as control:
        wanted = NewRepository("r", str(repository.path), str(repository.path), RepositorySettings("r"))
        add_repository(control, OPERATOR, LOCAL_ORGANIZATION, wanted)
    added = known(deployment, "r")

    with pytest.raises(UnsupportedTarget):
        open_known(deployment, added, Progress())


def test_the_tag_names_the_oldest_operation(
    instance: dg.DagsterInstance, deployment: Deployment, source: RepositorySource
) -> None:
    first = request_reanalysis(deployment, source, "5" * 40)
    request_reanalysis(deployment, source, "6" * 40)
    [request] = tick(instance, deployment)
    assert request.tags[OPERATION_TAG] == first


def test_a_busy_repository_is_no_failure_and_its_operation_waits(
    instance: dg.DagsterInstance, deployment: Deployment, source: RepositorySource
) -> None:
    operation = request_reanalysis(deployment, source, "5" * 40)
    with lake_source(deployment, source).extracting():
        assert not read(instance, deployment, source).success
        assert tick(instance, deployment) == [], "a run that would find the repository busy"
    with deployment.control() as control:
        assert managed_repository(control, LOCAL_ORGANIZATION, source.repository_id).failure is None
    assert operation_record(deployment, operation).state == "PENDING"
    assert len(tick(instance, deployment)) == 1
