from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from random import Random
from time import process_time

import pytest

from ingest.git.deliveries import Delivery, trace_deliveries
from ingest.git.objects.commit_graph import Commit, Person, read_history
from ingest.git.objects.loose_objects import open_git_dir
from tests.git_repository import HOUR, START, GitRepository

ORIGIN = "github.com/owner/project"


def trace(repository: GitRepository, default: str = "main", origin: str | None = ORIGIN) -> list[Delivery]:
    head = repository.heads[default]
    commits = read_history(open_git_dir(repository.git_dir), [head])
    return trace_deliveries(commits, head, default, origin)


def new_by_git(repository: GitRepository, sha: str, predecessor: str | None) -> set[str]:
    """Commits that a step delivered according to Git."""
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


def test_steps_are_the_first_parents_with_their_delivered_commits(repository: GitRepository) -> None:
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
    root = repository.commit({"b": "1\n"}, branch="import", parents=[])
    later = repository.commit({"b": "2\n"}, branch="import")
    repository.branch("four")
    repository.commit({"c": "1\n"}, branch="four")
    joining = repository.merge("import", into="four")
    merge = repository.merge("four")
    repository.commit({"b": "3\n"}, branch="import")
    repository.merge("import")
    steps = assert_steps(repository, first_parents(repository))
    found = {step.sha: (step.unrelated, step.joining) for step in steps if step.is_unrelated_root}
    assert found == {merge: ((root, later), (joining,))}
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


def test_without_an_address_of_its_own_no_address_redirects_the_mainline(repository: GitRepository) -> None:
    forked(repository, "Merge branch 'main' of github.com:owner/project into work")
    steps = trace(repository, origin=None)
    assert [step.sha for step in steps] == first_parents(repository)


def test_merges_of_a_fork_s_parent_name_its_commits_and_the_last_step_it_has(
    repository: GitRepository,
) -> None:
    repository.commit({"a": "1\n"})
    base = repository.commit({"a": "2\n"})
    repository.branch("theirs")
    repository.branch("feature")
    own = repository.commit({"b": "1\n"})
    first = repository.commit({"a": "3\n"}, branch="theirs")
    merge = repository.merge("theirs", message="Merge remote-tracking branch 'upstream/main'")
    side = repository.commit({"c": "1\n"}, branch="feature")
    repository.merge("feature")
    second = repository.commit({"a": "4\n"}, branch="theirs")
    given = repository.merge(own, into="theirs")
    last = repository.merge("theirs", message="Merge branch 'owner:main' into main")
    steps = {step.sha: step for step in assert_steps(repository, first_parents(repository))}
    positions = {sha: step.position for sha, step in steps.items()}
    found = {sha: (step.upstream, step.upstream_base) for sha, step in steps.items() if step.upstream}
    assert found == {
        merge: ((first,), positions[base]),
        # The parent took the fork's own commit meanwhile.
        last: ((second, given), positions[merge]),
    }
    assert side in steps[first_parents(repository)[-2]].commits


def test_a_redirect_never_changes_the_root_of_the_mainline(repository: GitRepository) -> None:
    """Two projects with the same branch names: the message fits, the history does not."""
    own = repository.commit({"a": "1\n"})
    foreign = repository.commit({"gui": "1\n"}, branch="gui", parents=[])
    merge = repository.merge("gui", message="Merge branch 'master'")
    last = repository.commit({"a": "2\n"})
    steps = assert_steps(repository, [own, merge, last])
    assert not any(step.is_redirected for step in steps)
    assert [step.unrelated for step in steps] == [(), (foreign,), ()]


def test_the_boundary_of_a_shallow_clone_is_not_a_root(repository: GitRepository, tmp_path: Path) -> None:
    repository.commit({"a": "1\n"})
    repository.branch("work")
    repository.commit({"b": "1\n"}, branch="work")
    repository.commit({"a": "2\n"})
    direct = repository.commit({"a": "3\n"})
    repository.merge("main", into="work", message="Merge branch 'main' into work")
    repository.reset("main", "work")
    repository.commit({"a": "4\n"})
    clone = tmp_path / "shallow.git"
    url = f"file://{repository.git_dir}"
    subprocess.run(["git", "clone", "-q", "--bare", "--depth=3", url, str(clone)], check=True)
    head = repository.heads["main"]
    commits = read_history(open_git_dir(clone), [head])
    assert len(commits) == 4
    steps = trace_deliveries(commits, head, "main", ORIGIN)
    assert [step.sha for step in steps[:1]] == [direct]
    assert [step.is_redirected for step in steps] == [False, True, False]
    assert not any(step.is_unrelated_root for step in steps)


def test_an_octopus_is_never_redirected(repository: GitRepository) -> None:
    repository.commit({"a": "1\n"})
    for name in ("work", "other"):
        repository.branch(name)
        repository.commit({name: "1\n"}, branch=name)
    repository.commit({"a": "2\n"})
    repository.merge("main", "other", into="work", message="Merge branch 'main' into work")
    repository.reset("main", "work")
    assert_steps(repository, first_parents(repository))


def test_mainline_time_never_goes_back_and_ignores_absurd_times(repository: GitRepository) -> None:
    times = [0, START, START - HOUR, 4_294_967_295, START + HOUR, 10**18, 5, START + 2 * HOUR]
    for number, time in enumerate(times):
        repository.commit({"a": f"{number}\n"}, at=time)
    steps = trace(repository)
    later = START + HOUR
    assert [step.delivered_at for step in steps] == [
        START,
        START,
        START,
        START,
        later,
        later,
        later,
        later + HOUR,
    ]
    assert [step.is_misdated for step in steps] == [True, False, False, True, False, True, True, False]


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


# Generated graphs, against a naive oracle

NOBODY = Person(b"A", b"a@b.c", START, 0)
MESSAGES = {
    b"Merge branch 'main' into work": True,
    b"Merge branch 'main' of .": True,
    b"Merge branch 'main' of github.com:owner/project": True,
    b"Merge branch 'main' of github.com:owner/other": False,
    b"Merge pull request #5 from owner/main": False,
    b"Merge branch 'work'": False,
}
"""Whether they ask for a redirect."""


def invent_graph(random: Random) -> dict[str, Commit]:
    """Commits of several roots with merges anywhere between them, parents first."""
    commits: dict[str, Commit] = {}
    names: list[str] = []
    for number in range(random.randint(1, 30)):
        recent = names[-8:]
        count = 0 if not names else random.choices([0, 1, 2, 3], [1, 6, 5, 1])[0]
        parents = tuple(random.sample(recent, min(count, len(recent))))
        message = random.choice(list(MESSAGES)) if len(parents) > 1 else b"Change"
        sha = f"{number:040x}"
        commits[sha] = Commit(sha, "", parents, NOBODY, NOBODY, message, "")
        names.append(sha)
    return commits


def ancestors(commits: dict[str, Commit], sha: str) -> set[str]:
    """With the commit itself."""
    found = {sha}
    for parent in commits[sha].parents:
        found |= ancestors(commits, parent)
    return found


def naive_mainline(commits: dict[str, Commit], sha: str) -> list[str]:
    """The mainline that ends with a commit, oldest first. A redirect is tried, and dropped where the root differs."""
    commit = commits[sha]
    if not commit.parents:
        return [sha]
    line = naive_mainline(commits, commit.parents[0])
    if len(commit.parents) == 2 and MESSAGES[commit.message]:
        redirected = naive_mainline(commits, commit.parents[1])
        if redirected[0] == line[0]:
            line = redirected
    return [*line, sha]


@pytest.mark.parametrize("seed", range(60))
def test_steps_of_any_graph_are_those_of_the_definition(seed: int) -> None:
    commits = invent_graph(Random(f"mainline {seed}"))
    for head in commits:
        known = {sha: commits[sha] for sha in commits if sha in ancestors(commits, head)}
        line = naive_mainline(commits, head)
        steps = trace_deliveries(known, head, "main", ORIGIN)
        assert [step.sha for step in steps] == line
        for step in steps:
            before = ancestors(commits, step.predecessor) if step.predecessor else set()
            new = ancestors(commits, step.sha) - before
            apart = {sha for sha in new if before and not ancestors(commits, sha) & before}
            joining = {sha for sha in new - apart if apart & set(commits[sha].parents)}
            assert (set(step.commits), set(step.unrelated), set(step.joining)) == (new, apart, joining)
            assert step.is_redirected == bool(before and commits[step.sha].parents[0] != step.predecessor)
        middle = len(steps) // 2
        assert trace_deliveries(commits, line[middle], "main", ORIGIN) == steps[: middle + 1]


def test_the_generated_graphs_redirect_refuse_and_join_unrelated_histories() -> None:
    redirected = refused = joined = 0
    for seed in range(60):
        commits = invent_graph(Random(f"mainline {seed}"))
        steps = trace_deliveries(commits, list(commits)[-1], "main", ORIGIN)
        redirected += sum(step.is_redirected for step in steps)
        joined += sum(step.is_unrelated_root for step in steps)
        refused += sum(
            len(commits[step.sha].parents) == 2
            and MESSAGES[commits[step.sha].message]
            and not step.is_redirected
            for step in steps
        )
    assert min(redirected, refused, joined) > 10


def test_the_root_is_not_searched_again_for_every_merge() -> None:
    """50,000 merges each declare a redirect: walking to the root for each would take hours."""
    commits: dict[str, Commit] = {}
    main, work = "m0", "w0"
    commits[main] = Commit(main, "", (), NOBODY, NOBODY, b"Change", "")
    commits[work] = Commit(work, "", (main,), NOBODY, NOBODY, b"Change", "")
    for number in range(1, 50_000):
        merge = f"w{number}"
        commits[merge] = Commit(merge, "", (work, main), NOBODY, NOBODY, b"Merge branch 'main' into work", "")
        main, work = merge, f"x{number}"
        commits[work] = Commit(work, "", (merge,), NOBODY, NOBODY, b"Change", "")
    began = process_time()
    assert trace_deliveries(commits, main, "main", ORIGIN)[-1].sha == main
    assert process_time() - began < 20
