"""A table of all lines: their facts by line id, in columns that grow.

A line that a later change only moved, reformatted or restored keeps the credit of the line it came from, so that its
removal is charged to the commit that earned the credit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ingest.git.blame.file_tree import LineIds

CLASSES = ("layout", "moved", "returned", "copied", "substituted", "comment", "novel", "unread")
LAYOUT, MOVED, RETURNED, COPIED, SUBSTITUTED, COMMENT, NOVEL, UNREAD = range(8)
OPEN = 255
"""Class of a line that no rule has matched yet."""

COLUMNS: dict[str, type[np.generic]] = {
    "line": np.uint64,  # hash of the normalised physical line
    "shape": np.uint64,  # hash of the logical line with identifiers abstracted
    "size": np.uint8,  # tokens of the logical line, at its first physical line
    "kind": np.uint8,  # BLANK, COMMENT or CODE of lexing.line_features
    "head": np.bool_,  # first physical line of its logical line
    "class": np.uint8,  # position in CLASSES at delivery
    "tokens": np.uint8,
    "own_tokens": np.uint8,
    "rank": np.uint8,
    "in_test": np.bool_,  # inside a test construct of a source file
    "birth": np.int32,  # position in LineTable.commits
    "delivery": np.int32,  # position of the delivery that brought it
}
CREDIT = ("class", "tokens", "own_tokens", "rank", "in_test", "birth", "delivery")
"""Columns that a line inherits from the line that it came from."""

_UNREAD = {"class": UNREAD, "rank": 1}


class LineTable:
    """The columns COLUMNS by line id, and the list of commits that `birth` points into.

    Each line of each delivery gets a new id; a line that comes back gets another one. The ids of line ownership do
    not fit: there a merge can restore a line under its old id, put one id into two files, or change the id of an
    unchanged line.
    """

    def __init__(self) -> None:
        self.lines = 0
        """Number of ids assigned."""
        self.commits: list[str] = []
        self._position: dict[str, int] = {}
        self.columns = {name: np.full(1024, _UNREAD.get(name, 0), kind) for name, kind in COLUMNS.items()}

    def __getitem__(self, column: str) -> NDArray[Any]:
        return self.columns[column]

    def reserve(self, lines: int) -> LineIds:
        """New ids. They count as unread lines until facts are assigned."""
        first, self.lines = self.lines, self.lines + lines
        size = len(self.columns["line"])
        if self.lines > size:
            target = max(self.lines, size + size // 2)
            for name, column in self.columns.items():
                grown = np.full(target, _UNREAD.get(name, 0), column.dtype)
                grown[:size] = column
                self.columns[name] = grown
        return np.arange(first, self.lines, dtype=np.int32)

    def position(self, sha: str) -> int:
        """Number of a commit."""
        found = self._position.get(sha)
        if found is None:
            found = self._position[sha] = len(self.commits)
            self.commits.append(sha)
        return found

    def select(self, ids: NDArray[np.integer]) -> dict[str, NDArray[Any]]:
        return {name: column[ids] for name, column in self.columns.items()}

    def assign(self, ids: LineIds, values: Mapping[str, NDArray[np.generic]]) -> None:
        for name, column in values.items():
            self.columns[name][ids] = column
