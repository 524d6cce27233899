from concurrent.futures import Future
from pathlib import Path

import dagster as dg
import pytest

from api.control.principals import OPERATOR
from api.control.repositories.repositories import (
    change_repository,
)
from api.control.repositories.settings import SettingsChange
from ingest.git.extract import extract_repository
from ingest.git.repository_source import RepositorySource
from ingest.git.supervision import Readers
from ingest.lake import Lake, Source
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.operations.results import answering_operations
from orchestration.reading.extraction import Reading
from orchestration.reading.extraction import read as begin_reading
from orchestration.reading.readings import Readings
from orchestration.reading.repositories import known
from orchestration.runtime.progress import Progress
from tests.git_repository import GitRepository
from tests.orchestration.graph.repository_runs import (
    lake_source,
    operation_record,
    read,
    request_reanalysis,
    rows,
    tick,
)


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
    files = {}
    for name in state.extra["files"]:
        held = facts.read_file(name)
        assert held is not None
        files[name] = held
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

    found = known(deployment, source.repository_id)
    facts = lake_source(deployment, source)
    with pytest.raises(KeyboardInterrupt), answering_operations(deployment, found, facts):
        raise KeyboardInterrupt
    assert operation_record(deployment, operation).state == "PENDING"
    assert rows(lake_source(deployment, source)) == before
    assert read(instance, deployment, source).success
    assert operation_record(deployment, operation).result is not None


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
    readings = Readings()
    readings.add(source, begun)
    assert read(instance, deployment, source, readings=readings).success
    assert lake_source(deployment, source).state().rows["commits"] == 4
