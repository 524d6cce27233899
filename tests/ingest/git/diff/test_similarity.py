"""Similarity and renames against Git's own."""

from collections.abc import Callable
from random import Random

import pygit2
import pytest

from ingest.git.diff.renames import pair_paths
from ingest.git.diff.similarity import similarity
from ingest.git.objects.trees import TreeReader
from tests.git_repository import SYMLINK, Content, GitRepository


def edited(random: Random) -> tuple[bytes, bytes]:
    """Two texts that share some lines: short and long ones, with either line end."""
    end = random.choice([b"\n", b"\r\n"])
    lines = [
        b"%d " % random.randint(0, 30) * random.choice([1, 3, 40]) + end for _ in range(random.randint(1, 25))
    ]
    share = random.random()
    new = [line if random.random() < share else b"new %d\n" % random.randint(0, 99) for line in lines]
    return b"".join(lines), b"".join(new).replace(b"\r\n", random.choice([b"\r\n", b"\n"]))


@pytest.mark.parametrize("seed", range(30))
def test_similarity_is_the_score_of_git(seed: int, repository: GitRepository) -> None:
    old, new = edited(Random(seed))
    repository.commit({"old": old})
    repository.commit({"old": None, "new": new})

    raw = repository.git("diff-tree", "-M1%", "--raw", "-r", "main^", "main")

    statuses = [line.split("\t")[0].split()[-1] for line in raw.splitlines()]
    score = int(statuses[0][1:]) if statuses[0].startswith("R") else 0
    mine = similarity(old, new)
    assert mine == score or (score == 0 and mine <= 1)


def test_an_empty_file_is_similar_to_no_other() -> None:
    assert similarity(b"", b"") == similarity(b"a\n", b"") == similarity(b"", b"a\n") == 0


@pytest.mark.parametrize("seed", range(10))
def test_renames_are_those_of_git(seed: int, new_repository: Callable[..., GitRepository]) -> None:
    """The files have little in common, so that the possible renames are unambiguous."""
    random = Random(seed)
    repository = new_repository()
    before: dict[str | bytes, str | bytes | Content | None] = {}
    after: dict[str | bytes, str | bytes | Content | None] = {}
    for number in range(8):
        lines = [f"{number} {random.random()}\n" for _ in range(20)]
        kept = random.randint(0, 20)
        before[f"old/{number}"] = "".join(lines)
        after[f"old/{number}"] = None
        after[f"new/{number}"] = "".join(lines[:kept] + [f"{random.random()}\n" for _ in range(20 - kept)])
    before["link"], after["link"], after["other"] = Content("old/1", SYMLINK), None, Content("old/1", SYMLINK)
    repository.commit(before)
    repository.commit(after)

    repo = pygit2.Repository(str(repository.path))
    trees = [repo[sha].peel(pygit2.Tree).id.raw for sha in repository.commits]
    pairs = pair_paths(repo, TreeReader(repo, verify_hashes=True), trees[0], trees[1])

    raw = repository.git("diff-tree", "-M", "--raw", "-r", "main^", "main").splitlines()
    expected = {tuple(line.split("\t")[1:]): line.split("\t")[0].split()[-1] for line in raw}
    actual = {
        tuple(p.decode() for p in dict.fromkeys((pair.old_path, pair.new_path)) if p): pair.status
        + (f"{pair.similarity:03}" if pair.similarity is not None else "")
        for pair in pairs
    }
    assert actual == expected
