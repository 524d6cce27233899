"""Index of the blocks of consecutive code lines in the tree: the evidence for copied lines.

A block is a window of WINDOW code lines (blank and comment lines between them are skipped), or of SHAPE_WINDOW
logical lines with identifiers abstracted and at least SHAPE_TOKENS tokens. The index counts the hash of each window
over the tree and follows every delivery, so a look-up is exact but for 64-bit collisions. It is a sorted array with
a small dictionary of recent changes, 20 bytes a window; a plain dictionary took five times as much.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

WINDOW = 6
"""Lines. Shorter repeats are idioms: five equal lines in a row are common in ordinary code."""
SHAPE_WINDOW = 8
SHAPE_TOKENS = 40
"""Minimum tokens of a window: abstracted lines of few tokens are alike by chance."""

Hashes = NDArray[np.uint64]
Indices = NDArray[np.int64]

FACTOR = np.uint64(0x9E3779B97F4A7C15)
PROSE = np.uint64(0xC2B2AE3D27D4EB4F)
"""What the hashes of the windows of documents are combined with: code is no copy of a document that foretold it."""
_MERGE_ABOVE = 50_000
_UNKNOWN, _UNMOVED = -1, -2
"""Special places: unknown, and unchanged since the last merge."""


def window_hashes(values: Hashes, size: int) -> Hashes:
    """Polynomial hash of each run of `size` consecutive values; empty when there are fewer.

    The values are hashes themselves, so an odd factor mixes them well enough.
    """
    count = len(values) - size + 1
    if count <= 0:
        return np.zeros(0, np.uint64)
    result = values[:count].copy()
    for offset in range(1, size):
        result *= FACTOR
        result += values[offset : offset + count]
    return result


def affected_windows(
    positions: Sequence[int], spans: Iterable[tuple[int, int]], size: int
) -> list[tuple[int, int]]:
    """Half-open ranges of window starts that touch or straddle the line spans.

    `positions` are the line numbers (from 0) that take part; spans are [start, stop) line numbers in order. An empty
    span is a point where lines were inserted or removed.
    """
    last = len(positions) - size + 1
    ranges: list[tuple[int, int]] = []
    if last <= 0:
        return ranges
    for low, high in spans:
        start = max(bisect_left(positions, low) - size + 1, 0)
        stop = min(bisect_left(positions, high), last)
        if ranges and start <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(stop, ranges[-1][1]))
        elif start < stop:
            ranges.append((start, stop))
    return ranges


class Windows:
    """Windows gathered from many places and hashed at once."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._members: list[NDArray[np.integer]] = []
        self._places: list[int] = []
        self._prose: list[bool] = []

    def gather(self, members: NDArray[np.integer], place: int, *, is_prose: bool = False) -> None:
        """Add the windows of one run of consecutive lines (at least `size` of them), given by their indices."""
        self._members.append(members)
        self._places.append(place)
        self._prose.append(is_prose)

    def extend(self, other: Windows) -> int:
        """Append the windows of another collection of the same size. Returns the number of windows before."""
        before = sum(map(len, self._members)) - len(self._members) * (self.size - 1)
        self._members += other._members
        self._places += other._places
        self._prose += other._prose
        return before

    def hashes(
        self, values: Hashes, weights: NDArray[np.uint8], least_weight: int = 0
    ) -> tuple[Hashes, NDArray[np.int32], NDArray[np.bool_]]:
        """Hash and place of every window, and whether it weighs at least `least_weight`.

        `values` and `weights` are those of the lines, by index.
        """
        if not self._members:
            return np.zeros(0, np.uint64), np.zeros(0, np.int32), np.zeros(0, bool)
        members = np.concatenate(self._members)
        counts = np.asarray([len(m) for m in self._members])
        hashed = window_hashes(values[members], self.size)
        places = np.asarray(self._places, np.int32).repeat(counts - (self.size - 1))
        within = slice(None) if len(counts) == 1 else self._within(counts, len(hashed))
        hashed = hashed[within]
        if any(self._prose):
            hashed[np.asarray(self._prose).repeat(counts - (self.size - 1))] ^= PROSE
        if not least_weight:
            return hashed, places, np.ones(len(places), bool)
        summed = weights[members].cumsum(dtype=np.int64)
        totals = summed[self.size - 1 :].copy()
        totals[1:] -= summed[: -self.size]
        return hashed, places, totals[within] >= least_weight

    def _within(self, counts: Indices, windows: int) -> NDArray[np.bool_]:
        """Marks the windows that lie within one run."""
        within = np.ones(windows, bool)
        ends = counts.cumsum()[:-1]
        for back in range(1, self.size):
            within[ends - back] = False
        return within


def cover(found: NDArray[np.bool_], lengths: Sequence[int], size: int) -> NDArray[np.bool_]:
    """Marks the values that lie in a found window, for runs of `lengths` values."""
    covered = np.zeros(sum(lengths), bool)
    value = window = 0
    for length in lengths:
        hits = np.flatnonzero(found[window : window + length - size + 1])
        for hit in hits:
            covered[value + hit : value + hit + size] = True
        value += length
        window += length - size + 1
    return covered


class BlockIndex:
    """The count of each window in the tree, and the place where it was last written."""

    def __init__(self) -> None:
        self._hashes: Hashes = np.zeros(0, np.uint64)
        self._counts = np.zeros(0, np.int32)
        self._places = np.zeros(0, np.int32)
        # Changes since the last merge: windows added, windows removed, and the places of written windows.
        self._added: Counter[int] = Counter()
        self._removed: Counter[int] = Counter()
        self._moved: dict[int, int] = {}

    def update(
        self, removed: Hashes, left: NDArray[np.int32], added: Hashes, places: NDArray[np.int32]
    ) -> None:
        """Remove windows that stood at the places `left`, and add others at `places`."""
        if len(removed):
            gone = removed.tolist()
            self._removed.update(gone)
            _, stored = self._stored(removed)
            known = np.fromiter(map(self._moved.get, gone, stored.tolist()), np.int32, len(gone))
            # Its other places are unknown, and no place is better than a file that lacks the window.
            self._moved.update(zip(removed[known == left].tolist(), repeat(_UNKNOWN)))
        if len(added):
            come = added.tolist()
            self._added.update(come)
            self._moved.update(zip(come, places.tolist(), strict=True))
        if len(self._moved) + len(self._removed) > _MERGE_ABOVE + len(self._hashes) // 8:
            self._merge()

    def find(self, wanted: Hashes) -> tuple[NDArray[np.bool_], list[int | None]]:
        """Whether each window stands in the tree, and a place for it where one is known."""
        counts, stored = self._stored(wanted)
        values = wanted.tolist()
        found = counts + self._changed(values) > 0
        places: list[int | None] = [None] * len(values)
        for i in found.nonzero()[0].tolist():
            place = self._moved.get(values[i], int(stored[i]))
            places[i] = None if place == _UNKNOWN else place
        return found, places

    def _changed(self, values: Sequence[int]) -> NDArray[np.int32]:
        """Difference of each window's count to the sorted array."""
        added = np.fromiter(map(self._added.get, values, repeat(0)), np.int32, len(values))
        removed = np.fromiter(map(self._removed.get, values, repeat(0)), np.int32, len(values))
        return added - removed

    def _stored(self, wanted: Hashes) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Counts and places in the sorted array."""
        at, known = self._find(wanted)
        counts, places = np.zeros(len(wanted), np.int32), np.full(len(wanted), _UNKNOWN, np.int32)
        counts[known], places[known] = self._counts[at[known]], self._places[at[known]]
        return counts, places

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Content for a checkpoint. The arrays are copies, because the next merge writes into its own."""
        self._merge()
        return {"hashes": self._hashes.copy(), "counts": self._counts.copy(), "places": self._places.copy()}

    def restore(self, hashes: Hashes, counts: NDArray[np.int32], places: NDArray[np.int32]) -> None:
        self._hashes, self._counts, self._places = hashes, counts, places
        self._added, self._removed, self._moved = Counter(), Counter(), {}

    def _merge(self) -> None:
        if not self._added and not self._removed:
            return
        added, removed, moved = map(_columns, (self._added, self._removed, self._moved))
        values, position = np.unique(np.concatenate([added[0], removed[0]]), return_inverse=True)
        delta = np.zeros(len(values), np.int32)
        delta[position[: len(self._added)]] = added[1]
        delta[position[len(self._added) :]] -= removed[1]
        place = np.full(len(values), _UNMOVED, np.int32)
        place[values.searchsorted(moved[0])] = moved[1]
        at, is_known = self._find(values)
        self._counts[at[is_known]] += delta[is_known]
        has_moved = is_known & (place != _UNMOVED)
        self._places[at[has_moved]] = place[has_moved]
        is_new = ~is_known & (delta > 0)
        new = at[is_new]
        # Only the changes are sorted: the array is already in order and many times longer.
        hashes = np.insert(self._hashes, new, values[is_new])
        counts = np.insert(self._counts, new, delta[is_new])
        places = np.insert(self._places, new, place[is_new].clip(min=_UNKNOWN))
        keep = counts > 0
        self.restore(hashes[keep], counts[keep], places[keep])

    def _find(self, values: Hashes) -> tuple[Indices, NDArray[np.bool_]]:
        """Position at which each value belongs in the sorted array, and whether the array has it."""
        at = self._hashes.searchsorted(values)
        if not len(self._hashes):
            return at, np.zeros(len(values), bool)
        return at, self._hashes[np.minimum(at, len(self._hashes) - 1)] == values


def _columns(facts: Mapping[int, int]) -> tuple[Hashes, NDArray[np.int32]]:
    """Keys and values as arrays."""
    return (
        np.fromiter(facts.keys(), np.uint64, len(facts)),
        np.fromiter(facts.values(), np.int32, len(facts)),
    )
