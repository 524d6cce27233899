"""Authors of the lines around a possible fix: one row per file and commit that wrote such lines.

Keep out: the choice of these lines (`diff.context`), conclusions from them (dbt).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from ingest.git.blame.file_tree import LineIds, lookup
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
        near, function = Counter[str](), Counter[str]()
        for (_, weight), origin in zip(around.near.items(), _names(ids, around.near, ownership), strict=True):
            near[origin] += weight
        function.update(_names(ids, around.function, ownership))
        rows += [(change, (origin, near[origin], function[origin])) for origin in sorted({*near, *function})]
    return rows


def _names(ids: LineIds, numbers: Iterable[int], ownership: Ownership) -> list[str]:
    """The commits that wrote the lines with these numbers."""
    positions = ownership.births(ids[np.fromiter(numbers, np.int64) - 1])
    return [ownership.born_commits[position] for position in positions.tolist()]
