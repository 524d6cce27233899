"""The changed lines of one delivery in columns, file by file, during classification.

Columns are bytes and arrays that both engines read and write in place. Keep out: the rules (`classifier`, `copied`).
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np

from ingest.git.blame.file_tree import NO_LINES, LineIds
from ingest.git.changes.file_lines import NO_SOURCE, FileLines
from ingest.git.classify.block_index import Hashes
from ingest.git.classify.line_table import OPEN
from ingest.git.diff.hunks import Hunk

NO_PLACE = -1


@dataclass(slots=True)
class FileVersions:
    """One delivered file: its lines on the mainline before and after, and the facts that a worker read from them."""

    path: str
    previous_path: str | None
    old_ids: LineIds
    new_ids: LineIds
    added_ids: LineIds
    removed_ids: LineIds
    hunks: Sequence[Hunk]
    lines: FileLines
    born: LineIds
    """Ownership ids of the added lines, or of all new lines where `is_unread`."""
    gone: LineIds
    """Ownership ids of the removed lines."""
    is_unread: bool = False
    """The lines after the change could not be read."""


class ChangedLines:
    """The lines of one delivery in parallel columns, all files in the order of `provenance.reading_order`.

    `removers` has the number of the removing commit for each removed line. Flags are bytes of 0 and 1.
    """

    def __init__(self, files: Sequence[FileVersions], removers: array[int]) -> None:
        self.files = files
        self.removers = removers
        self.added_ids = _join([f.added_ids for f in files])
        self.removed_ids = _join([f.removed_ids for f in files])
        self.born = _join([f.born for f in files if not f.is_unread])
        """Ownership ids of the added lines."""
        self.added_starts = array("i", accumulate([len(f.added_ids) for f in files], initial=0))
        self.removed_starts = array("i", accumulate([len(f.removed_ids) for f in files], initial=0))
        # The columns of `FileLines` that have a number a line, in its order.
        (
            self.kinds,
            self.heads,
            self.tokens,
            self.sizes,
            self.line_hashes,
            self.line_shapes,
            self.is_layout,
            self.layout_from,
            self.removed_gone,
            self.removed_layout,
        ) = map(b"".join, zip(*[f.lines[:10] for f in files], strict=True)) if files else [b""] * 10
        self.in_tests = b"".join([f.lines.in_tests or bytes(len(f.added_ids)) for f in files])
        self.own_tokens = bytearray(self.tokens)
        count = len(self.added_ids)
        self.classes = bytearray([OPEN]) * count
        self.ranks = bytearray([1]) * count
        self.sources = array("i", [NO_SOURCE]) * count
        """For each added line the id of the line that it inherits credit from."""
        self.removals = array("i", [NO_SOURCE]) * count
        """For returned lines: number of the commit of the removal that they claim."""
        self.replaced = array("i", [NO_SOURCE]) * count
        """Number of the commit of the replaced fresh lines, where they change the token count."""
        self.copied_from = array("i", [NO_PLACE]) * count
        """For copied lines: number of the path of a file that contains the block, where one is known."""
        self.removed_alive = bytearray(self.removed_layout)
        """The line lives on elsewhere: laid out anew, moved, or (set at the end) in a block that still stands."""
        self.removed_fresh = bytearray(len(self.removed_ids))
        """The line is so young that its removal counts as a change of mind."""
        self.removed_replaced = bytearray(len(self.removed_ids))

    @cached_property
    def hash_values(self) -> Hashes:
        return np.frombuffer(self.line_hashes, np.uint64)

    @cached_property
    def shape_values(self) -> Hashes:
        return np.frombuffer(self.line_shapes, np.uint64)

    @cached_property
    def hashes(self) -> list[int]:
        found: list[int] = self.hash_values.tolist()
        return found

    @cached_property
    def shapes(self) -> list[int]:
        found: list[int] = self.shape_values.tolist()
        return found

    def added_of(self, file: int) -> range:
        return range(self.added_starts[file], self.added_starts[file + 1])

    def removed_of(self, file: int) -> range:
        return range(self.removed_starts[file], self.removed_starts[file + 1])

    def open_lines(self) -> list[int]:
        """Indexes of the added lines without a matching rule so far."""
        return [i for i, c in enumerate(self.classes) if c == OPEN]


def _join(parts: Sequence[LineIds]) -> LineIds:
    return np.concatenate(parts) if parts else NO_LINES
