"""Authors of the lines around a possible fix: one row per file and commit that wrote such lines.

Keep out: the choice of these lines (`diff.context`), conclusions from them (dbt).
"""

from __future__ import annotations

from array import array
from collections import Counter
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
        positions = ownership.births(ids[numbers]).tolist()
        weights = array("i", around.weights)
        near, function = Counter[int](), Counter(positions[len(weights) :])
        for position, weight in zip(positions, weights, strict=False):
            near[position] += weight
        named = sorted((ownership.born_commits[position], position) for position in {*near, *function})
        rows += [(change, (origin, near[position], function[position])) for origin, position in named]
    return rows
