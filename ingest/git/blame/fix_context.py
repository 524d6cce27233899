"""Which commits wrote the surroundings of a change that may be a fix: a file's row per commit of origin.

Keep out: which lines surround a change (`surroundings`), and what follows from it (dbt).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from ingest.git.blame.ownership import LineIds, Ownership, lookup
from ingest.git.changes.commit_changes import FileChange
from ingest.lake.tables import Row


def context_rows(
    changes: Sequence[FileChange], ownership: Ownership, parent: str
) -> list[tuple[FileChange, Row]]:
    """Per changed file and origin: the weight of its lines near the hunks, its lines in their functions.

    `parent` is the commit before the change, which `ownership` still holds.
    """
    rows = []
    for change in changes:
        around = change.surroundings
        if around is None:
            continue
        ids = lookup(ownership.root(parent), change.previous_path or change.path)
        if len(ids) != around.lines:
            continue  # its difference could not be read where the file was written
        near, function = Counter[str](), Counter[str]()
        for (_, weight), origin in zip(around.near.items(), _names(ids, around.near, ownership), strict=True):
            near[origin] += weight
        function.update(_names(ids, around.function, ownership))
        rows += [(change, (origin, near[origin], function[origin])) for origin in sorted({*near, *function})]
    return rows


def _names(ids: LineIds, numbers: Iterable[int], ownership: Ownership) -> list[str]:
    """Commits of origin of lines by number."""
    positions = ownership.births(ids[np.fromiter(numbers, np.int64) - 1])
    return [ownership.born_commits[position] for position in positions.tolist()]
