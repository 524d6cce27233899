"""Finds the known library that published most lines of a text.

The index has three columns, sorted by the first: the number of a line, its library, and the day (since 1970) of the
first version with it that the index read. Other versions came out between that version and the one before, and before
the first one: a line may be as old as the day of the version before, and of any age where there is none. Lines that
several unrelated libraries have are not in it. No text of others is.
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
_UNKNOWN_DAY: Final = -(10**9)
"""Before the author time of any text: a time of 64 bits in days is nearer for every clock that people have."""

Days = npt.NDArray[np.uint16]


class KnownLibrary(NamedTuple):
    """A library that has lines of a text. Counts are of compared lines that say more than a fact.

    The library may have `published` lines before the day of the text. The first known version with `later` lines, which
    may be among them, is of that day or after it. All counts are 0 where the text is a manifest that names the library.
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
        libraries: Days,
        days: Days,
    ) -> None:
        self.names = names
        self._numbers, self._libraries, self._days = numbers, libraries, days
        self._earliest = earliest_days(libraries, days)

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
        lines = found[self._libraries[found] == library]
        day = written_at // SECONDS_A_DAY
        published = int((self._earliest[lines] < day).sum())
        later = int((self._days[lines] >= day).sum())
        return KnownLibrary(self.names[library], published, later, len(wanted))


def earliest_days(libraries: Days, days: Days) -> npt.NDArray[np.int32]:
    """The day of the version before for each line, and a day before all others for lines of the first version."""
    order = np.lexsort((days, libraries))
    library, day = libraries[order].astype(np.int32), days[order].astype(np.int32)
    is_new_library = np.diff(library, prepend=-1) != 0
    is_new_version = is_new_library | (np.diff(day, prepend=-1) != 0)
    firsts = np.flatnonzero(is_new_version)
    before = np.where(is_new_library[firsts], _UNKNOWN_DAY, np.roll(day[firsts], 1))
    earliest = np.empty(len(days), np.int32)
    earliest[order] = before[np.cumsum(is_new_version) - 1]
    return earliest


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
