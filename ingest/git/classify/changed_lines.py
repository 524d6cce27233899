"""The changed lines of one delivery in columns, file by file, during classification.

Keep out: the rules (`classifier`, `copied`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ingest.git.blame.file_tree import NO_LINES, LineIds
from ingest.git.changes.file_lines import NO_SOURCE, FileLines
from ingest.git.classify.block_index import Hashes
from ingest.git.classify.line_table import OPEN
from ingest.git.diff.hunks import Hunk


@dataclass(slots=True)
class FileVersions:
    """One delivered file: its lines on the mainline before and after, and the facts that a worker read from them."""

    path: str
    previous_path: str | None
    old_ids: LineIds
    new_ids: LineIds
    hunks: Sequence[Hunk]
    lines: FileLines
    born: LineIds
    """Ownership ids of the added lines, or of all new lines where `is_unread`."""
    gone: LineIds
    """Ownership ids of the removed lines."""
    is_unread: bool = False
    """The lines after the change could not be read."""

    def added_ids(self) -> LineIds:
        return pick_added(self.new_ids, self.hunks)

    def removed_ids(self) -> LineIds:
        return pick_removed(self.old_ids, self.hunks)


def pick_added(ids: LineIds, hunks: Sequence[Hunk]) -> LineIds:
    """The ids of a new version that the hunks added."""
    return _pick(ids, [(start - 1, start - 1 + count) for _, _, start, count in hunks])


def pick_removed(ids: LineIds, hunks: Sequence[Hunk]) -> LineIds:
    """The ids of an old version that the hunks removed."""
    return _pick(ids, [(start - 1, start - 1 + count) for start, count, _, _ in hunks])


def _pick(ids: LineIds, spans: Sequence[tuple[int, int]]) -> LineIds:
    parts = [ids[start:stop] for start, stop in spans if stop > start]
    return np.concatenate(parts) if parts else ids[:0]


class ChangedLines:
    """The lines of one delivery in parallel columns, all files in path order.

    `removers` has the number of the removing commit for each removed line.
    """

    def __init__(self, files: Sequence[FileVersions], removers: Sequence[int]) -> None:
        self.files = files
        self.removers = removers
        added = [f.added_ids() for f in files]
        removed = [f.removed_ids() for f in files]
        self.added_ids = _join(added)
        self.removed_ids = _join(removed)
        self.born = _join([f.born for f in files if not f.is_unread])
        """Ownership ids of the added lines."""
        self.added_starts = np.cumsum([0, *map(len, added)]).tolist()
        self.removed_starts = np.cumsum([0, *map(len, removed)]).tolist()
        found = [f.lines for f in files]
        self.kinds = b"".join([f.kinds for f in found])
        self.heads = b"".join([f.heads for f in found])
        self.sizes = b"".join([f.sizes for f in found])
        self.hash_values: Hashes = np.frombuffer(b"".join([f.line_hashes for f in found]), np.uint64)
        self.shape_values: Hashes = np.frombuffer(b"".join([f.shapes for f in found]), np.uint64)
        self.hashes: list[int] = self.hash_values.tolist()
        self.shapes: list[int] = self.shape_values.tolist()
        self.tokens = list(b"".join([f.tokens for f in found]))
        self.own_tokens = list(self.tokens)
        count = len(self.added_ids)
        self.classes = [OPEN] * count
        self.ranks = [1] * count
        self.sources = [NO_SOURCE] * count
        """For each added line the id of the line that it inherits credit from."""
        self.removals = [NO_SOURCE] * count
        """For returned lines: number of the commit of the removal that they claim."""
        self.replaced = [NO_SOURCE] * count
        """Number of the commit of the replaced fresh lines, where they change the token count."""
        self.copied_from: dict[int, str] = {}
        self.removed_gone = list(map(bool, b"".join([f.removed_gone for f in found])))
        self.removed_layout = list(map(bool, b"".join([f.removed_layout for f in found])))
        self.removed_alive = list(self.removed_layout)
        """The line lives on elsewhere: laid out anew, moved, or (set at the end) in a block that still stands."""
        self.removed_fresh = np.zeros(len(self.removed_ids), bool)
        """The line is so young that its removal counts as a change of mind."""
        self.removed_replaced = [False] * len(self.removed_ids)

    def added_of(self, file: int) -> range:
        return range(self.added_starts[file], self.added_starts[file + 1])

    def removed_of(self, file: int) -> range:
        return range(self.removed_starts[file], self.removed_starts[file + 1])

    def open_lines(self) -> list[int]:
        """Indexes of the added lines without a matching rule so far."""
        return [i for i, c in enumerate(self.classes) if c == OPEN]


def _join(parts: Sequence[LineIds]) -> LineIds:
    return np.concatenate(parts) if parts else NO_LINES
