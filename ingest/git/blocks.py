"""Which blocks of consecutive code lines stand in the tree: the evidence for copied lines.

A block is a window of WINDOW code lines (blank and comment lines between them are passed over), or of
SHAPE_WINDOW logical lines with identifiers abstracted and at least SHAPE_TOKENS tokens. Windows are hashed;
the index counts each hash over the tree and follows every delivery, so a look-up is exact but for 64-bit
collisions. It is a sorted array with a small dictionary of changes in front, 20 bytes a window: a plain
dictionary took five times that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

WINDOW = 6
"""Lines. Shorter repeats are idioms: five equal lines in a row are common in honest code."""
SHAPE_WINDOW = 8
SHAPE_TOKENS = 40
"""Tokens in the window; abstracted lines of few tokens are alike by chance."""

Hashes = NDArray[np.uint64]
Indices = NDArray[np.int64]

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_MERGE_ABOVE = 50_000
_UNKNOWN, _UNMOVED = -1, -2
"""Places: not known, and as stored."""


def window_hashes(values: Hashes, size: int) -> Hashes:
    """Polynomial hash of each run of `size` consecutive values; empty when there are fewer.

    The values are hashes themselves, so that an odd factor is mixing enough.
    """
    count = len(values) - size + 1
    if count <= 0:
        return np.zeros(0, np.uint64)
    result = values[:count].copy()
    for offset in range(1, size):
        result *= _FACTOR
        result += values[offset : offset + count]
    return result


def affected_windows(
    positions: Indices, spans: Iterable[tuple[int, int]], size: int
) -> list[tuple[int, int]]:
    """Half-open ranges of window starts that touch or straddle the line spans.

    `positions` are the line numbers (from 0) that take part, spans are [start, stop) line numbers in order;
    an empty span is a place where lines were put in or taken out.
    """
    last = len(positions) - size + 1
    ranges: list[tuple[int, int]] = []
    if last <= 0:
        return ranges
    bounds = np.asarray([b for span in spans for b in span])
    places = np.searchsorted(positions, bounds).tolist()
    for low, high in zip(places[::2], places[1::2], strict=True):
        start, stop = max(low - size + 1, 0), min(high, last)
        if ranges and start <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(stop, ranges[-1][1]))
        elif start < stop:
            ranges.append((start, stop))
    return ranges


class Windows:
    """Windows gathered from many places and hashed at once."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._values: list[Hashes] = []
        self._weights: list[NDArray[np.uint8]] = []
        self._places: list[int] = []

    def gather(self, values: Hashes, weights: NDArray[np.uint8], place: int) -> None:
        """Add the windows of one run of consecutive values (at least `size` of them)."""
        self._values.append(values)
        self._weights.append(weights)
        self._places.append(place)

    def hashes(self, least_weight: int = 0) -> tuple[Hashes, NDArray[np.int32], NDArray[np.bool_]]:
        """Hash and place of every window, and whether it weighs at least `least_weight`."""
        if not self._values:
            return np.zeros(0, np.uint64), np.zeros(0, np.int32), np.zeros(0, bool)
        lengths = np.asarray([len(v) for v in self._values])
        hashed = window_hashes(np.concatenate(self._values), self.size)
        ends = np.cumsum(lengths)
        inside = np.ones(len(hashed), bool)
        for end in ends[:-1].tolist():
            inside[end - self.size + 1 : end] = False
        places = np.repeat(np.asarray(self._places, np.int32), lengths - self.size + 1)
        if not least_weight:
            return hashed[inside], places, np.ones(len(places), bool)
        weights = np.cumsum(np.concatenate(self._weights), dtype=np.int64)
        totals = weights[self.size - 1 :].copy()
        totals[1:] -= weights[: -self.size]
        return hashed[inside], places, totals[inside] >= least_weight


def cover(found: NDArray[np.bool_], lengths: Sequence[int], size: int) -> NDArray[np.bool_]:
    """For runs of `lengths` values: which values lie in a found window."""
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
    """How often each window stands in the tree, and a place where it was last written."""

    def __init__(self) -> None:
        self._hashes: Hashes = np.zeros(0, np.uint64)
        self._counts = np.zeros(0, np.int32)
        self._places = np.zeros(0, np.int32)
        self._changes: dict[int, int] = {}
        self._moved: dict[int, int] = {}

    def update(
        self, removed: Hashes, left: NDArray[np.int32], added: Hashes, places: NDArray[np.int32]
    ) -> None:
        """Take out windows that stood at the places `left`, put in others at `places`."""
        changes, moved = self._changes, self._moved
        _, stored = self._stored(removed)
        for value, place, known in zip(removed.tolist(), left.tolist(), stored.tolist(), strict=True):
            changes[value] = changes.get(value, 0) - 1
            if moved.get(value, known) == place:
                # Where else it stands is not known: no name is better than that of a file without it.
                moved[value] = _UNKNOWN
        values = added.tolist()
        for value in values:
            changes[value] = changes.get(value, 0) + 1
        moved.update(zip(values, places.tolist(), strict=True))
        if len(changes) > _MERGE_ABOVE + len(self._hashes) // 8:
            self._merge()

    def find(self, wanted: Hashes) -> tuple[NDArray[np.bool_], list[int | None]]:
        """Which windows stand in the tree, and a place for those where one is known."""
        counts, stored = self._stored(wanted)
        changes, moved = self._changes, self._moved
        places: list[int | None] = [None] * len(wanted)
        found = np.zeros(len(wanted), bool)
        for i, (value, count) in enumerate(zip(wanted.tolist(), counts.tolist(), strict=True)):
            if count + changes.get(value, 0) > 0:
                found[i] = True
                place = moved.get(value, int(stored[i]))
                places[i] = None if place == _UNKNOWN else place
        return found, places

    def _stored(self, wanted: Hashes) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Counts and places in the sorted array."""
        if not len(self._hashes):
            return np.zeros(len(wanted), np.int32), np.full(len(wanted), _UNKNOWN, np.int32)
        at = np.searchsorted(self._hashes, wanted)
        at[at == len(self._hashes)] = 0
        known = self._hashes[at] == wanted
        return np.where(known, self._counts[at], 0), np.where(known, self._places[at], _UNKNOWN)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Content for a checkpoint."""
        self._merge()
        return {"hashes": self._hashes, "counts": self._counts, "places": self._places}

    def restore(self, hashes: Hashes, counts: NDArray[np.int32], places: NDArray[np.int32]) -> None:
        self._hashes, self._counts, self._places = hashes, counts, places
        self._changes, self._moved = {}, {}

    def _merge(self) -> None:
        if not self._changes:
            return
        changed = np.fromiter(self._changes, np.uint64, len(self._changes))
        delta = np.fromiter(self._changes.values(), np.int32, len(self._changes))
        place = np.fromiter(
            (self._moved.get(v, _UNMOVED) for v in self._changes), np.int32, len(self._changes)
        )
        hashes, where = np.unique(np.concatenate([self._hashes, changed]), return_inverse=True)
        counts = np.zeros(len(hashes), np.int32)
        places = np.full(len(hashes), _UNKNOWN, np.int32)
        old, new = where[: len(self._hashes)], where[len(self._hashes) :]
        counts[old] = self._counts
        counts[new] += delta
        places[old] = self._places
        places[new[place != _UNMOVED]] = place[place != _UNMOVED]
        keep = counts > 0
        self.restore(hashes[keep], counts[keep], places[keep])
