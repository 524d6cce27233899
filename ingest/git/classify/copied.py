"""Copied lines: blocks of a delivery that also stand elsewhere in the tree.

`find_copied` searches the tree before the delivery and the earlier lines of the delivery, sources first. Documents are
copies of code and of documents, and no originals of code (`document_blocks`).
`mark_alive` searches the tree after the delivery for the blocks of removed lines.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ingest.git.blame.file_tree import LineIds
from ingest.git.classify.block_index import (
    PROSE,
    SHAPE_TOKENS,
    SHAPE_WINDOW,
    WINDOW,
    BlockIndex,
    Windows,
    affected_windows,
    cover,
)
from ingest.git.classify.changed_lines import ChangedLines
from ingest.git.classify.document_blocks import prose_after, prose_before, quoted, whole_hunks
from ingest.git.classify.line_table import COPIED, OPEN, LineTable
from ingest.git.diff.hunks import Hunk
from ingest.git.lexing.line_features import CODE

Runs = Iterator[tuple[int, NDArray[np.int64]]]
"""File number and the indexes (among the delivery's lines) of each run of consecutive code lines."""


_MARGIN = 48
"""Lines read around the changes of a file at first; they nearly always hold enough code lines."""


class _Grain:
    """One of two ways to compare blocks: literally, or by shape."""

    def __init__(self, column: str, window: int, least_tokens: int) -> None:
        self.column, self.window, self.least_tokens = column, window, least_tokens
        self.index = BlockIndex()

    def takes_part(self, kinds: NDArray[np.uint8], heads: NDArray[np.bool_]) -> NDArray[np.bool_]:
        is_code: NDArray[np.bool_] = kinds == CODE
        return is_code & heads if self.column == "shape" else is_code


class TreeBlocks:
    """Blocks of code in the tree after the deliveries settled so far."""

    def __init__(self, store: LineTable) -> None:
        self._store = store
        self.grains = {
            "line": _Grain("line", WINDOW, 0),
            "shape": _Grain("shape", SHAPE_WINDOW, SHAPE_TOKENS),
        }
        self.paths: list[str] = []
        """Paths by the place numbers that the indexes hold."""
        self.positions: dict[str, int] = {}

    def restore(self, paths: list[str], positions: dict[str, int]) -> None:
        self.paths, self.positions = paths, positions

    def place(self, path: str) -> int:
        found = self.positions.get(path)
        if found is None:
            found = self.positions[path] = len(self.paths)
            self.paths.append(path)
        return found

    def places(self, lines: ChangedLines) -> list[int]:
        """The places of the files of a delivery."""
        return [self.place(file.path) for file in lines.files]

    def _rename(self, moves: Mapping[str, str]) -> None:
        """Keep the blocks of renamed files under their new paths; a later file at an old path is another file."""
        moved = {new: self.place(old) for old, new in moves.items()}
        for old in moves:
            del self.positions[old]
        for new, position in moved.items():
            self.paths[position] = new
            self.positions[new] = position

    def find_copied(self, lines: ChangedLines) -> None:
        """Classify open lines as copied where their block already stands in the tree."""
        if lines.kinds.count(CODE) < WINDOW:
            return
        self._search(lines, self.places(lines))

    def _search(self, lines: ChangedLines, places: Sequence[int]) -> None:
        kinds, heads = np.frombuffer(lines.kinds, np.uint8), np.frombuffer(lines.heads, bool)
        sizes = np.frombuffer(lines.sizes, np.uint8)
        columns = {"line": lines.hash_values, "shape": lines.shape_values}
        prose = prose_after(lines)
        for grain in self.grains.values():
            taking_part = grain.takes_part(kinds, heads)
            values = columns[grain.column]
            runs = [
                (places[number], prose[number], run)
                for number, run in _added_runs(lines, taking_part, grain.window)
            ]
            for i, place in self._standing(grain, values, sizes, runs, with_earlier=True):
                if lines.classes[i] == OPEN:
                    lines.classes[i] = COPIED
                    if place is not None:
                        lines.copied_from[i] = place
        self._spread(lines)

    def _spread(self, lines: ChangedLines) -> None:
        """Classify the continuation lines of a copied logical line as copied too."""
        kinds, heads = np.frombuffer(lines.kinds, np.uint8), np.frombuffer(lines.heads, bool)
        owners = np.maximum.accumulate(np.where(heads, np.arange(len(heads)), -1))
        for i in np.flatnonzero((kinds == CODE) & ~heads).tolist():
            owner = int(owners[i])
            if lines.classes[i] == OPEN and owner >= 0 and lines.classes[owner] == COPIED:
                lines.classes[i] = COPIED
                lines.copied_from[i] = lines.copied_from[owner]

    def mark_alive(self, lines: ChangedLines) -> None:
        """Mark removed lines as alive where their block stands in the tree after the delivery.

        Fresh lines are not marked. A remaining copy earned nothing, so it must not save the credit that their
        removal takes back.
        """
        kinds = self._store["kind"][lines.removed_ids]
        if int((kinds == CODE).sum()) < WINDOW:
            return
        grain = self.grains["line"]
        values = self._store["line"][lines.removed_ids]
        sizes = self._store["size"][lines.removed_ids]
        runs = [(number, False, run) for number, run in _removed_runs(lines, kinds == CODE, grain.window)]
        for i, _ in self._standing(grain, values, sizes, runs, with_earlier=False):
            if not lines.removed_fresh[i]:
                lines.removed_alive[i] = True

    def update(self, lines: ChangedLines) -> None:
        """Update the indexes for a delivery: remove the windows that it broke, add those that it made."""
        self._rename({f.previous_path: f.path for f in lines.files if f.previous_path is not None})
        self._follow(lines, self.places(lines))

    def _follow(self, lines: ChangedLines, places: Sequence[int]) -> None:
        windows = {name: (Windows(g.window), Windows(g.window)) for name, g in self.grains.items()}
        sides = zip(lines.files, places, prose_before(lines), prose_after(lines), strict=True)
        for file, place, *prose in sides:
            hunks = file.hunks if prose[0] == prose[1] else whole_hunks(file)
            for new, ids in enumerate((file.old_ids, file.new_ids)):
                spans = _spans(hunks, old=not new)
                if spans and len(ids):
                    chosen = {n: pair[new] for n, pair in windows.items()}
                    self._gather(chosen, ids, spans, place, is_prose=prose[new])
        store = self._store
        for name, grain in self.grains.items():
            both, added = windows[name]
            # All windows at once: a step costs the same for few windows as for many, and most deliveries are small.
            removed = both.extend(added)
            hashes, written, heavy = both.hashes(store[grain.column], store["size"], grain.least_tokens)
            gone = int(heavy[:removed].sum())
            hashes, written = hashes[heavy], written[heavy]
            grain.index.update(hashes[:gone], written[:gone], hashes[gone:], written[gone:])

    def _gather(
        self,
        windows: Mapping[str, Windows],
        ids: LineIds,
        spans: Sequence[tuple[int, int]],
        place: int,
        *,
        is_prose: bool,
    ) -> None:
        """Add the windows of one file that touch the spans, reading as few lines as possible."""
        first, last = spans[0][0], spans[-1][1]
        margin, is_enough = _MARGIN, False
        while not is_enough:
            low, high = max(first - margin, 0), min(last + margin, len(ids))
            near = ids[low:high]
            is_code = self._store["kind"][near] == CODE
            parts = {
                "line": is_code.nonzero()[0],
                "shape": (is_code & self._store["head"][near]).nonzero()[0],
            }
            positions = {name: part.tolist() for name, part in parts.items()}
            is_enough = all(
                (low == 0 or bisect_left(positions[name], first - low) >= grain.window - 1)
                and (
                    high == len(ids)
                    or len(positions[name]) - bisect_left(positions[name], last - low) >= grain.window - 1
                )
                for name, grain in self.grains.items()
            )
            margin *= 8
        local = [(start - low, stop - low) for start, stop in spans]
        for name, part in parts.items():
            size = self.grains[name].window
            for start, stop in affected_windows(positions[name], local, size):
                windows[name].gather(near[part[start : stop + size - 1]], place, is_prose=is_prose)

    def _find_elsewhere(
        self,
        grain: _Grain,
        hashed: NDArray[np.uint64],
        asked: NDArray[np.bool_],
        found: NDArray[np.bool_],
        places: list[int | None],
    ) -> None:
        """Find windows of documents among those of code, and the other way round."""
        there, known = grain.index.find(hashed[asked] ^ PROSE)
        for at, is_there, place in zip(np.flatnonzero(asked).tolist(), there.tolist(), known, strict=True):
            if is_there:
                found[at], places[at] = True, place

    def _standing(
        self,
        grain: _Grain,
        values: NDArray[np.uint64],
        sizes: NDArray[np.uint8],
        runs: Sequence[tuple[int, bool, NDArray[np.int64]]],
        *,
        with_earlier: bool,
    ) -> Iterator[tuple[int, int | None]]:
        """Indexes of the lines in a standing block, each with a place of that block.

        Each run has a place and whether it is one of a document. `with_earlier` of the delivery, blocks of documents
        stand for documents alone.
        """
        if not runs:
            return
        windows = Windows(grain.window)
        for place, is_prose, run in runs:
            windows.gather(run, place, is_prose=is_prose)
        hashed, here, heavy = windows.hashes(values, sizes, grain.least_tokens)
        found, places = grain.index.find(hashed)
        lengths = [len(run) for _, _, run in runs]
        counts = [length - grain.window + 1 for length in lengths]
        in_both = np.repeat([is_prose or not with_earlier for _, is_prose, _ in runs], counts)
        if in_both.any():
            self._find_elsewhere(grain, hashed, in_both & ~found, found, places)
        if with_earlier:
            found |= quoted(hashed, here, heavy & in_both, heavy, places)
            found |= _repeats(hashed, here, heavy, places)
        found &= heavy
        members = np.concatenate([run for _, _, run in runs])
        covered = cover(found, lengths, grain.window)
        origin = _places_of_lines(found, places, lengths, grain.window)
        for at in np.flatnonzero(covered):
            yield int(members[at]), origin.get(int(at))


def _repeats(
    hashed: NDArray[np.uint64], here: NDArray[np.int32], heavy: NDArray[np.bool_], places: list[int | None]
) -> NDArray[np.bool_]:
    """Windows that repeat an earlier window of the same delivery. They take the place of that window."""
    every = np.flatnonzero(heavy)
    _, first, inverse = np.unique(hashed[every], return_index=True, return_inverse=True)
    earliest = every[first[inverse]]
    repeated = np.zeros(len(hashed), bool)
    repeated[every] = earliest != every
    for window, original in zip(every.tolist(), earliest.tolist(), strict=True):
        if window != original and places[window] is None:
            places[window] = int(here[original])
    return repeated


def _places_of_lines(
    found: NDArray[np.bool_], places: Sequence[int | None], lengths: Sequence[int], size: int
) -> dict[int, int]:
    """Index of a covered line → place of the first found window that covers it."""
    result: dict[int, int] = {}
    line = window = 0
    for length in lengths:
        for hit in found[window : window + length - size + 1].nonzero()[0]:
            place = places[window + int(hit)]
            if place is not None:
                for at in range(line + int(hit), line + int(hit) + size):
                    result.setdefault(at, place)
        line += length
        window += length - size + 1
    return result


def _added_runs(lines: ChangedLines, taking_part: NDArray[np.bool_], size: int) -> Runs:
    for number, file in enumerate(lines.files):
        counts = [count for _, _, _, count in file.hunks]
        yield from _runs(number, lines.added_starts[number], counts, taking_part, size)


def _removed_runs(lines: ChangedLines, taking_part: NDArray[np.bool_], size: int) -> Runs:
    for number, file in enumerate(lines.files):
        counts = [count for _, count, _, _ in file.hunks]
        yield from _runs(number, lines.removed_starts[number], counts, taking_part, size)


def _runs(number: int, start: int, counts: Sequence[int], taking_part: NDArray[np.bool_], size: int) -> Runs:
    for count in counts:
        if count >= size:
            members = start + np.flatnonzero(taking_part[start : start + count])
            if len(members) >= size:
                yield number, members
        start += count


def _spans(hunks: Sequence[Hunk], *, old: bool) -> list[tuple[int, int]]:
    """Half-open line ranges (from 0) of the hunks on one side."""
    if old:
        return [(s - 1, s - 1 + n) if n else (s, s) for s, n, _, _ in hunks]
    return [(s - 1, s - 1 + n) if n else (s, s) for _, _, s, n in hunks]
