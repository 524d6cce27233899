"""Lines that come back after their removal: each line within a release cycle, a block within a year.

One line may be equal by chance, a block that left at once is the work of then. Keep out: who has the credit
(`branch_credit`), the memory of removals (`classifier`).
"""

from __future__ import annotations

from collections import deque
from typing import Final

from ingest.git.classify.changed_lines import ChangedLines
from ingest.git.classify.line_table import OPEN, RETURNED

_DAY: Final = 86_400
RETURN: Final = 90 * _DAY
"""Seconds within which a removed line that comes back is returned: one release cycle, an initial value."""
BLOCK_RETURN: Final = 365 * _DAY
"""The same of a block of lines that were removed at once."""
BLOCK_LINES: Final = 10
"""Lines of such a block at least. Lines that other rules explain may stand between them."""

Removal = tuple[int, int, int]
"""Time, line id and number of the removing commit."""
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


def _claim_blocks(lines: ChangedLines, added: range, removed: Removed, since: int) -> None:
    run: list[tuple[int, Removal]] = []
    for i in added:
        if lines.classes[i] != OPEN:
            continue
        if run and not _has_removal(removed, lines.hashes[i], run[0][1][0]):
            _settle(lines, run, removed)
            run = []
        candidates = removed.get(lines.hashes[i])
        if candidates is not None and candidates[-1][0] >= since:
            run.append((i, _take(removed, lines.hashes[i])))
    _settle(lines, run, removed)


def _has_removal(removed: Removed, value: int, time: int) -> bool:
    """Whether the newest removal of a line was at the time."""
    candidates = removed.get(value)
    return candidates is not None and candidates[-1][0] == time


def _settle(lines: ChangedLines, run: list[tuple[int, Removal]], removed: Removed) -> None:
    """Let the lines of a block claim their removals, and give those of a shorter run back."""
    if len(run) >= BLOCK_LINES:
        for i, removal in run:
            _give(lines, i, removal)
    else:
        for i, removal in reversed(run):
            removed.setdefault(lines.hashes[i], deque()).append(removal)


def _take(removed: Removed, value: int) -> Removal:
    candidates = removed[value]
    newest = candidates.pop()
    if not candidates:
        del removed[value]
    return newest


def _give(lines: ChangedLines, i: int, removal: Removal) -> None:
    _, source, remover = removal
    lines.classes[i] = RETURNED
    lines.sources[i] = source
    lines.removals[i] = remover
