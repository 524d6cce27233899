"""Lines whose words stood before in the same order: each word among `WORDS` in a row that removed lines have.

Keep out: what the words of a line are, and which commits are searched (`rewordings`, `reformatting`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import attrgetter
from typing import cast

from ingest.git.diff.hunks import Hunk

WORDS = 5
"""Words in a row that must stand in a removed text. Fewer also match common phrases; an initial value."""

_UNCLAIMED = bytes(WORDS)

Phrase = tuple[bytes, ...]
Split = Callable[[Sequence[bytes]], Iterable[list[bytes]]]
"""The words of each of some neighbouring lines."""


@dataclass(slots=True)
class Rewordings:
    """The reworded lines of one file."""

    added: dict[int, tuple[str, int]] = field(default_factory=dict)
    """Added line → the path of a changed file and the removed line in it that had its first word."""
    kept: list[int] = field(default_factory=list)
    """Removed lines whose words all stand in added lines."""


@dataclass(frozen=True, slots=True)
class ChangedText:
    """A changed file. Its changed lines are in file order, `None` after each run of lines that follow each other."""

    path: str
    removed: Sequence[bytes | None]
    added: Sequence[bytes | None]


@dataclass(slots=True)
class _Line:
    """A line with words: its number in its file and on its side, and the words' places in the text of its hunk."""

    file: int
    number: int
    start: int
    stop: int


_start = attrgetter("start")


@dataclass(slots=True)
class ChangedWords:
    """The words of the lines of one hunk on one side."""

    words: list[bytes] = field(default_factory=list)
    lines: list[_Line] = field(default_factory=list)
    claimed: bytearray = field(default_factory=bytearray)
    """1 for the place of each phrase that both sides have, behind `WORDS - 1` zeros."""

    def phrases(self) -> Iterator[Phrase]:
        return zip(*[islice(self.words, first, None) for first in range(WORDS)], strict=False)

    def unclaim(self) -> None:
        self.claimed = bytearray(len(self.words) + 2 * WORDS)

    def claim(self, at: int) -> None:
        self.claimed[at + WORDS - 1] = 1

    def line_at(self, word: int) -> _Line:
        return self.lines[bisect_right(self.lines, word, key=_start) - 1]

    def is_covered(self, line: _Line) -> bool:
        # A word stands in the phrases that begin at it and at the words before it.
        return _UNCLAIMED not in self.claimed[line.start : line.stop + WORDS - 1]


def changed_lines(lines: Sequence[bytes], hunks: Sequence[Hunk], *, added: bool) -> list[bytes | None]:
    """The added or removed lines of a version of a file, `None` after each hunk."""
    found: list[bytes | None] = []
    for hunk in hunks:
        start, count = hunk[2:] if added else hunk[:2]
        if count:
            found += [*lines[start - 1 : start - 1 + count], None]
    return found


def split_removed(files: Sequence[ChangedText], split: Split) -> list[ChangedWords]:
    """What `find_phrases` needs to know of the removed lines of the files."""
    return [text for number, one in enumerate(files) for text in _texts(number, one.removed, split)]


def find_phrases(
    files: Sequence[ChangedText], split: Split, removed: Sequence[ChangedWords] | None = None
) -> list[Rewordings]:
    """The reworded lines of each file; `removed` are its removed lines where they are split already.

    A line is reworded if removed texts have all of its words, each among `WORDS` words in the same order. Each place of
    a removed text is found once. Lines without words take no part.
    """
    found = [Rewordings() for _ in files]
    if removed is None:
        removed = split_removed(files, split)
    for text in removed:
        text.unclaim()
    added = [text for number, one in enumerate(files) for text in _texts(number, one.added, split)]
    known = _places_of(removed, {phrase for text in added for phrase in text.phrases()})
    if not known:
        return found
    for text in added:
        claims = _claim(text, known)
        for line in text.lines:
            if text.is_covered(line):
                origin = _origin(line, claims)
                found[line.file].added[line.number] = files[origin.file].path, origin.number
    for text in removed:
        for line in text.lines:
            if text.is_covered(line):
                found[line.file].kept.append(line.number)
    return found


def _texts(file: int, lines: Sequence[bytes | None], split: Split) -> Iterator[ChangedWords]:
    """The texts of one side of a file, one for each run of lines."""
    first = number = 0
    for end, line in enumerate(lines):
        if line is not None:
            continue
        text = ChangedWords()
        for words in split(cast("Sequence[bytes]", lines[first:end])) if end > first else ():
            if words:
                start = len(text.words)
                text.words += words
                text.lines.append(_Line(file, number, start, start + len(words)))
            number += 1
        text.unclaim()
        yield text
        first = end + 1


def _places_of(
    texts: Sequence[ChangedWords], wanted: set[Phrase]
) -> dict[Phrase, deque[tuple[ChangedWords, int]]]:
    """The places of the wanted phrases in the texts."""
    known: dict[Phrase, deque[tuple[ChangedWords, int]]] = defaultdict(deque)
    for text in texts:
        if not wanted.isdisjoint(text.phrases()):
            for at, phrase in enumerate(text.phrases()):
                if phrase in wanted:
                    known[phrase].append((text, at))
    return known


def _claim(
    text: ChangedWords, known: Mapping[Phrase, deque[tuple[ChangedWords, int]]]
) -> dict[int, tuple[ChangedWords, int]]:
    """Claim the phrases that removed texts have: the place of each, and where it stood."""
    claims: dict[int, tuple[ChangedWords, int]] = {}
    if known.keys().isdisjoint(text.phrases()):
        return claims
    for at, phrase in enumerate(text.phrases()):
        candidates = known.get(phrase)
        if candidates:
            origin, start = claims[at] = candidates.popleft()
            origin.claim(start)
            text.claim(at)
    return claims


def _origin(line: _Line, claims: Mapping[int, tuple[ChangedWords, int]]) -> _Line:
    """The removed line where the first word of a covered line stood."""
    for before in range(WORDS - 1, -1, -1):
        if line.start - before in claims:
            text, at = claims[line.start - before]
            return text.line_at(at + before)
    raise ValueError("no removed text has the first word of the line")
