"""Tests of the nightly run: one process reads all repositories of an organization, and records a run for each."""

import os
import shutil
import signal
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import dagster as dg
import pytest
from dagster._core.storage.tags import WILL_RETRY_TAG

from ingest.errors import Transient
from ingest.git.repository_source import RepositorySource
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG, Deployment
from orchestration.graph import nightly_reading
from orchestration.graph.assembly import build_defs
from orchestration.graph.assets import raw
from orchestration.graph.nightly_reading import NIGHT_TAG
from orchestration.reading.repositories import KnownRepository, open_known
from orchestration.runtime.in_process_runs import BUILD_ORGANIZATION, EXTRACT_REPOSITORY, READ_ORGANIZATION
from orchestration.runtime.partitions import ORGANIZATIONS, REPOSITORY_TAG, key, register
from orchestration.runtime.progress import Progress
from orchestration.state import fingerprints
from tests.git_repository import GitRepository


@pytest.fixture
def instance(stored_instance: dg.DagsterInstance) -> dg.DagsterInstance:
    return stored_instance


@pytest.fixture
def night(deployment: Deployment, instance: dg.DagsterInstance) -> Callable[..., dg.ExecuteInProcessResult]:
    """Run one night of the organization."""
    definitions = build_defs(deployment=deployment)
    partition = key(LOCAL_SLUG, LOCAL_ORGANIZATION)
    register(instance, ORGANIZATIONS, partition)

    def run(**tags: str) -> dg.ExecuteInProcessResult:
        job = definitions.resolve_job_def(READ_ORGANIZATION)
        return job.execute_in_process(partition_key=partition, instance=instance, tags=tags)

    return run


@pytest.fixture
def sources(
    add: Callable[[GitRepository], RepositorySource], new_repository: Callable[..., GitRepository]
) -> list[RepositorySource]:
    found = []
    for name in ("one", "two", "three"):
        repository = new_repository(name)
        repository.commit({"a.py": f"{name} = 1\n"})
        found.append(add(repository))
    return found


def recorded(instance: dg.DagsterInstance) -> dict[str, list[dg.DagsterRunStatus]]:
    """States of the runs of each repository, the latest first."""
    runs: dict[str, list[dg.DagsterRunStatus]] = {}
    for run in instance.get_runs(dg.RunsFilter(job_name=EXTRACT_REPOSITORY)):
        runs.setdefault(run.tags[REPOSITORY_TAG], []).append(run.status)
    return runs


def metadata(result: dg.ExecuteInProcessResult) -> dict[str, Any]:
    [event] = [event for event in result.all_events if event.is_successful_output]
    return {name: value.value for name, value in event.step_output_data.metadata.items()}


def test_a_night_reads_every_repository_and_records_a_run_for_each(
    night: Callable[..., dg.ExecuteInProcessResult],
    instance: dg.DagsterInstance,
    deployment: Deployment,
    sources: list[RepositorySource],
) -> None:
    result = night()
    assert metadata(result) == {"connections": 0, "repositories": 3, "failed": 0, "failures": {}}
    success = [dg.DagsterRunStatus.SUCCESS]
    assert recorded(instance) == {source.repository_id: success for source in sources}
    for source in sources:
        lake = deployment.lake.source("git", LOCAL_ORGANIZATION, source.repository_id)
        assert lake.state().rows["commits"] == 1
        entry = deployment.run_state.repository(LOCAL_ORGANIZATION, source.repository_id)
        assert entry is not None
        assert entry.succeeded_at is not None
        assert entry.state == fingerprints.of_repository(source)


def test_a_repository_that_is_gone_fails_alone(
    night: Callable[..., dg.ExecuteInProcessResult],
    instance: dg.DagsterInstance,
    deployment: Deployment,
    sources: list[RepositorySource],
) -> None:
    shutil.rmtree(sources[1].path)
    result = night()
    found = metadata(result)
    assert (found["repositories"], found["failed"]) == (3, 1)
    [(name, reason)] = found["failures"].items()
    assert name == f"two {sources[1].repository_id}"
    assert str(sources[1].path.parent) in reason
    states = recorded(instance)
    assert states.pop(sources[1].repository_id) == [dg.DagsterRunStatus.FAILURE]
    assert list(states.values()) == [[dg.DagsterRunStatus.SUCCESS]] * 2
    entry = deployment.run_state.repository(LOCAL_ORGANIZATION, sources[1].repository_id)
    assert entry is not None
    assert entry.error is not None


def test_a_signal_ends_the_night_and_not_one_repository_alone(
    night: Callable[..., dg.ExecuteInProcessResult],
    instance: dg.DagsterInstance,
    sources: list[RepositorySource],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checks = raw.schema_checks

    def interrupted(*given: Any) -> Any:
        os.kill(os.getpid(), signal.SIGTERM)
        return checks(*given)

    monkeypatch.setattr(raw, "schema_checks", interrupted)
    with pytest.raises((KeyboardInterrupt, dg.DagsterExecutionInterruptedError)):
        night()
    assert len(recorded(instance)) == 1, "no run begins after the signal"


def test_a_run_that_continues_a_killed_night_skips_what_was_tried_since_its_beginning(
    night: Callable[..., dg.ExecuteInProcessResult],
    instance: dg.DagsterInstance,
    sources: list[RepositorySource],
) -> None:
    begun = fingerprints.now().replace(microsecond=0)
    night()
    again = night(**{NIGHT_TAG: begun.isoformat()})
    assert metadata(again)["repositories"] == 0
    next_night = night(**{NIGHT_TAG: (begun + timedelta(hours=1)).isoformat()})
    assert metadata(next_night)["repositories"] == 3
    assert {len(states) for states in recorded(instance).values()} == {2}


def test_only_a_nightly_run_whose_process_was_killed_starts_again(
    deployment: Deployment, instance: dg.DagsterInstance
) -> None:
    definitions = build_defs(deployment=deployment)
    register(instance, ORGANIZATIONS, key(LOCAL_SLUG, LOCAL_ORGANIZATION))
    starts_again = {}
    for name in (READ_ORGANIZATION, BUILD_ORGANIZATION):
        job = definitions.resolve_job_def(name)
        run = instance.create_run_for_job(job, tags=job.tags, status=dg.DagsterRunStatus.STARTED)
        instance.report_run_failed(run, "the process is gone")
        failed = instance.get_run_by_id(run.run_id)
        assert failed is not None
        starts_again[name] = failed.tags[WILL_RETRY_TAG]
    assert starts_again == {READ_ORGANIZATION: "true", BUILD_ORGANIZATION: "false"}
    assert not instance.run_retries_retry_on_asset_or_op_failure


class Unreachable:
    """Opens repositories, of which the host of one answers at the third attempt or never."""

    def __init__(self, repository_id: str, failures: int) -> None:
        self.repository_id, self.failures = repository_id, failures

    def __call__(
        self, deployment: Deployment, known: KnownRepository, progress: Progress
    ) -> RepositorySource:
        if known.repository_id == self.repository_id and self.failures > 0:
            self.failures -= 1
            raise Transient("the host did not answer")
        return open_known(deployment, known, progress)


@pytest.mark.parametrize(("failures", "status"), [(2, "SUCCESS"), (3, "FAILURE")])
def test_repositories_whose_host_does_not_answer_are_tried_three_times(
    night: Callable[..., dg.ExecuteInProcessResult],
    instance: dg.DagsterInstance,
    deployment: Deployment,
    sources: list[RepositorySource],
    monkeypatch: pytest.MonkeyPatch,
    failures: int,
    status: str,
) -> None:
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    monkeypatch.setattr(nightly_reading, "open_known", Unreachable(sources[0].repository_id, failures))
    night()
    states = recorded(instance)
    assert states.pop(sources[0].repository_id) == [dg.DagsterRunStatus[status]]
    assert list(states.values()) == [[dg.DagsterRunStatus.SUCCESS]] * 2
    assert [wait for wait in waits if wait >= 1] == [60.0, 240.0]
    entry = deployment.run_state.repository(LOCAL_ORGANIZATION, sources[0].repository_id)
    assert entry is not None
    assert ("It was tried 3 times." in (entry.error or "")) == (status == "FAILURE")
