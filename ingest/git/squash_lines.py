"""The lines of a squash by the commits whose work it brings.

The commits are taken in as those of a merged branch, with the same rules for credit (`classify.branch_credit`), and the
lines of the squash are looked up in the merge that it might have been. Keep out: which commits these are (`squashes`),
and the classes of the lines, which those of the delivery are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from ingest.git.blame.file_tree import LineIds, lookup
from ingest.git.blame.ownership import Ownership, PathChange
from ingest.git.blame.replay import path_change
from ingest.git.changes.commit_changes import CommitChanges, FileChange
from ingest.git.classify.branch_credit import BranchCredit, branch_files
from ingest.git.classify.changed_lines import ChangedLines
from ingest.git.classify.line_table import CLASSES, LineTable
from ingest.git.rows.histograms import WEIGHING, Credit, Histogram, tally
from ingest.git.squashes import Squash
from ingest.lake.tables import Row

_NOBODY = -1
_FLAGS = {0: False, 1: True}


class SquashLines:
    """The lines of one squash, which `ownership` has just taken in with the ids `born`.

    `read` are the changes of its sources and of its merge, in order; `changes` are its own.
    """

    def __init__(
        self,
        squash: Squash,
        ownership: Ownership,
        read: Sequence[CommitChanges],
        changes: Sequence[PathChange],
        born: range,
    ) -> None:
        self._squash, self._ownership, self._born = squash, ownership, born
        self._branch = BranchCredit(ownership.next_id)
        self._numbers = {commit.sha: number for number, commit in enumerate(squash.sources)}
        self._removers: dict[int, int] = {}
        """Line of the mainline → number of the first source that removed it."""
        for commit, result in zip((*squash.sources, squash.merge), read, strict=True):
            self._take_in(commit.sha, commit.parents, result)
        self._twins = self._find_twins(changes)
        ownership.release(squash.merge.sha)

    def _take_in(self, name: str, parents: tuple[str, ...], result: CommitChanges) -> None:
        ownership = self._ownership
        own = [path_change(change, parents) for change in result.own]
        if name == self._squash.merge.sha:
            ownership.hold(name)
        removed = ownership.advance(name, own, parents, result.plan)
        for _, ids in removed:
            for line in ids.tolist():
                self._removers.setdefault(line, self._numbers[name])
        if len(parents) <= 1:
            self._branch.add(branch_files(ownership.root(name), result.own, dict(removed)))

    def _find_twins(self, changes: Sequence[PathChange]) -> LineIds:
        """For each line of the squash, from the first one on, the same line of the merge; -1 for none."""
        twins = np.full(len(self._born), _NOBODY, np.int32)
        root, merged = self._ownership.root(self._squash.sha), self._ownership.root(self._squash.merge.sha)
        for change in changes:
            if change.status != "D":
                mine, theirs = lookup(root, change.path), lookup(merged, change.path)
                is_own = self._is_own(mine)
                if len(mine) == len(theirs):
                    twins[mine[is_own] - self._born.start] = theirs[is_own]
        return twins

    def _is_own(self, ids: LineIds) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = (ids >= self._born.start) & (ids < self._born.stop)
        return found

    def rows(
        self, lines: ChangedLines, given: Credit, changes: Sequence[FileChange], store: LineTable
    ) -> list[tuple[FileChange, Row]]:
        """Per file and source: squash, source, lines that it removed, histogram of its lines that weigh."""
        added = tally(
            [self._sources(lines, given)],
            [lines.classes, lines.tokens, lines.ranks, lines.in_tests],
            [dict(enumerate(CLASSES)), None, None, _FLAGS],
            lines.added_starts,
        )
        removed = self._removed(lines, store)
        rows = []
        for change, groups, gone in zip(changes, added, removed, strict=True):
            written: Mapping[int, Histogram] = {number: histogram for (number,), histogram in groups}
            for number in sorted((written.keys() | gone.keys()) - {_NOBODY}):
                source = self._squash.source_of(self._squash.sources[number].sha)
                rows.append((change, (self._squash.sha, source, gone[number], written.get(number, []))))
        return rows

    def _sources(self, lines: ChangedLines, given: Credit) -> NDArray[np.int32]:
        """Number of the source per added line that weighs."""
        found = np.full(len(given.holders), _NOBODY, np.int32)
        own = np.flatnonzero(self._is_own(given.holders) & WEIGHING[np.frombuffer(lines.classes, np.uint8)])
        twins = self._twins[given.holders[own] - self._born.start]
        own, twins = own[twins >= 0], twins[twins >= 0]
        if len(own):
            held = self._branch.sources(twins)
            births = self._ownership.births(twins if held is None else held)
            names = self._ownership.born_commits
            numbers = {at: self._numbers.get(names[at], _NOBODY) for at in set(births.tolist())}
            found[own] = [numbers[at] for at in births.tolist()]
        return found

    def _removed(self, lines: ChangedLines, store: LineTable) -> list[Counter[int]]:
        """Per file the lines by number of the source that removed them, of those that may count as removed."""
        weighed = WEIGHING[store["class"][lines.removed_ids]] & (store["tokens"][lines.removed_ids] > 0)
        counting = (
            weighed & np.frombuffer(lines.removed_gone, bool) & ~np.frombuffer(lines.removed_alive, bool)
        )
        found = []
        for number, file in enumerate(lines.files):
            removed = file.gone[counting[lines.removed_starts[number] : lines.removed_starts[number + 1]]]
            counts = Counter(self._removers.get(line, _NOBODY) for line in removed.tolist())
            found.append(counts)
        return found
