"""Line ownership equals `git blame` without -M and -C, line by line, on random histories and on known traps.

Ambiguous differences need no tolerance, because both use the same line diff. Two wanted deviations are left out
here. A merge that names the default branch as the merged side prefers the mainline parent. A file that was binary
for a while gets new lines, where blame looks through the binary version.
"""

import subprocess
from collections.abc import Callable, Iterable
from random import Random

import pygit2
import pytest

from ingest.git.blame.file_tree import files
from ingest.git.blame.ownership import Ownership
from ingest.git.blame.replay import path_change
from ingest.git.changes.change_reader import ChangeReader
from ingest.git.changes.commit_changes import CommitTask
from ingest.git.objects.commit_graph import read_history
from ingest.git.objects.trees import TreeReader
from tests.git_repository import EXECUTABLE, Content, GitRepository
from tests.ingest.git.random_history import RandomHistory
from tests.suite.tiers import seeds

SAMPLED = 5
"""Number of commits to compare in a history, in addition to the heads."""


def origins_of(repository: GitRepository) -> Ownership:
    """The ownership of every file at every commit reachable from a branch."""
    repo = pygit2.Repository(str(repository.path))
    commits = read_history(repo, repository.heads.values(), verify_hashes=True)
    reader = ChangeReader(repo, verify_hashes=True)
    origins = Ownership(TreeReader(repo, verify_hashes=True), commits, commits)
    for sha, commit in commits.items():
        origins.hold(sha)
        trees = tuple(commits[parent].tree for parent in commit.parents)
        blamed = trees if len(trees) > 1 else ()
        changes = reader.read(CommitTask(sha, commit.tree, trees, with_lines=False, blamed_trees=blamed))
        own = [path_change(change, commit.parents) for change in changes.own]
        origins.advance(sha, own, commit.parents, changes.plan)
    return origins


def blame(repository: GitRepository, commit: str, path: str) -> list[str]:
    """The commit that `git blame` names for each line."""
    command = ["git", "-C", str(repository.path), "blame", "--line-porcelain", commit, "--", path]
    output = subprocess.run(command, check=True, capture_output=True).stdout
    found = []
    sha = ""
    for line in output.split(b"\n"):
        if line[:1] == b"\t":
            found.append(sha)
        elif len(line.split(b" ")[0]) == 40 and len(line.split(b" ")) in (3, 4):
            sha = line[:40].decode()
    return found


def disagreements(repository: GitRepository, commits: Iterable[str]) -> list[str]:
    """Lines at these commits for which Git names another commit."""
    origins = origins_of(repository)
    found = []
    for commit in commits:
        for path, ids in files(origins.root(commit)):
            mine = [origins.birth(line) for line in ids.tolist()]
            theirs = blame(repository, commit, path)
            if mine != theirs:
                found.append(f"{path} at {commit}: {mine} instead of {theirs}")
    return found


def assert_agreement(repository: GitRepository) -> None:
    assert not disagreements(repository, repository.commits)


def text(*lines: object, end: str = "\n") -> str:
    return "".join(f"{line}{end}" for line in lines)


@pytest.mark.parametrize("seed", seeds(8))
def test_every_line_of_every_file_belongs_to_the_commit_that_blame_names(
    seed: int, new_repository: Callable[..., GitRepository]
) -> None:
    history = RandomHistory(new_repository(), seed, only_text=True)
    for _ in range(30):
        history.step()
    repository = history.repository
    reachable = repository.git("rev-list", "--branches").split()
    sample = Random(seed).sample(reachable, min(SAMPLED, len(reachable)))

    assert not disagreements(repository, dict.fromkeys([*sample, *repository.heads.values()]))


def test_a_line_that_both_parents_of_a_merge_have_goes_to_the_first(repository: GitRepository) -> None:
    repository.commit({"a": text(1, 2, 3, 4, 5)})
    repository.branch("work")
    repository.commit({"a": text(1, "both", 3, 4, 5)})
    repository.commit({"a": text(1, "both", 3, 4, "work")}, branch="work")
    repository.merge("work", files={"a": text("merge", "both", 3, 4, "work")})

    assert_agreement(repository)


def test_an_octopus_takes_lines_from_each_arm(repository: GitRepository) -> None:
    repository.commit({"a": text(*range(30))})
    for name, line in (("one", 2), ("two", 12), ("three", 22)):
        repository.branch(name)
        repository.commit({"a": text(*range(line), name, *range(line + 1, 30))}, branch=name)
    repository.merge("one", "two", "three")

    assert_agreement(repository)


def test_a_criss_cross_gives_each_line_to_the_branch_that_wrote_it(repository: GitRepository) -> None:
    repository.commit({"a": text(*range(20)), "b": text("x")})
    repository.branch("work")
    ours = repository.commit({"a": text("ours", *range(20))})
    theirs = repository.commit({"a": text(*range(20), "theirs")}, branch="work")
    repository.merge(theirs)
    repository.merge(ours, into="work")
    repository.commit({"a": text("ours", *range(10), "more", *range(10, 20), "theirs")}, branch="work")
    repository.merge("work")

    assert_agreement(repository)


def test_an_edit_merged_into_a_file_that_the_other_side_renamed_is_not_new(repository: GitRepository) -> None:
    repository.commit({"old": text(*range(20))})
    repository.branch("work")
    repository.commit({"old": None, "new": text(*range(19), "renamed")}, branch="work")
    edit = repository.commit({"old": text("edit", *range(20))})
    repository.merge("work", files={"old": None, "new": text("edit", *range(19), "renamed")})

    assert_agreement(repository)
    origins = origins_of(repository)
    ids = dict(files(origins.root(repository.heads["main"])))["new"]
    assert origins.birth(int(ids[0])) == edit


def test_a_file_that_a_later_parent_has_under_another_name_comes_from_it_whole(
    repository: GitRepository,
) -> None:
    repository.commit({"old": text(*range(20))})
    repository.branch("work")
    repository.commit({"old": text(*range(20), "work")}, branch="work")
    repository.commit({"old": None, "new": text(*range(20), "main")})
    repository.merge("work", files={"old": None, "new": text(*range(20), "work")})

    assert_agreement(repository)


def test_a_folder_equal_to_a_later_parents_still_gives_files_to_an_earlier_one(
    repository: GitRepository,
) -> None:
    """Both sides write the same line; the second parent has the whole folder, the first the same file."""
    repository.commit({"d/a": text(1, 2), "d/b": text(1)})
    repository.branch("work")
    repository.commit({"d/a": text(1, "same")})
    repository.commit({"d/a": text(1, "same"), "d/b": text(1, "work")}, branch="work")
    repository.merge("work", files={"d/a": text(1, "same")})

    assert_agreement(repository)


def test_a_rename_with_edits_keeps_the_lines_that_stayed(repository: GitRepository) -> None:
    repository.commit({"old.py": text(*range(20))})
    repository.commit({"old.py": None, "new.py": text(*range(10), "edit", *range(11, 20))})
    repository.commit({"new.py": text("top", *range(10), "edit", *range(11, 20))})

    assert_agreement(repository)


def test_two_files_that_swap_their_names_are_two_changed_files(repository: GitRepository) -> None:
    repository.commit({"a": text(*range(10)), "b": text(*range(100, 110))})
    repository.commit({"a": text(*range(100, 110)), "b": text(*range(10))})

    assert_agreement(repository)


def test_a_revert_writes_its_lines_again(repository: GitRepository) -> None:
    repository.commit({"a": text(*range(10))})
    repository.commit({"a": text(*range(5))})
    repository.commit({"a": text(*range(10))}, "Revert")

    assert_agreement(repository)


def test_a_merged_unrelated_root_keeps_its_own_lines(repository: GitRepository) -> None:
    repository.commit({"a": text(*range(5))})
    repository.commit({"b": text(*range(5, 9))}, branch="foreign", parents=[])
    repository.commit({"b": text(*range(5, 9), "more")}, branch="foreign")
    repository.merge("foreign")

    assert_agreement(repository)


def test_line_ends_and_a_missing_last_newline_change_lines(repository: GitRepository) -> None:
    repository.commit({"a": text(*range(6)), "b": text(*range(6))})
    repository.commit({"a": text(*range(6), end="\r\n"), "b": text(*range(6)).rstrip()})
    repository.commit({"a": text(*range(3), end="\r\n") + text(*range(3, 6)), "b": text(*range(6))})

    assert_agreement(repository)


def test_only_the_mode_of_a_merged_file_changes_nothing(repository: GitRepository) -> None:
    repository.commit({"a": text(1, 2)})
    repository.branch("work")
    repository.commit({"a": text(1, 2, 3)})
    repository.commit({"a": text(1, 2, "work")}, branch="work")
    repository.merge("work", files={"a": Content(text(1, 2, "work"), EXECUTABLE)})

    assert_agreement(repository)
