"""Classifier of the lines that a delivery added and removed.

First match wins: layout, moved, returned, copied, substituted, comment, novel. The class describes the line; SQL
decides its weight. Deliveries must come in mainline order, because returned, copied and substituted look back.
Authors are unknown here: rules about a developer's own lines are SQL over commits.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict, deque
from collections.abc import Sequence

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
    RETURNED,
    SUBSTITUTED,
    UNREAD,
    LineTable,
)
from ingest.git.lexing.line_features import BLANK
from ingest.git.lexing.line_features import COMMENT as COMMENT_LINE
from ingest.git.lexing.token_diff import own_tokens

DAY = 86_400
FRESH = 14 * DAY
"""Seconds of mainline time within which replacing a line is a change of mind, and substitutions add up."""
RETURN = 90 * DAY
"""Seconds within which a removed line that comes back is returned: one release cycle, an initial value."""
MAX_TOKENS, MAX_RANK = 31, 10
_FORGET_ABOVE = 100_000
"""Hashes in memory above which outdated ones are dropped."""


class Classifier:
    """Classes of lines, delivery by delivery. Times are mainline time in Unix seconds."""

    def __init__(self, store: LineTable) -> None:
        self.store = store
        self.blocks = TreeBlocks(store)
        self.times = array("q")
        """Mainline time of each delivery so far, by its position."""
        self.removed: dict[int, deque[tuple[int, int, int]]] = {}
        """Line hash → unclaimed removals (time, line id, number of the removing commit), oldest first."""
        self.replacements: dict[int, deque[int]] = {}
        """Hash of a word replacement → times of its instances within FRESH."""

        self._remembered = _FORGET_ABOVE

    def classify(self, files: Sequence[FileVersions], time: int, removers: Sequence[int]) -> ChangedLines:
        """Classify the lines of one delivery."""
        lines = ChangedLines(files, removers)
        lines.removed_fresh = self._is_fresh(lines.removed_ids, time)
        self._keep_layout(lines)
        self._claim_moved(lines)
        self._claim_returned(lines, time)
        self.blocks.find_copied(lines)
        self._find_substituted(lines, time)
        self._rank_the_rest(lines)
        self._count_own_tokens(lines)
        return lines

    def settle(self, lines: ChangedLines, time: int, credited: NDArray[np.int32]) -> None:
        """Remember a classified delivery, and mark its removed lines that still stand elsewhere.

        `credited` has the number of the commit of birth per added line.
        """
        self._store_added(lines, credited)
        self.times.append(time)
        self._remember_removed(lines, time)
        self.blocks.update(lines)
        self.blocks.mark_alive(lines, lines.removed_fresh)

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
                lines.removed_alive[removed] = True

    def _claim_returned(self, lines: ChangedLines, time: int) -> None:
        removed = self.removed
        for i in lines.open_lines():
            value = lines.hashes[i]
            if value not in removed:
                continue
            candidates = removed[value]
            while candidates and candidates[0][0] < time - RETURN:
                candidates.popleft()
            if candidates:
                _, source, remover = candidates.pop()
                lines.classes[i] = RETURNED
                lines.sources[i] = source
                lines.removals[i] = remover
            if not candidates:
                del removed[value]

    def _find_substituted(self, lines: ChangedLines, time: int) -> None:
        for number, file in enumerate(lines.files):
            first = lines.added_starts[number]
            for i, keys in sorted(file.lines.substitutions.items()):
                if lines.classes[first + i] != OPEN:
                    continue
                instance = min(self._count_instance(key, time) for key in keys)
                if instance > 1:
                    lines.classes[first + i] = SUBSTITUTED
                    lines.ranks[first + i] = min(instance, MAX_RANK)

    def _count_instance(self, key: int, time: int) -> int:
        times = self.replacements.setdefault(key, deque())
        while times and times[0] < time - FRESH:
            times.popleft()
        times.append(time)
        return len(times)

    def _rank_the_rest(self, lines: ChangedLines) -> None:
        seen: Counter[int] = Counter()
        for i in lines.open_lines():
            if lines.kinds[i] == COMMENT_LINE:
                lines.classes[i] = COMMENT
                continue
            lines.classes[i] = NOVEL
            if lines.heads[i]:
                seen[lines.shapes[i]] += 1
                lines.ranks[i] = min(seen[lines.shapes[i]], MAX_RANK)

    def _count_own_tokens(self, lines: ChangedLines) -> None:
        """Count tokens of lines that replace fresh lines, as if the fresh lines had never existed."""
        is_fresh = lines.removed_fresh.tolist()
        for number, file in enumerate(lines.files):
            first, first_removed = lines.added_starts[number], lines.removed_starts[number]
            blocks = array("i", file.lines.blocks)
            for at in range(0, len(blocks), 5):
                removed_start, removed_stop, added_start, _, recount = blocks[at : at + 5]
                if recount == NO_SOURCE:
                    continue
                start, stop = first_removed + removed_start, first_removed + removed_stop
                lines.removed_replaced[start:stop] = [True] * (stop - start)
                fresh = is_fresh[start:stop]
                if True in fresh:
                    own = own_tokens(file.lines.recounts[recount], fresh)
                    self._recount(lines, own, first + added_start, lines.removed_ids[start:stop], fresh)

    def _is_fresh(self, ids: LineIds, time: int) -> NDArray[np.bool_]:
        if not len(ids) or not self.times:
            return np.zeros(len(ids), bool)
        times = np.frombuffer(self.times, np.int64)[self.store["delivery"][ids]]
        is_fresh: NDArray[np.bool_] = (times >= time - FRESH) & (self.store["class"][ids] != UNREAD)
        return is_fresh

    def _recount(
        self, lines: ChangedLines, own: Sequence[int], first: int, ids: LineIds, fresh: list[bool]
    ) -> None:
        births = self.store["birth"][ids][fresh]
        commits = sorted(Counter(births.tolist()).items(), key=lambda c: (-c[1], self.store.commits[c[0]]))
        for i, tokens in enumerate(own, first):
            if min(tokens, MAX_TOKENS) != lines.tokens[i]:
                lines.own_tokens[i] = min(tokens, MAX_TOKENS)
                lines.replaced[i] = commits[0][0]

    def _store_added(self, lines: ChangedLines, credited: NDArray[np.int32]) -> None:
        store, ids = self.store, lines.added_ids
        if not len(ids):
            return
        small = {
            "size": lines.sizes,
            "kind": lines.kinds,
            "head": lines.heads,
            "class": bytes(lines.classes),
            "tokens": bytes(lines.tokens),
            "own_tokens": bytes(lines.own_tokens),
            "rank": bytes(lines.ranks),
        }
        store.assign(ids, {name: np.frombuffer(c, store[name].dtype) for name, c in small.items()})
        store.assign(ids, {"line": lines.hash_values, "shape": lines.shape_values, "birth": credited})
        store.assign(ids, {"delivery": np.full(len(ids), len(self.times), np.int32)})
        sources = np.asarray(lines.sources, np.int32)
        # An unreadable earlier line has no credit to carry on.
        carrying = (sources != NO_SOURCE) & (store["class"][sources] != UNREAD)
        if carrying.any():
            store.assign(ids[carrying], {name: store[name][sources[carrying]] for name in CREDIT})

    def _remember_removed(self, lines: ChangedLines, time: int) -> None:
        ids = lines.removed_ids
        hashes = self.store["line"][ids].tolist()
        kinds = self.store["kind"][ids].tolist()
        for i, line_id in enumerate(ids.tolist()):
            if kinds[i] != BLANK and not lines.removed_alive[i]:
                removals = self.removed.setdefault(hashes[i], deque())
                removals.append((time, line_id, lines.removers[i]))
        if len(self.removed) + len(self.replacements) > 2 * self._remembered:
            self._forget(time)

    def _forget(self, time: int) -> None:
        """Drop entries that no later delivery can claim. This only saves memory; no result depends on it."""
        for value in [v for v, removals in self.removed.items() if removals[-1][0] < time - RETURN]:
            del self.removed[value]
        for key in [k for k, times in self.replacements.items() if times[-1] < time - FRESH]:
            del self.replacements[key]
        self._remembered = max(len(self.removed) + len(self.replacements), _FORGET_ABOVE)
