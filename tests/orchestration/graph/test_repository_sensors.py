"""Requested extractions: the sensor, the run, and the results of the operations."""

import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from rich.console import Console

from api.control.commits import reanalyses
from api.control.commits.exclusions import NamedCommit
from api.control.operations import operations
from api.control.principals import OPERATOR
from api.control.repositories import sync_status
from api.control.repositories.repositories import (
    NewRepository,
    add_repository,
    change_repository,
    managed_repository,
)
from api.control.repositories.settings import Settings as RepositorySettings
from api.control.repositories.settings import SettingsChange
from ingest.git.extract import extract_repository
from ingest.git.repository_source import RepositorySource, on_branch
from ingest.git.supervision import Readers
from ingest.lake import Lake, Source
from orchestration.analysis import analyze
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.graph.assets.git import extract_git
from orchestration.graph.repository_sensors import MAX_RUNS, OPERATION_TAG, repositories_due
from orchestration.operations.results import answering_operations
from orchestration.runtime.partitions import REPOSITORIES, key, register
from orchestration.runtime.progress import Progress
from orchestration.runtime.terminal import Watcher
from orchestration.state.readings import Reading
from orchestration.state.readings import read as begin_reading
from orchestration.state.repositories import Repositories
from tests.git_repository import GitRepository

Add = Callable[[GitRepository], RepositorySource]


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


@pytest.fixture
def source(add: Add, repository: GitRepository) -> RepositorySource:
    """A repository with a branch `develop` that `main` lacks."""
    repository.commit({"a.py": "a = 1\n", "b.py": "def b():\n    return 2\n"})
    repository.branch("develop")
    repository.commit({"a.py": "a = 1\nc = 3\n"})
    repository.commit({"d.py": "d = 4\n"}, branch="develop")
    return add(repository)


def tick(instance: dg.DagsterInstance, deployment: Deployment) -> list[dg.RunRequest]:
    context = dg.build_sensor_context(instance=instance, resources={"deployment": deployment})
    requests = repositories_due(context) or ()
    assert isinstance(requests, Iterable)
    return [one for one in requests if isinstance(one, dg.RunRequest)]


def read(
    instance: dg.DagsterInstance,
    deployment: Deployment,
    source: RepositorySource,
    repositories: Repositories | None = None,
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
            "repositories": repositories or Repositories(),
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


def test_a_reanalysis_extracts_from_scratch_and_reports_the_difference(
    instance: dg.DagsterInstance, deployment: Deployment, source: RepositorySource, repository: GitRepository,
    tmp_path: Path,
) -> None:  # fmt: skip
    assert read(instance, deployment, source).success
    facts = lake_source(deployment, source)
    right = rows(facts)
    sha = repository.git("rev-parse", "main").strip()
    _falsify(facts, sha)
    assert rows(facts) != right
    operation = request_reanalysis(deployment, source, sha)
    assert read(instance, deployment, source).success
    assert rows(facts) == right
    other = Lake(tmp_path / "other")
    extract_repository(source, other, workers=1)
    assert rows(other.source("git", LOCAL_ORGANIZATION, source.repository_id)) == right
    result = operation_record(deployment, operation).result
    assert result is not None
    assert result["hasChanged"]
    assert result["changedPaths"] == ["a.py"]
    assert result["changedFields"] == ["subject"]
    assert result["tables"]["file_changes"] == {"rowsBefore": 1, "rowsAfter": 1, "removed": 1, "added": 1}
    assert result["tables"]["references"] == {"rowsBefore": 0, "rowsAfter": 0, "removed": 0, "added": 0}
    assert tick(instance, deployment) == []


def _falsify(facts: Source, sha: str) -> None:
    """Store facts of a commit that differ from Git."""
    state = facts.state()
    replaced = {}
    for table, name, value in (("commits", "subject", "Lies"), ("file_changes", "lines_added", 99)):
        content = facts.read(table)
        changed = [row | {name: value} if row["commit_sha"] == sha else row for row in content.to_pylist()]
        replaced[table] = type(content).from_pylist(changed, content.schema)
    extra = {name: value for name, value in state.extra.items() if name != "files"}
    files = {name: facts.read_file(name) for name in state.extra["files"]}
    facts.commit({}, replaced, extra, files)


def test_a_reanalysis_of_correct_facts_reports_no_change(
    instance: dg.DagsterInstance, deployment: Deployment, source: RepositorySource, repository: GitRepository
) -> None:
    assert read(instance, deployment, source).success
    before = lake_source(deployment, source).state().batch
    sha = repository.git("rev-parse", "develop").strip()
    known, unknown = (
        request_reanalysis(deployment, source, sha),
        request_reanalysis(deployment, source, "5" * 40),
    )
    assert read(instance, deployment, source).success
    assert lake_source(deployment, source).state().batch > before
    for operation, is_known in ((known, True), (unknown, False)):
        result = operation_record(deployment, operation).result
        assert result is not None
        assert (result["hasChanged"], result["isKnownAfter"]) == (False, is_known)
        assert (result["changedPaths"], result["changedFields"]) == ([], [])


def test_a_killed_run_keeps_the_facts_and_the_pending_operation(
    instance: dg.DagsterInstance, deployment: Deployment, source: RepositorySource
) -> None:
    assert read(instance, deployment, source).success
    before = rows(lake_source(deployment, source))
    operation = request_reanalysis(deployment, source, "5" * 40)

    known = Repositories().known(deployment, source.repository_id)
    facts = lake_source(deployment, source)
    with pytest.raises(KeyboardInterrupt), answering_operations(deployment, known, facts):
        raise KeyboardInterrupt
    assert operation_record(deployment, operation).state == "PENDING"
    assert rows(lake_source(deployment, source)) == before
    assert read(instance, deployment, source).success
    assert operation_record(deployment, operation).result is not None


def test_another_default_branch_rebuilds_all_facts(
    instance: dg.DagsterInstance, deployment: Deployment, source: RepositorySource, repository: GitRepository
) -> None:
    def mainline(branch: str) -> list[str]:
        return sorted(repository.git("rev-list", "--first-parent", branch).split())

    assert read(instance, deployment, source).success
    assert delivered(deployment, source) == mainline("main")
    change(deployment, source, chosen_branch="develop")
    assert len(tick(instance, deployment)) == 1
    assert read(instance, deployment, source).success
    assert delivered(deployment, source) == mainline("develop")
    assert tick(instance, deployment) == []
    change(deployment, source, chosen_branch=None)
    assert read(instance, deployment, source).success
    assert delivered(deployment, source) == mainline("main")


def test_a_missing_branch_is_reported_and_the_facts_stay(
    instance: dg.DagsterInstance, deployment: Deployment, source: RepositorySource
) -> None:
    assert read(instance, deployment, source).success
    before = delivered(deployment, source)
    change(deployment, source, chosen_branch="nowhere")
    assert not read(instance, deployment, source).success
    assert delivered(deployment, source) == before
    with deployment.control() as control:
        found = managed_repository(control, LOCAL_ORGANIZATION, source.repository_id)
        [waiting] = [one for one in operations.pending(control, LOCAL_ORGANIZATION) if one.repository_id]
    assert found.health == "FAILING"
    assert "no branch 'nowhere'" in (found.failure or "")
    assert waiting.state == "FAILED"
    # The nightly schedule or an edit retries it.
    assert tick(instance, deployment) == []
    change(deployment, source, chosen_branch="develop")
    assert len(tick(instance, deployment)) == 1
    assert read(instance, deployment, source).success
    with deployment.control() as control:
        found = managed_repository(control, LOCAL_ORGANIZATION, source.repository_id)
        assert (found.health, found.commit_total) == ("HEALTHY", 3)
        assert sync_status.waiting(control, 5) == []


def test_analyze_reports_a_missing_branch(deployment: Deployment, source: RepositorySource) -> None:
    change(deployment, source, chosen_branch="nowhere")
    found = analyze(deployment, [str(source.path)], Watcher(Console(file=io.StringIO())))
    [problem] = found.problems
    assert "no branch 'nowhere'" in problem.reason
    with deployment.control() as control:
        repository = managed_repository(control, LOCAL_ORGANIZATION, source.repository_id)
    assert (repository.health, repository.failure) == ("FAILING", problem.reason)
    entry = deployment.run_state.repository(LOCAL_ORGANIZATION, source.repository_id)
    assert entry is not None
    assert entry.error == problem.reason


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


def test_an_opened_repository_uses_the_chosen_branch(
    deployment: Deployment, source: RepositorySource
) -> None:
    change(deployment, source, chosen_branch="develop")
    repositories = Repositories({source.repository_id: source})
    known = repositories.known(deployment, source.repository_id)
    opened = repositories.open(deployment, known, Progress())
    assert (opened.default_branch, opened.chosen_branch) == ("develop", "develop")
    assert on_branch(opened, None) == source


def test_an_address_of_the_api_is_never_a_path(deployment: Deployment, repository: GitRepository) -> None:
    """This holds for any entry in the run state and any row in the database."""
    with deployment.control() as control:
        wanted = NewRepository("r", str(repository.path), str(repository.path), RepositorySettings("r"))
        add_repository(control, OPERATOR, LOCAL_ORGANIZATION, wanted)
    repositories = Repositories()
    known = repositories.known(deployment, "r")
    from ingest.errors import UnsupportedTarget

    with pytest.raises(UnsupportedTarget):
        repositories.open(deployment, known, Progress())


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


def test_a_reading_that_began_before_an_operation_does_not_answer_it(
    instance: dg.DagsterInstance, deployment: Deployment, source: RepositorySource, repository: GitRepository
) -> None:
    begun: Future[Reading] = Future()
    readers = Readers(deployment.settings)
    begun.set_result(begin_reading(deployment, readers, source, Progress(), workers=1))
    repository.commit({"late.py": "late = 5\n"})
    with deployment.control() as control:
        change = SettingsChange(chosen_branch="main")
        change_repository(control, OPERATOR, LOCAL_ORGANIZATION, source.repository_id, change)
    opened = Repositories()
    opened.add(source, begun)
    assert read(instance, deployment, source, repositories=opened).success
    assert lake_source(deployment, source).state().rows["commits"] == 4
