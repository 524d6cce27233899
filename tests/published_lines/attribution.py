"""Decides which library each line belongs to, in the order in which texts came out.

A text most of whose lines another library had published before is a copy of that library, whose lines grow by the new
ones. Lines that four libraries have are nobody's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from xxhash import xxh3_64_intdigest

from ingest.git.published.compared_lines import compared_lines
from ingest.git.published.manifests import words
from tests.published_lines.archives import PublishedText, is_written

_COPIED_SHARE: Final = 0.5
_FEWEST: Final = 3
_MOST_LIBRARIES: Final = 3
# What stands in such a folder of a package, the innermost one, is a library of that name. Packages at the top are the
# parts of a project.
_INSIDE: Final = re.compile(
    r"(?:.*/)?(?:_vendor|vendor|(?<=/)packages)/(?P<name>[A-Za-z]\w*(?:-[A-Za-z_]+)*)[^/]*(?:/|\.(?:js|css|py|php)$)"
)


class Line(NamedTuple):
    library: str
    day: int


class Attribution:
    """The lines of all texts so far, by their number.

    `days` are those of lines of a library that are known to be older than its package, `known` the lines of an index,
    of which nobody knows any more which other libraries have them.
    """

    def __init__(
        self, days: Mapping[str, Mapping[int, int]] | None = None, known: Mapping[int, Line] | None = None
    ) -> None:
        self._days = days or {}
        self._lines = dict(known or {})
        self._elsewhere: dict[int, set[str]] = {}
        self._names = {line.library.lower(): line.library for line in self._lines.values()}

    def add(self, texts: Sequence[PublishedText]) -> None:
        """Add texts in the order of their days."""
        self._names |= {text.library.lower(): text.library for text in texts}
        for text in texts:
            if is_written(text.path, text.data):
                self._add(text)

    def lines(self) -> dict[int, Line]:
        """The lines that one library has, or up to three of which one was first."""
        return {
            number: line
            for number, line in self._lines.items()
            if len(self._elsewhere.get(number, ())) < _MOST_LIBRARIES
        }

    def _named(self, text: PublishedText) -> str:
        """The library that the folder or the file of a text names, else the one of the package."""
        inside = _INSIDE.match(text.path)
        if inside is not None:
            return self._listed(inside["name"])
        # One word may name a mode or a plugin for the library.
        called = words(text.path.rpartition("/")[2])
        named = (
            name
            for name in self._names.values()
            if " " in words(name) and called.startswith(f"{words(name)} ")
        )
        return next(named, text.library)

    def _listed(self, folder: str) -> str:
        """The library that has the name of a folder, as the list spells it."""
        return self._names.get(folder.lower(), folder.lower())

    def _add(self, text: PublishedText) -> None:
        numbers = compared_lines(text.data).tolist()
        if len(numbers) < _FEWEST:
            return
        owner = self._named(text)
        # A history may show that the library had the lines before the copy whose version came out earlier.
        days = self._days.get(owner, {})
        known = Counter(
            self._lines[number].library
            for number in numbers
            if number in self._lines and self._lines[number].day <= days.get(number, text.day)
        )
        if known:
            library, count = known.most_common(1)[0]
            if library != owner and count >= _COPIED_SHARE * len(numbers):
                owner = library
        days = self._days.get(owner, {})
        for number in numbers:
            day = min(text.day, days.get(number, text.day))
            line = self._lines.get(number)
            if line is None:
                self._lines[number] = Line(owner, day)
            elif line.library != owner:
                self._elsewhere.setdefault(number, set()).add(owner if line.day <= day else line.library)
                self._lines[number] = min(line, Line(owner, day), key=lambda one: one.day)


def mark_beginnings(lines: dict[int, Line], libraries: Collection[str]) -> None:
    """Let the first lines of libraries that are read from their beginning be no older than that.

    A line that no text has gets the day of the beginning, and the first ones the day after: the index takes lines of
    the first day that it knows for lines of any age, which would take the library's own first commit for a copy.
    """
    beginnings: dict[str, int] = {}
    for line in lines.values():
        if line.library in libraries:
            beginnings[line.library] = min(line.day, beginnings.get(line.library, line.day))
    for number, line in list(lines.items()):
        if line.day == beginnings.get(line.library):
            lines[number] = Line(line.library, line.day + 1)
    for library, day in beginnings.items():
        lines.setdefault(xxh3_64_intdigest(f"the beginning of {library}".encode()) >> 32, Line(library, day))
