import io
from concurrent.futures import Future

import dagster as dg
import pytest
from rich.console import Console

from api.control.errors import InvalidSetting
from api.control.models import Repository
from api.control.operations import operations
from api.control.repositories import sync_status
from api.control.repositories.repositories import (
    managed_repository,
)
from ingest.git.repository_source import RepositorySource, on_branch
from orchestration.commands.analysis import analyze
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.reading.readings import Readings
from orchestration.reading.repositories import known
from orchestration.runtime.progress import Progress
from orchestration.runtime.terminal import Watcher
from tests.git_repository import GitRepository
from tests.orchestration.graph.repository_runs import (
    change,
    delivered,
    read,
    tick,
)


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


def test_a_branch_that_the_last_reading_did_not_find_is_refused_with_near_names(
    instance: dg.DagsterInstance, deployment: Deployment, source: RepositorySource, repository: GitRepository
) -> None:
    # Nobody knows the branches before the first reading.
    change(deployment, source, chosen_branch="devel")
    change(deployment, source, chosen_branch=None)
    assert read(instance, deployment, source).success
    with pytest.raises(
        InvalidSetting, match=r"no branch 'devel'; near names are develop\..*:analyze"
    ) as refused:
        change(deployment, source, chosen_branch="devel")
    assert refused.value.field == "defaultBranch"
    repository.commit({"new": "1\n"}, branch="devel")
    assert read(instance, deployment, source).success
    change(deployment, source, chosen_branch="devel")
    with deployment.control() as control, control.session() as session:
        stored = session.get_one(Repository, (LOCAL_ORGANIZATION, source.repository_id)).branches
    heads = repository.git(
        "for-each-ref", "--format=%(refname:short) %(objectname)", "refs/heads"
    ).splitlines()
    assert stored == dict(line.split() for line in heads)


def test_a_branch_that_vanishes_is_reported_with_another_and_the_facts_stay(
    instance: dg.DagsterInstance, deployment: Deployment, source: RepositorySource, repository: GitRepository
) -> None:
    assert read(instance, deployment, source).success
    before = delivered(deployment, source)
    change(deployment, source, chosen_branch="develop")
    repository.commit({"new": "1\n"}, branch="development")
    repository.delete("develop")
    assert not read(instance, deployment, source).success
    assert delivered(deployment, source) == before
    with deployment.control() as control:
        found = managed_repository(control, LOCAL_ORGANIZATION, source.repository_id)
        [waiting] = [one for one in operations.pending(control, LOCAL_ORGANIZATION) if one.repository_id]
    assert found.health == "FAILING"
    assert "no branch 'develop', the chosen default branch: choose another one, such as development." in (
        found.failure or ""
    )
    assert waiting.state == "FAILED"
    # The nightly schedule or an edit retries it.
    assert tick(instance, deployment) == []
    # The known branches are older than the failure, so another may be right.
    change(deployment, source, chosen_branch="development")
    assert len(tick(instance, deployment)) == 1
    assert read(instance, deployment, source).success
    with deployment.control() as control:
        found = managed_repository(control, LOCAL_ORGANIZATION, source.repository_id)
        assert found.health == "HEALTHY"
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


def test_an_opened_repository_uses_the_chosen_branch(
    deployment: Deployment, source: RepositorySource
) -> None:
    change(deployment, source, chosen_branch="develop")
    readings = Readings()
    readings.add(source, Future())
    opened = readings.open(deployment, known(deployment, source.repository_id), Progress())
    assert (opened.default_branch, opened.chosen_branch) == ("develop", "develop")
    assert on_branch(opened, None) == source
