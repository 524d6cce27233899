"""Lines that come back after their removal: each line within a release cycle, a block within ten years.

One line may be equal by chance, and so may common lines of many places; a block that stood together and left at once
is the work of then. Keep out: who has the credit
(`branch_credit`), the memory of removals (`classifier`).
"""

from __future__ import annotations

from array import array
from collections import deque
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ingest.git.classify.changed_lines import ChangedLines
from ingest.git.classify.line_table import OPEN, RETURNED
from ingest.git.lexing.line_features import BLANK

_DAY: Final = 86_400
RETURN: Final = 90 * _DAY
"""Seconds within which a removed line that comes back is returned: one release cycle, an initial value."""
BLOCK_RETURN: Final = 10 * 365 * _DAY
"""The same of a block of lines that stood together and were removed at once. A bound of memory: of 17,666 commits, ten
years of removals take 15 MB more than one, and no more time."""
BLOCK_LINES: Final = 10
"""Lines of such a block at least. Lines that other rules explain may stand between them."""

MOST_CANDIDATES: Final = 100
"""Removals of equal lines, from the newest, among which the one beside the line below is looked for."""

Removal = tuple[int, int, int, int]
"""Time, line id, number of the removing commit and place (`removed_places`)."""
Removed = dict[int, deque[Removal]]
"""Line hash → unclaimed removals, oldest first."""


def claim_returned(lines: ChangedLines, removed: Removed, time: int) -> None:
    """Classify lines that were removed within `RETURN`, and blocks that were removed within `BLOCK_RETURN`.

    Each line claims the newest removal.
    """
    for i in lines.open_lines():
        candidates = removed.get(lines.hashes[i])
        if candidates is not None and candidates[-1][0] >= time - RETURN:
            _give(lines, i, _take(removed, lines.hashes[i]))
    if removed:
        for number in range(len(lines.files)):
            _claim_blocks(lines, lines.added_of(number), removed, time - BLOCK_RETURN)


def removed_places(lines: ChangedLines, kinds: NDArray[np.uint8]) -> array[int]:
    """A number for each removed line of a delivery: lines that are not blank follow each other within a hunk alone."""
    begins = np.zeros(len(kinds), np.int32)
    for number, file in enumerate(lines.files):
        removed = lines.removed_of(number)
        counts = [count for _, count, _, _ in file.hunks if count]
        starts = np.cumsum([0, *counts[:-1]]) if sum(counts) == len(removed) else np.zeros(1, np.int64)
        if removed:
            begins[removed.start + starts] = 1
    places = np.cumsum(begins + (kinds != BLANK), dtype=np.int32)
    return array("i", places.tobytes())


def _claim_blocks(lines: ChangedLines, added: range, removed: Removed, since: int) -> None:
    """From the last line up, so that the newest of equal removals is the one that the whole block has there."""
    run: list[tuple[int, Removal]] = []
    explained = 0
    for i in reversed(added):
        if lines.classes[i] != OPEN:
            explained += lines.kinds[i] != BLANK
            continue
        candidates = removed.get(lines.hashes[i])
        found = _above(candidates, run[-1][1], explained) if run and candidates is not None else None
        if found is None:
            _settle(lines, run, removed)
            run = []
            candidates = removed.get(lines.hashes[i])
            if candidates is not None and candidates[-1][0] >= since:
                found = candidates[-1]
        if found is not None:
            run.append((i, found))
        explained = 0
    _settle(lines, run, removed)


def _above(candidates: deque[Removal], below: Removal, explained: int) -> Removal | None:
    """The removal of the line that stood above another one, with at most so many lines between them."""
    for one in islice(reversed(candidates), MOST_CANDIDATES):
        if one[0] == below[0] and below[3] - 1 - explained <= one[3] < below[3]:
            return one
    return None


def _settle(lines: ChangedLines, run: list[tuple[int, Removal]], removed: Removed) -> None:
    """Let the lines of a block claim their removals, unless it is short."""
    if len(run) < BLOCK_LINES:
        return
    for i, removal in run:
        candidates = removed[lines.hashes[i]]
        candidates.remove(removal)
        if not candidates:
            del removed[lines.hashes[i]]
        _give(lines, i, removal)


def _take(removed: Removed, value: int) -> Removal:
    candidates = removed[value]
    newest = candidates.pop()
    if not candidates:
        del removed[value]
    return newest


def _give(lines: ChangedLines, i: int, removal: Removal) -> None:
    _, source, remover, _ = removal
    lines.classes[i] = RETURNED
    lines.sources[i] = source
    lines.removals[i] = remover
