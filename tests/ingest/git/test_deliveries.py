from __future__ import annotations

from collections.abc import Sequence

import pytest

from ingest.git.deliveries import Delivery, trace_deliveries
from ingest.git.history import read_history
from ingest.git.loose import open_git_dir
from tests.git_repository import HOUR, START, GitRepository

ORIGIN = "github.com/owner/project"


def trace(repository: GitRepository, default: str = "main", origin: str | None = ORIGIN) -> list[Delivery]:
    head = repository.heads[default]
    commits = read_history(open_git_dir(repository.git_dir), [head])
    return trace_deliveries(commits, head, default, origin)


def new_by_git(repository: GitRepository, sha: str, predecessor: str | None) -> set[str]:
    """Commits that a step brought, asked of Git."""
    limits = [sha, f"^{predecessor}"] if predecessor else [sha]
    return set(repository.git("rev-list", *limits).split())


def assert_steps(repository: GitRepository, mainline: Sequence[str]) -> list[Delivery]:
    steps = trace(repository)
    assert [step.sha for step in steps] == list(mainline)
    for number, step in enumerate(steps):
        predecessor = mainline[number - 1] if number else None
        assert (step.position, step.predecessor) == (number, predecessor)
        assert set(step.commits) == new_by_git(repository, step.sha, predecessor)
        assert step.commits[-1] == step.sha
    return steps


def first_parents(repository: GitRepository) -> list[str]:
    return repository.git("rev-list", "--first-parent", "--reverse", "main").split()


def test_steps_are_the_first_parents_and_what_each_brought(repository: GitRepository) -> None:
    repository.commit({"a": "1\n"})
    for name in ("one", "two", "three"):
        repository.branch(name)
        repository.commit({name: "1\n"}, branch=name)
        repository.commit({name: "2\n"}, branch=name)
    repository.merge("one", "two")
    repository.commit({"a": "2\n"})
    ours, theirs = repository.heads["main"], repository.heads["three"]
    repository.merge(theirs)
    repository.merge(ours, into="three")
    repository.merge("three")
    repository.commit({"b": "1\n"}, branch="import", parents=[])
    merge = repository.merge("import")
    steps = assert_steps(repository, first_parents(repository))
    assert [step.sha for step in steps if step.is_unrelated_root] == [merge]
    assert not any(step.is_redirected for step in steps)


REDIRECTING = [
    "Merge branch 'main' into work",
    "Merge branch 'master' into work",
    "Merge remote-tracking branch 'origin/main' into work",
    "Merge remote-tracking branch 'origin/main'",
    "Merge branch 'main' of github.com:owner/project into work",
    "Merge branch 'main' of https://github.com/owner/project",
    "Merge branch 'main' of .",
]
OTHERS = [
    "Merge branch 'main' of https://github.com/fork/other into work",
    "Merge remote-tracking branch 'colleague/main' into work",
    "Merge branch 'mainline' into work",
    "Merge branch 'feature' into main",
    "Merge pull request #5 from fork/main",
    "Catch up with main",
    "Merge branches 'main' and 'other' into work",
]


def forked(repository: GitRepository, message: str) -> tuple[str, str, str]:
    """A branch that merged main with the message, and main fast-forwarded to it: direct, work, merge."""
    repository.commit({"a": "1\n"})
    repository.branch("work")
    direct = repository.commit({"a": "2\n"})
    work = repository.commit({"b": "1\n"}, branch="work")
    merge = repository.merge("main", into="work", message=message)
    repository.reset("main", "work")
    return direct, work, merge


@pytest.mark.parametrize("message", REDIRECTING)
def test_the_mainline_goes_on_through_a_merged_default_branch(
    repository: GitRepository, message: str
) -> None:
    direct, work, merge = forked(repository, message)
    steps = assert_steps(repository, [*repository.commits[direct].parents, direct, merge])
    assert [step.is_redirected for step in steps] == [False, False, True]
    assert set(steps[-1].commits) == {work, merge}


@pytest.mark.parametrize("message", OTHERS)
def test_other_messages_do_not_redirect_it(repository: GitRepository, message: str) -> None:
    forked(repository, message)
    steps = assert_steps(repository, first_parents(repository))
    assert not any(step.is_redirected for step in steps)


def test_an_octopus_is_never_redirected(repository: GitRepository) -> None:
    repository.commit({"a": "1\n"})
    for name in ("work", "other"):
        repository.branch(name)
        repository.commit({name: "1\n"}, branch=name)
    repository.commit({"a": "2\n"})
    repository.merge("main", "other", into="work", message="Merge branch 'main' into work")
    repository.reset("main", "work")
    assert_steps(repository, first_parents(repository))


def test_mainline_time_never_goes_back_and_leaves_absurd_times_out(repository: GitRepository) -> None:
    times = [0, START, START - HOUR, 4_294_967_295, START + HOUR, 10**18, 5, START + 2 * HOUR]
    for number, time in enumerate(times):
        repository.commit({"a": f"{number}\n"}, at=time)
    found = [step.delivered_at for step in trace(repository)]
    assert found == [0, START, START, START, START + HOUR, START + HOUR, START + HOUR, START + 2 * HOUR]


def test_a_delivery_depends_on_its_ancestors_alone(repository: GitRepository) -> None:
    repository.commit({"a": "1\n"})
    repository.branch("work")
    repository.commit({"b": "1\n"}, branch="work")
    repository.commit({"a": "2\n"})
    merge = repository.merge("work")
    before = trace(repository)
    for number in range(3):
        repository.commit({"a": f"later {number}\n"})
    assert trace(repository)[: len(before)] == before
    assert before[-1].sha == merge
