"""Finds the known library that published most lines of a text.

The index has three columns, sorted by the first: the number of a line, its library, and the day (since 1970) on which
the library first published it. Lines that several unrelated libraries have are not in it. No text of others is.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from ingest.git.published.compared_lines import SHARE, Numbers, compared_lines, different_lines
from ingest.git.published.manifests import is_manifest, named_library

FOLDER: Final = Path(__file__).parent
LINES, NAMES = "lines.bin", "libraries.json"
ROW_BYTES: Final = 8

FEWEST_LINES: Final = 10
"""Compared lines below which a likeness may be chance."""
FEWEST_ADDED: Final = 40
"""Added lines below which a change is not compared: a quarter of them are."""
_KNOWN_SHARE: Final = 0.6
_ONE_LIBRARY: Final = 0.5
"""Share of the known lines that one library must have."""
_COMPARED_SHARE: Final = 0.33
"""Share of the different lines of a text that can be compared: less says nothing about the rest."""
SECONDS_A_DAY: Final = 86_400


class KnownLibrary(NamedTuple):
    """A library that has lines of a text. Counts are of compared lines that say more than a fact.

    The library had `published` lines before the day of the text, and published `later` ones on that day or after it.
    All counts are 0 where the text is a manifest that names the library.
    """

    name: str
    published: int = 0
    later: int = 0
    compared: int = 0


class LibraryIndex:
    """Lines of known libraries."""

    def __init__(
        self,
        names: Sequence[str],
        numbers: Numbers,
        libraries: npt.NDArray[np.uint16],
        days: npt.NDArray[np.uint16],
    ) -> None:
        self.names = names
        self._numbers, self._libraries, self._days = numbers, libraries, days

    @classmethod
    def read(cls, folder: Path) -> LibraryIndex:
        """The index in a folder."""
        data = np.fromfile(folder / LINES, np.uint8)
        count = len(data) // ROW_BYTES
        return cls(
            json.loads((folder / NAMES).read_text(encoding="utf-8")),
            data[: 4 * count].view("<u4"),
            data[4 * count : 6 * count].view("<u2"),
            data[6 * count :].view("<u2"),
        )

    def __len__(self) -> int:
        return len(self._numbers)

    def find(self, text: bytes, written_at: int) -> KnownLibrary | None:
        """The library that published most lines of a text, which somebody committed at a time (seconds since 1970)."""
        wanted = compared_lines(text)
        if self._published_most(wanted, written_at) is None or SHARE * len(
            wanted
        ) < _COMPARED_SHARE * different_lines(text):
            return None
        # Few texts come here. Their facts are those of others, too.
        return self._published_most(compared_lines(text, with_facts=False), written_at)

    def _published_most(self, wanted: Numbers, written_at: int) -> KnownLibrary | None:
        if len(wanted) < FEWEST_LINES or not len(self._numbers):
            return None
        places = np.searchsorted(self._numbers, wanted)
        places = places[places < len(self._numbers)]
        found = places[self._numbers[places] == wanted[: len(places)]]
        if len(found) < max(FEWEST_LINES, _KNOWN_SHARE * len(wanted)):
            return None
        counts = np.bincount(self._libraries[found])
        library = int(counts.argmax())
        if counts[library] < max(FEWEST_LINES, _ONE_LIBRARY * len(found)):
            return None
        days = self._days[found[self._libraries[found] == library]]
        published = int((days < written_at // SECONDS_A_DAY).sum())
        return KnownLibrary(self.names[library], published, len(days) - published, len(wanted))


def library_of(path: str, data: bytes, added: bytes | None, written_at: int) -> KnownLibrary | None:
    """The library of a changed file: the file at the top of the tree names it, or it has most of the added lines."""
    index = library_index()
    named = named_library(path, data, index.names) if is_manifest(path) else None
    if named is not None:
        return KnownLibrary(named)
    return None if added is None else index.find(added, written_at)


@cache
def library_index() -> LibraryIndex:
    """The index of this installation."""
    return LibraryIndex.read(FOLDER)
