"""Line ids of a file after a change: an array of ids with hunks spliced in.

The compiled engine has the same operations; `line_edits` chooses. Keep out: which ids lines get (`ownership`).
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

import numpy as np

from ingest.git import native
from ingest.git.blame.file_tree import NO_LINES, LineIds
from ingest.git.diff.hunks import Hunk


class LineEdits:
    """Changes of arrays of line ids. Hunks that reach beyond an array are cut at its end."""

    def edit(self, old: LineIds, hunks: Sequence[Hunk], first: int) -> tuple[LineIds, LineIds]:
        """Lines removed, and the new version; added lines have the ids from `first`."""
        gone = [old[start - 1 : start - 1 + count] for start, count, _, _ in hunks if count]
        added = np.arange(first, first + sum(count for _, _, _, count in hunks), dtype=np.int32)
        return np.concatenate(gone) if gone else NO_LINES, splice(old, hunks, added)

    def pick_added(self, ids: LineIds, hunks: Sequence[Hunk]) -> LineIds:
        """The ids of a new version that the hunks added."""
        return _pick(ids, [(start - 1, start - 1 + count) for _, _, start, count in hunks])

    def pick_removed(self, ids: LineIds, hunks: Sequence[Hunk]) -> LineIds:
        """The ids of an old version that the hunks removed."""
        return _pick(ids, [(start - 1, start - 1 + count) for start, count, _, _ in hunks])


class CompiledLineEdits(LineEdits):
    """The same, compiled. Raises ValueError for hunks out of order, which no difference has."""

    def __init__(self, kernel: ModuleType) -> None:
        self._kernel = kernel

    def edit(self, old: LineIds, hunks: Sequence[Hunk], first: int) -> tuple[LineIds, LineIds]:
        gone, new = self._kernel.edit(old, hunks, first)
        return np.frombuffer(gone, np.int32), np.frombuffer(new, np.int32)

    def pick_added(self, ids: LineIds, hunks: Sequence[Hunk]) -> LineIds:
        return np.frombuffer(self._kernel.pick(ids, hunks, True), np.int32)

    def pick_removed(self, ids: LineIds, hunks: Sequence[Hunk]) -> LineIds:
        return np.frombuffer(self._kernel.pick(ids, hunks, False), np.int32)


def line_edits() -> LineEdits:
    """The edits of this process's engine."""
    kernel = native.load("_delivery")
    return LineEdits() if kernel is None else CompiledLineEdits(kernel)


def splice(old: LineIds, hunks: Sequence[Hunk], added: LineIds) -> LineIds:
    """The new version of a file: the old one without the removed lines and with the added ones."""
    parts = []
    position = taken = 0
    for old_start, old_lines, _, new_lines in hunks:
        start = old_start - 1 if old_lines else old_start
        parts.append(old[position:start])
        parts.append(added[taken : taken + new_lines])
        position, taken = start + old_lines, taken + new_lines
    return np.concatenate([*parts, old[position:]])


def _pick(ids: LineIds, spans: Sequence[tuple[int, int]]) -> LineIds:
    parts = [ids[start:stop] for start, stop in spans if stop > start]
    return np.concatenate(parts) if parts else ids[:0]
