from __future__ import annotations

from pathlib import Path

from ingest.git.blame.ownership import PathChange
from ingest.git.blame.replay import path_change, stored_changes
from ingest.git.changes.change_reader import ChangeReader
from ingest.git.changes.commit_changes import CommitTask
from ingest.git.objects.commit_graph import read_history
from ingest.git.objects.loose_objects import open_git_dir
from ingest.lake import Lake
from tests.git_repository import GitRepository
from tests.ingest.git.extraction import Extraction
from tests.ingest.git.growing_history import GrowingHistory


def test_stored_changes_are_those_that_were_read(tmp_path: Path) -> None:
    history = GrowingHistory(GitRepository(tmp_path / "repository"), 11)
    for _ in range(50):
        history.step()
    extraction = Extraction(history.repository.path, tmp_path / "raw")
    extraction.run()
    stored = stored_changes(Lake(extraction.raw).source("git", *extraction.ids))
    opened = open_git_dir(history.repository.git_dir)
    reader = ChangeReader(opened, verify_hashes=True)
    commits = read_history(opened, extraction.git.heads)
    merges = 0
    for sha, commit in commits.items():
        trees = tuple(commits[parent].tree for parent in commit.parents)
        own = reader.read(CommitTask(sha, commit.tree, trees, with_lines=False)).own
        fresh = [plain(path_change(change, commit.parents)) for change in own]
        assert [plain(change) for change in stored.get(sha, [])] == fresh
        merges += any(change.other_sides for change in own)
    assert merges > 0


def plain(change: PathChange) -> tuple[object, ...]:
    sides = [(parent, path, [tuple(h) for h in hunks]) for parent, path, hunks in change.other_sides]
    hunks = [tuple(h) for h in change.hunks]
    return change.path, change.previous_path, change.status, hunks, change.lines_after, sides
