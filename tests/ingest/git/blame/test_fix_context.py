"""Authors of the lines around a possible fix agree with `git blame` at its parent."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from ingest.git.diff.context import surroundings
from ingest.git.messages.parse import may_be_fix
from tests.git_repository import GitRepository
from tests.ingest.git.diff.unpacked import function_lines, near_lines
from tests.ingest.git.extraction import Extraction
from tests.ingest.git.random_history import RandomHistory


@pytest.mark.parametrize("seed", [0, 1, 2, 4])
def test_surroundings_belong_to_the_commits_that_blame_names(tmp_path: Path, seed: int) -> None:
    repository = GitRepository(tmp_path / "repository")
    history = RandomHistory(repository, seed, only_text=True)
    for _ in range(60):
        history.step()
    extraction = Extraction(tmp_path / "repository", tmp_path / "raw")
    extraction.run()
    found: dict[tuple[str, str], dict[str, tuple[int, int]]] = defaultdict(dict)
    for row in extraction.rows("fix_context"):
        key = row["commit_sha"], row["path"]
        assert row["origin_sha"] not in found[key]
        found[key][row["origin_sha"]] = row["near_weight_micro"], row["function_lines"]
    assert found
    messages = {row["commit_sha"]: row["subject"] for row in extraction.rows("commits")}
    merges = {row["commit_sha"] for row in extraction.rows("commits", is_merge=True)}
    assert all(may_be_fix(messages[sha]) and sha not in merges for sha, _ in found)
    mainline = {row["delivery_sha"] for row in extraction.rows("deliveries", kind="direct")}
    for change in extraction.rows("file_changes"):
        sha, path = change["commit_sha"], change["previous_path"] or change["path"]
        is_seen = sha in mainline and may_be_fix(messages[sha]) and change["status"] in "MR"
        if not is_seen or not change["path"].endswith((".py", ".js", ".c")) or change["is_binary"]:
            continue
        if not change["hunks"]:
            continue
        expected = _expected(repository, change, path)
        assert found.pop((sha, path), {}) == expected, (sha, path)
    assert all(sha not in mainline for sha, _ in found)


def _expected(repository: GitRepository, change: dict[str, Any], path: str) -> dict[str, tuple[int, int]]:
    parent = change["parent_sha"]
    blamed = [
        line.split(" ")[0]
        for line in repository.git(
            "blame", "--line-porcelain", "--diff-algorithm=myers", parent, "--", path
        ).split("\n")
        if len(line) > 40 and line[40] == " " and all(c in "0123456789abcdef" for c in line[:40])
    ]
    lines = repository.read(path, parent).split(b"\n")
    if not lines[-1]:
        lines.pop()
    hunks = [tuple(hunk.values()) for hunk in change["hunks"]]
    around = surroundings(lines, hunks, len(lines))
    near: dict[str, int] = defaultdict(int)
    function: dict[str, int] = defaultdict(int)
    for number, weight in near_lines(around).items():
        near[blamed[number - 1]] += weight
    for number in function_lines(around):
        function[blamed[number - 1]] += 1
    return {origin: (near[origin], function[origin]) for origin in {*near, *function}}
