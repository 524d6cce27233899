"""Authors of the lines around a possible fix: one row per file and commit that wrote such lines.

Keep out: the choice of these lines (`diff.context`), conclusions from them (dbt).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ingest.git.blame.file_tree import lookup
from ingest.git.blame.ownership import Ownership
from ingest.git.changes.commit_changes import FileChange
from ingest.lake.tables import Row


def context_rows(
    changes: Sequence[FileChange], ownership: Ownership, parent: str
) -> list[tuple[FileChange, Row]]:
    """Per changed file and author commit: the weight of its lines near the hunks, and its lines in their functions.

    `parent` is the commit before the change, which `ownership` still holds.
    """
    rows = []
    for change in changes:
        around = change.surroundings
        if around is None:
            continue
        ids = lookup(ownership.root(parent), change.previous_path or change.path)
        if len(ids) != around.lines:
            continue  # the difference that wrote the file was unreadable
        numbers = np.frombuffer(around.near + around.function, np.int32) - 1
        positions, authors = np.unique(ownership.births(ids[numbers]), return_inverse=True)
        nearby = len(around.near) // numbers.itemsize
        weights = np.frombuffer(around.weights, np.int32)
        # Sums of whole numbers are exact: weights are millionths, of lines that all have numbers of 32 bits.
        near = np.bincount(authors[:nearby], weights, len(positions)).astype(np.int64).tolist()
        function = np.bincount(authors[nearby:], minlength=len(positions)).tolist()
        found = zip(positions.tolist(), near, function, strict=True)
        named = sorted((ownership.born_commits[position], position, *counts) for position, *counts in found)
        rows += [(change, (origin, *counts)) for origin, _, *counts in named]
    return rows
