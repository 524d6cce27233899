"""The classifier with its rules compiled: the oracle of each method here is the method that it replaces.

State passes between both through checkpoints. Keep out: the rules themselves (`classifier`, `copied`).
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ingest.git import native
from ingest.git.classify.block_index import BlockIndex, Hashes
from ingest.git.classify.changed_lines import ChangedLines, FileVersions
from ingest.git.classify.classifier import Classifier, Removals, Replacement
from ingest.git.classify.copied import TreeBlocks
from ingest.git.classify.document_blocks import prose_after, prose_before, whole_hunks
from ingest.git.classify.line_table import COPIED, LineTable
from ingest.git.classify.returned import BLOCK_LINES, BLOCK_RETURN, MOST_CANDIDATES, RETURN

Hunks = tuple[bytes, bytes]
"""The hunks of all files of a delivery as one column, and the number of each file's first hunk."""


def classifier_class() -> type[Classifier]:
    """The classifier of this process's engine."""
    return Classifier if native.load("_delivery") is None else CompiledClassifier


def _kernel(name: str) -> ModuleType:
    found = native.load(name)
    assert found is not None
    return found


class CompiledIndex(BlockIndex):
    """The checkpoint of a block index of the kernel, which `CompiledBlocks` asks directly."""

    def __init__(self, kernel: Any) -> None:
        super().__init__()
        self._kernel = kernel

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        hashes, counts, places = self._kernel.columns()
        keys = np.frombuffer(hashes, np.uint64)
        order = keys.argsort()
        counts, places = np.frombuffer(counts, np.int32), np.frombuffer(places, np.int32)
        return {"hashes": keys[order], "counts": counts[order], "places": places[order]}

    def restore(self, hashes: Hashes, counts: NDArray[np.int32], places: NDArray[np.int32]) -> None:
        self._kernel.restore(hashes, counts, places)


class CompiledBlocks(TreeBlocks):
    """The blocks of the tree with compiled indexes."""

    def __init__(self, store: LineTable) -> None:
        super().__init__(store)
        index, self._flatten = _kernel("_delivery").BlockIndex, _kernel("_delivery").flatten
        self._kernels: list[Any] = []
        for grain in self.grains.values():
            self._kernels.append(index(grain.window, grain.least_tokens, grain.column == "shape"))
            grain.index = CompiledIndex(self._kernels[-1])
        self.hunks: Hunks = b"", b""

    def _search(self, lines: ChangedLines, places: Sequence[int]) -> None:
        for kernel in self._kernels:
            kernel.find_copied(lines, *self.hunks, array("i", places), bytes(prose_after(lines)))
        if COPIED in lines.classes:
            self._spread(lines)

    def mark_alive(self, lines: ChangedLines) -> None:
        by_line, _ = self._kernels
        by_line.mark_alive(self._store.columns, lines, *self.hunks)

    def _follow(self, lines: ChangedLines, places: Sequence[int]) -> None:
        before, after = prose_before(lines), prose_after(lines)
        hunks = self.hunks
        if before != after:
            spans = zip(lines.files, before, after, strict=True)
            hunks = self._flatten(
                [whole_hunks(file) if was != now else file.hunks for file, was, now in spans]
            )
        for kernel in self._kernels:
            kernel.update(self._store.columns, lines, *hunks, array("i", places), bytes(before), bytes(after))


class CompiledClassifier(Classifier):
    """The classifier with compiled rules and removals."""

    blocks: CompiledBlocks

    def __init__(self, store: LineTable) -> None:
        super().__init__(store)
        self._kernel, self._tokens = _kernel("_delivery"), _kernel("_changes")
        self.blocks = CompiledBlocks(store)
        self._gone = self._kernel.Removals()

    def _removals(self) -> Removals:
        # The kernel has the newest removal of a hash first.
        hashes, times, lines, commits, places = self._gone.columns()
        return (
            np.frombuffer(hashes, np.uint64)[::-1],
            np.frombuffer(times, np.int64)[::-1],
            np.frombuffer(lines, np.int32)[::-1],
            np.frombuffer(commits, np.int32)[::-1],
            np.frombuffer(places, np.int32)[::-1],
        )

    def restore_removals(self, removals: Removals) -> None:
        self._gone.restore(*map(np.ascontiguousarray, removals))

    def classify(self, files: Sequence[FileVersions], time: int, removers: array[int]) -> ChangedLines:
        self.blocks.hunks = self._kernel.flatten([file.hunks for file in files])
        return super().classify(files, time, removers)

    def _keep_layout(self, lines: ChangedLines) -> None:
        self._kernel.keep_layout(lines)

    def _claim_moved(self, lines: ChangedLines) -> None:
        self._kernel.claim_moved(self.store.columns, lines)

    def _claim_returned(self, lines: ChangedLines, time: int) -> None:
        self._gone.claim(lines, time - RETURN)
        self._gone.claim_blocks(lines, time - BLOCK_RETURN, BLOCK_LINES, MOST_CANDIDATES)

    def _rank_the_rest(self, lines: ChangedLines) -> None:
        self._kernel.rank(lines)

    def _mark_replaced(self, lines: ChangedLines) -> list[Replacement]:
        found: list[Replacement] = self._kernel.mark_replaced(lines)
        return found

    def _own_tokens(self, recount: bytes, fresh: bytes) -> bytes:
        found: bytes = self._tokens.own_tokens(recount, fresh)
        return found

    def _store_added(self, lines: ChangedLines, credited: NDArray[np.int32]) -> None:
        if len(lines.added_ids):
            self._kernel.store_added(self.store.columns, lines, credited, len(self.times))

    def _remember(self, lines: ChangedLines, time: int, places: array[int]) -> None:
        self._gone.remember(self.store.columns, lines, time, places)

    def _hashes_in_memory(self) -> int:
        return len(self._gone) + len(self.replacements)

    def _forget_removals(self, before: int) -> None:
        self._gone.forget(before)
