"""Classifier of the lines that a delivery added and removed.

First match wins: layout, moved, returned, copied, substituted, comment, novel. The class describes the line; SQL
decides its weight. Deliveries must come in mainline order, because returned, copied and substituted look back.
Authors are unknown here: rules about a developer's own lines are SQL over commits.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ingest.git.blame.file_tree import LineIds
from ingest.git.changes.file_lines import NO_SOURCE
from ingest.git.classify.changed_lines import ChangedLines, FileVersions
from ingest.git.classify.copied import TreeBlocks
from ingest.git.classify.line_table import (
    COMMENT,
    CREDIT,
    LAYOUT,
    MOVED,
    NOVEL,
    OPEN,
    SUBSTITUTED,
    UNREAD,
    LineTable,
)
from ingest.git.classify.returned import BLOCK_RETURN, Removed, claim_returned, removed_places
from ingest.git.classify.reworded import claim_reworded
from ingest.git.lexing.line_features import BLANK
from ingest.git.lexing.line_features import COMMENT as COMMENT_LINE
from ingest.git.lexing.token_diff import own_tokens

Ids = NDArray[np.int32]
Removals = tuple[NDArray[np.uint64], NDArray[np.int64], Ids, Ids, Ids]
"""Line hash, time of the removal, line id, number of the removing commit and place, as columns."""

Replacement = tuple[int, int, int, int, int]
"""A block on both sides: number of its file, its recount, start and stop of its removed lines, first added line."""

DAY = 86_400
FRESH = 14 * DAY
"""Seconds of mainline time within which replacing a line is a change of mind, and substitutions add up."""
MAX_RANK = 10
_FORGET_ABOVE = 100_000
"""Hashes in memory above which outdated ones are dropped."""


class Classifier:
    """Classes of lines, delivery by delivery. Times are mainline time in Unix seconds."""

    def __init__(self, store: LineTable) -> None:
        self.store = store
        self.blocks = TreeBlocks(store)
        self.times = array("q")
        """Mainline time of each delivery so far, by its position."""
        self.removed: Removed = {}
        self.replacements: dict[int, tuple[int, ...]] = {}
        """Hash of a replacement → times of its last instances within FRESH, at most MAX_RANK: most have one."""

        self._remembered = _FORGET_ABOVE

    def removals(self) -> Removals:
        """The unclaimed removals that a later delivery may still claim, in the order of their hashes."""
        found = self._removals()
        since = (self.times[-1] if self.times else 0) - BLOCK_RETURN
        kept = np.flatnonzero(found[1] >= since)
        order = kept[np.argsort(found[0][kept], kind="stable")]
        hashes, times, lines, commits, places = found
        return hashes[order], times[order], lines[order], commits[order], places[order]

    def _removals(self) -> Removals:
        """All unclaimed removals, the oldest of a hash first."""
        rows = [(value, *entry) for value, entries in self.removed.items() for entry in entries]
        columns = zip(*rows, strict=True) if rows else ((), (), (), (), ())
        hashes, times, lines, commits, places = columns
        return (
            np.asarray(hashes, np.uint64),
            np.asarray(times, np.int64),
            np.asarray(lines, np.int32),
            np.asarray(commits, np.int32),
            np.asarray(places, np.int32),
        )

    def restore_removals(self, removals: Removals) -> None:
        """Take unclaimed removals, the oldest of a hash first."""
        for value, *entry in zip(*(column.tolist() for column in removals), strict=True):
            time, line_id, commit, place = entry
            self.removed.setdefault(value, deque()).append((time, line_id, commit, place))

    def replaced_words(self) -> Iterator[tuple[int, int]]:
        """Hash and time of each replacement that a later delivery may still count, in order of both."""
        since = (self.times[-1] if self.times else 0) - FRESH
        yield from sorted((k, t) for k, times in self.replacements.items() for t in times if t >= since)

    def classify(self, files: Sequence[FileVersions], time: int, removers: array[int]) -> ChangedLines:
        """Classify the lines of one delivery."""
        lines = ChangedLines(files, removers)
        lines.removed_fresh = bytearray(self._is_fresh(lines.removed_ids, time).tobytes())
        self._keep_layout(lines)
        self._claim_moved(lines)
        self._claim_returned(lines, time)
        claim_reworded(lines)
        self.blocks.find_copied(lines)
        continued = self._find_substituted(lines, time)
        self._rank_the_rest(lines)
        self._count_own_tokens(lines)
        self._keep_credit(lines, continued)
        return lines

    def settle(self, lines: ChangedLines, time: int, credited: NDArray[np.int32]) -> None:
        """Remember a classified delivery, and mark its removed lines that still stand elsewhere.

        `credited` has the number of the commit of birth per added line.
        """
        self._store_added(lines, credited)
        self.times.append(time)
        self._remember_removed(lines, time)
        self.blocks.update(lines)
        self.blocks.mark_alive(lines)

    def _keep_layout(self, lines: ChangedLines) -> None:
        for number, file in enumerate(lines.files):
            first, first_removed = lines.added_starts[number], lines.removed_starts[number]
            layout_from = array("i", file.lines.layout_from)
            for i, is_layout in enumerate(file.lines.is_layout):
                if is_layout:
                    lines.classes[first + i] = LAYOUT
                    source = layout_from[i]
                    if source != NO_SOURCE:
                        lines.sources[first + i] = int(lines.removed_ids[first_removed + source])

    def _claim_moved(self, lines: ChangedLines) -> None:
        kinds = self.store["kind"][lines.removed_ids].tolist()
        hashes = self.store["line"][lines.removed_ids].tolist()
        waiting: dict[int, deque[int]] = defaultdict(deque)
        for i, value in enumerate(hashes):
            if kinds[i] != BLANK and not lines.removed_layout[i]:
                waiting[value].append(i)
        if not waiting:
            return
        for i in lines.open_lines():
            candidates = waiting.get(lines.hashes[i])
            if candidates:
                removed = candidates.popleft()
                lines.classes[i] = MOVED
                lines.sources[i] = int(lines.removed_ids[removed])
                lines.removed_alive[removed] = 1

    def _claim_returned(self, lines: ChangedLines, time: int) -> None:
        claim_returned(lines, self.removed, time)

    def _find_substituted(self, lines: ChangedLines, time: int) -> list[tuple[int, int]]:
        """Classify lines with replaced words or signs. Returns those that continue a fresh line, with that line."""
        continued = []
        for number, file in enumerate(lines.files):
            if not file.lines.substitutions:
                continue
            first, first_removed = lines.added_starts[number], lines.removed_starts[number]
            for i, (theirs, *keys) in sorted(file.lines.substitutions.items()):
                if lines.classes[first + i] != OPEN:
                    continue
                instance = self._count_instances(keys, time)
                if instance == 1:
                    continue
                lines.classes[first + i] = SUBSTITUTED
                lines.ranks[first + i] = instance
                removed = first_removed + theirs
                if lines.removed_fresh[removed] and not lines.removed_alive[removed]:
                    continued.append((first + i, removed))
                    lines.removed_alive[removed], lines.removed_fresh[removed] = 1, 0
        return continued

    def _keep_credit(self, lines: ChangedLines, continued: Sequence[tuple[int, int]]) -> None:
        """Let lines inherit the credit of the fresh lines whose words they replace. Their author has no new tokens."""
        births = self.store["birth"]
        for i, removed in continued:
            source = int(lines.removed_ids[removed])
            lines.sources[i] = source
            lines.own_tokens[i] = 0
            lines.replaced[i] = int(births[source]) if lines.tokens[i] else NO_SOURCE

    def _count_instances(self, keys: Sequence[int], time: int) -> int:
        """Note an instance of each key. Returns the number of the one that is rarest so far, at most MAX_RANK."""
        fewest, once, known = MAX_RANK, (time,), self.replacements
        for key in keys:
            times = known.get(key)
            if times is None:
                known[key], fewest = once, 1
                continue
            if times[0] < time - FRESH:
                times = tuple(earlier for earlier in times if earlier >= time - FRESH)
            known[key] = (*times[1 - MAX_RANK :], time)
            fewest = min(fewest, len(times) + 1)
        return fewest

    def _rank_the_rest(self, lines: ChangedLines) -> None:
        seen: Counter[int] = Counter()
        for i in lines.open_lines():
            is_comment = lines.kinds[i] == COMMENT_LINE
            lines.classes[i] = COMMENT if is_comment else NOVEL
            # The shape of a comment is its text: a header in many files is one text.
            if is_comment or lines.heads[i]:
                seen[lines.shapes[i]] += 1
                lines.ranks[i] = min(seen[lines.shapes[i]], MAX_RANK)

    def _count_own_tokens(self, lines: ChangedLines) -> None:
        """Count tokens of lines that replace fresh lines, as if the fresh lines had never existed."""
        for file, recount, start, stop, first in self._mark_replaced(lines):
            fresh = bytes(lines.removed_fresh[start:stop])
            own = self._own_tokens(lines.files[file].lines.recounts[recount], fresh)
            if own != lines.tokens[first : first + len(own)]:
                self._recount(lines, own, first, lines.removed_ids[start:stop], fresh)

    def _mark_replaced(self, lines: ChangedLines) -> list[Replacement]:
        """Mark the removed lines that others replace. Returns the blocks in which some of them are fresh."""
        found = []
        for number, file in enumerate(lines.files):
            first, first_removed = lines.added_starts[number], lines.removed_starts[number]
            blocks = array("i", file.lines.blocks)
            for at in range(0, len(blocks), 5):
                removed_start, removed_stop, added_start, _, recount = blocks[at : at + 5]
                if recount == NO_SOURCE:
                    continue
                start, stop = first_removed + removed_start, first_removed + removed_stop
                lines.removed_replaced[start:stop] = b"\1" * (stop - start)
                if 1 in lines.removed_fresh[start:stop]:
                    found.append((number, recount, start, stop, first + added_start))
        return found

    def _own_tokens(self, recount: bytes, fresh: bytes) -> bytes:
        return bytes(own_tokens(recount, list(map(bool, fresh))))

    def _is_fresh(self, ids: LineIds, time: int) -> NDArray[np.bool_]:
        if not len(ids) or not self.times:
            return np.zeros(len(ids), bool)
        times = np.frombuffer(self.times, np.int64)[self.store["delivery"][ids]]
        is_fresh: NDArray[np.bool_] = (times >= time - FRESH) & (self.store["class"][ids] != UNREAD)
        return is_fresh

    def _recount(self, lines: ChangedLines, own: bytes, first: int, ids: LineIds, fresh: bytes) -> None:
        births = self.store["birth"][ids][np.frombuffer(fresh, bool)]
        commits = sorted(Counter(births.tolist()).items(), key=lambda c: (-c[1], self.store.commits[c[0]]))
        for i, tokens in enumerate(own, first):
            if tokens != lines.tokens[i]:
                lines.own_tokens[i] = tokens
                lines.replaced[i] = commits[0][0]

    def _store_added(self, lines: ChangedLines, credited: NDArray[np.int32]) -> None:
        store, ids = self.store, lines.added_ids
        if not len(ids):
            return
        small: dict[str, bytes | bytearray] = {
            "size": lines.sizes,
            "kind": lines.kinds,
            "head": lines.heads,
            "class": lines.classes,
            "tokens": lines.tokens,
            "own_tokens": lines.own_tokens,
            "rank": lines.ranks,
            "in_test": lines.in_tests,
        }
        store.assign(ids, {name: np.frombuffer(c, store[name].dtype) for name, c in small.items()})
        store.assign(ids, {"line": lines.hash_values, "shape": lines.shape_values, "birth": credited})
        store.assign(ids, {"delivery": np.full(len(ids), len(self.times), np.int32)})
        sources = np.frombuffer(lines.sources, np.int32)
        # An unreadable earlier line has no credit to carry on.
        carrying = (sources != NO_SOURCE) & (store["class"][sources] != UNREAD)
        if carrying.any():
            store.assign(ids[carrying], {name: store[name][sources[carrying]] for name in CREDIT})

    def _remember_removed(self, lines: ChangedLines, time: int) -> None:
        self._remember(lines, time, removed_places(lines, self.store["kind"][lines.removed_ids]))
        if self._hashes_in_memory() > 2 * self._remembered:
            self._forget(time)

    def _remember(self, lines: ChangedLines, time: int, places: array[int]) -> None:
        ids = lines.removed_ids
        hashes = self.store["line"][ids].tolist()
        kinds = self.store["kind"][ids].tolist()
        for i, line_id in enumerate(ids.tolist()):
            if kinds[i] != BLANK and not lines.removed_alive[i]:
                removals = self.removed.setdefault(hashes[i], deque())
                removals.append((time, line_id, lines.removers[i], places[i]))

    def _hashes_in_memory(self) -> int:
        return len(self.removed) + len(self.replacements)

    def _forget(self, time: int) -> None:
        """Drop entries that no later delivery can claim. This only saves memory; no result depends on it."""
        self._forget_removals(time - BLOCK_RETURN)
        for key in [k for k, times in self.replacements.items() if times[-1] < time - FRESH]:
            del self.replacements[key]
        self._remembered = max(self._hashes_in_memory(), _FORGET_ABOVE)

    def _forget_removals(self, before: int) -> None:
        for value in [v for v, removals in self.removed.items() if removals[-1][0] < before]:
            del self.removed[value]
