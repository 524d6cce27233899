"""A commit that several repositories of an organization have uses up its plan once, whichever is read first."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations

import pytest

from api.control.plans.plans import change_plan, plan
from api.control.principals import OPERATOR
from api.control.repositories import removals
from ingest.git.extract import extract_repository
from ingest.git.repository_source import RepositorySource
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.publishing import quota
from tests.git_repository import GRACE, GitRepository

Add = Callable[[GitRepository], RepositorySource]


def history(repository: GitRepository, commits: int) -> GitRepository:
    """A history with a merged branch; the same commits in every repository that gets it."""
    for number in range(commits):
        repository.commit({f"src/{number}.py": f"value = {number}\n"}, message=f"Add part {number}")
    repository.commit({"docs/guide.md": "Read the parts.\n"}, "Write a guide", branch="guide", author=GRACE, parents=[
        repository.heads["main"]
    ])  # fmt: skip
    repository.merge("guide", into="main")
    return repository


def distinct(*repositories: GitRepository) -> int:
    """The different commits of the default branches, as `git rev-list` tells them."""
    return len({sha for one in repositories for sha in one.git("rev-list", "main").split()})


@pytest.fixture
def family(new_repository: Callable[..., GitRepository]) -> list[GitRepository]:
    """An original, its mirror, a fork with work of its own, and a repository that shares nothing."""
    original, mirror = history(new_repository("web"), 9), history(new_repository("web-mirror"), 9)
    fork = history(new_repository("web-fork"), 9)
    fork.commit({"src/own.py": "own = True\n"}, message="Go our own way", author=GRACE)
    other = new_repository("tools")
    for one in (original, mirror, fork, other):
        # A repository without a remote is known by its first commit.
        one.git("remote", "add", "origin", f"https://git.example.org/acme/{one.path.name}")
    other.commit({"run.sh": "make\n"}, message="Run the build", author=GRACE, at=1_690_000_000)
    assert original.heads["main"] == mirror.heads["main"]
    assert distinct(original, mirror, fork) == distinct(original) + 1
    return [original, mirror, fork, other]


def read(deployment: Deployment, source: RepositorySource) -> None:
    extract_repository(source, deployment.lake, workers=1)
    quota.grant(deployment, LOCAL_ORGANIZATION)


def limited(deployment: Deployment, limit: int) -> None:
    with deployment.control() as control:
        change_plan(control, OPERATOR, LOCAL_ORGANIZATION, plan="paid", commit_limit=limit)


def analysed(deployment: Deployment) -> int:
    with deployment.control() as control:
        return plan(control, LOCAL_ORGANIZATION).analysed


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_any_order_of_reading_counts_the_commits_that_git_tells(
    deployment: Deployment, add: Add, family: list[GitRepository], order: tuple[int, ...]
) -> None:
    limited(deployment, 1000)
    known = [family[number] for number in order]
    for number, repository in enumerate(known, 1):
        read(deployment, add(repository))
        assert analysed(deployment) == distinct(*known[:number])
    known[0].commit({"src/new.py": "new = 1\n"}, message="Add one more")
    read(deployment, add(known[0]))
    assert analysed(deployment) == distinct(*known)


def test_at_the_limit_a_mirror_is_analysed_and_a_commit_of_its_own_waits(
    deployment: Deployment, add: Add, family: list[GitRepository]
) -> None:
    original, mirror, fork, other = family
    limited(deployment, distinct(original))
    for one in (original, mirror, fork, other):
        read(deployment, add(one))
    with deployment.control() as control:
        shown = plan(control, LOCAL_ORGANIZATION)
        grants = control.snapshot(LOCAL_ORGANIZATION)["commit_grants"]
    assert (shown.analysed, shown.remaining) == (distinct(original), 0)
    assert shown.pause is not None
    assert f"limit of {distinct(original)} commits is reached" in shown.pause.message
    ranges = {row["repository_id"]: (row["first_number"], row["last_number"]) for row in grants}
    whole = (1, distinct(original))
    assert ranges == {add(original).repository_id: whole, add(mirror).repository_id: whole}


def test_a_removed_repository_stays_counted_and_its_mirror_costs_nothing(
    deployment: Deployment, add: Add, family: list[GitRepository]
) -> None:
    original, mirror, _, other = family
    limited(deployment, 1000)
    source = add(original)
    read(deployment, source)
    with deployment.control() as control:
        removals.remove(control, LOCAL_ORGANIZATION, source.repository_id)
        removals.forget(control, LOCAL_ORGANIZATION, source.repository_id)
    deployment.lake.source("git", LOCAL_ORGANIZATION, source.repository_id).clear()
    for known, repository in (
        ([original, other], other),
        ([original, other], mirror),
        ([original, other], original),
    ):
        read(deployment, add(repository))
        assert analysed(deployment) == distinct(*known)


def test_readings_side_by_side_never_count_a_commit_twice(
    deployment: Deployment, add: Add, family: list[GitRepository]
) -> None:
    limited(deployment, 1000)
    sources = [add(one) for one in family]

    def extract(source: RepositorySource) -> None:
        read(Deployment(), source)
        quota.grant(Deployment(), LOCAL_ORGANIZATION)

    with ThreadPoolExecutor(len(sources)) as pool:
        list(pool.map(extract, sources))
    assert analysed(deployment) == distinct(*family)


def test_an_unlimited_plan_remembers_each_commit_once(
    deployment: Deployment, add: Add, family: list[GitRepository]
) -> None:
    for one in family:
        extract_repository(add(one), deployment.lake, workers=1)
    quota.record_analysed(deployment, LOCAL_ORGANIZATION)
    limited(deployment, 5)
    assert analysed(deployment) == distinct(*family)
