"""Which files of a delivery are documents, whose blocks are no originals of code.

A plan or a text holds code before somebody writes it: the code is new where it stands to be run. Keep out: the index of
the blocks (`block_index`) and the search (`copied`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ingest.git.classify.block_index import PROSE
from ingest.git.classify.changed_lines import ChangedLines, FileVersions
from ingest.git.diff.hunks import Hunk
from ingest.git.lexing.languages import language_of


def prose_after(lines: ChangedLines) -> list[bool]:
    """Whether each file of a delivery is a document after it."""
    return [language_of(file.path).is_prose for file in lines.files]


def prose_before(lines: ChangedLines) -> list[bool]:
    """The same before it."""
    return [language_of(file.previous_path or file.path).is_prose for file in lines.files]


def whole_hunks(file: FileVersions) -> list[Hunk]:
    """One hunk of all lines, of a file that became a document or is none any more."""
    return [(1, len(file.old_ids), 1, len(file.new_ids))]


def quoted(
    hashed: NDArray[np.uint64],
    here: NDArray[np.int32],
    asked: NDArray[np.bool_],
    heavy: NDArray[np.bool_],
    places: list[int | None],
) -> NDArray[np.bool_]:
    """Windows of documents that repeat an earlier window of code of the same delivery."""
    found = np.zeros(len(hashed), bool)
    if not asked.any():
        return found
    first: dict[int, int] = {}
    for at in np.flatnonzero(heavy).tolist():
        first.setdefault(int(hashed[at]), at)
    for at in np.flatnonzero(asked).tolist():
        original = first.get(int(hashed[at] ^ PROSE), at)
        if original < at:
            found[at] = True
            if places[at] is None:
                places[at] = int(here[original])
    return found
