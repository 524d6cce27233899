"""Remembers the changes of a branch until its merge delivers them, mostly as they are: then they are not read again.

Keep out: reading a change (`change_reader`).
"""

from __future__ import annotations

from operator import attrgetter
from typing import NamedTuple

from ingest.git.changes.commit_changes import FileChange
from ingest.git.changes.file_description import Circumstances, FileDescriber
from ingest.git.changes.test_lines import TestLines
from ingest.git.diff.renames import PathPair

_MOST_CHANGES = 512
_MOST_LINES = 2_000
"""Changed lines of a file that is remembered: all facts together take at most some ten megabytes."""


_versions = attrgetter("old_path", "new_path", "old", "new", "similarity")


class _Remembered(NamedTuple):
    """A change, and the tree that says of the file what its two versions do not."""

    change: FileChange
    tree: bytes


class BranchChanges:
    """Changes by the two versions of their file, from the commits of one delivery."""

    def __init__(self, describer: FileDescriber, tests: TestLines) -> None:
        self._describer, self._tests = describer, tests
        self._known: dict[tuple[object, ...], _Remembered] = {}

    def add(self, pair: PathPair, change: FileChange, tree: bytes) -> None:
        """Remember a change in a commit with the tree `tree`, with the facts of its lines. Binary files are skipped."""
        if change.lines is None or change.lines_added + change.lines_deleted > _MOST_LINES:
            return
        if len(self._known) >= _MOST_CHANGES:
            self._known.clear()
        self._known[_versions(pair)] = _Remembered(change.copy(), tree)

    def take(self, pair: PathPair, tree: bytes) -> FileChange | None:
        """The same change in another tree; None where it is not known, or where the other tree says something else."""
        known = self._known.pop(_versions(pair), None) if self._known else None
        if known is None:
            return None
        is_said_alike = known.tree == tree or self._said_by(known.tree, known.change) == self._said_by(
            tree, known.change
        )
        return known.change if is_said_alike else None

    def clear(self) -> None:
        """Forget all changes: the delivery is read."""
        self._known.clear()

    def _said_by(self, tree: bytes, change: FileChange) -> tuple[Circumstances, bool]:
        return self._describer.circumstances(change.path, tree), self._tests.is_in_test_module(change, tree)
