"""Lines of documents that only got another markup, another wrapping or another file, by the words of one commit.

A document that moves from one markup to another, or that is cut into parts, keeps its words: each of its new lines
says what removed lines said, in the same order. Addresses, tags and roles belong to the markup. Keep out: lines that
stand unchanged elsewhere (`classify`), and code, whose words repeat too often.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from ingest.git.diff.hunks import Hunk

WORDS = 5
"""Words in a row that must stand in a removed text. Fewer also match common phrases; an initial value."""

LEAST_LINES = 20
"""Removed and added lines of documents below which a commit edits them. Without it, extraction took a fifth longer."""
MOST_BYTES = 4 * 1024 * 1024
"""Changed text of one commit above which nothing is searched: its phrases take thirty times as much memory."""

_MARKUP = re.compile(
    rb"(?:https?|ftp)://[^\s<>\"'`)\]]+|</?[A-Za-z][^<>]*>|:[\w:+-]{1,40}:(?=`)|\{[\w:+-]{1,40}\}(?=`)"
)
"""Addresses, tags, and roles of reStructuredText and MyST."""
_WORD = re.compile(rb"[0-9A-Za-z\x80-\xff]+")

Phrase = tuple[bytes, ...]


@dataclass(slots=True)
class Rewordings:
    """The reworded lines of one file."""

    added: dict[int, tuple[str, int]] = field(default_factory=dict)
    """Added line → the path of a changed file and the removed line in it that had its first word."""
    kept: list[int] = field(default_factory=list)
    """Removed lines whose words all stand in added lines."""


@dataclass(frozen=True, slots=True)
class ChangedDocument:
    """A changed document. Its changed lines are in file order, `None` after each hunk."""

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
class _Text:
    """The words of the lines of one hunk on one side."""

    words: list[bytes] = field(default_factory=list)
    lines: list[_Line] = field(default_factory=list)
    covered: bytearray = field(default_factory=bytearray)

    def phrases(self) -> Iterator[tuple[int, Phrase]]:
        for at in range(len(self.words) - WORDS + 1):
            yield at, tuple(self.words[at : at + WORDS])

    def cover(self, at: int) -> None:
        self.covered[at : at + WORDS] = b"\1" * WORDS

    def line_at(self, word: int) -> _Line:
        return self.lines[bisect_right(self.lines, word, key=_start) - 1]

    def is_covered(self, line: _Line) -> bool:
        return 0 not in self.covered[line.start : line.stop]


def changed_lines(lines: Sequence[bytes], hunks: Sequence[Hunk], *, added: bool) -> list[bytes | None]:
    """The added or removed lines of a version of a file, `None` after each hunk."""
    found: list[bytes | None] = []
    for hunk in hunks:
        start, count = hunk[2:] if added else hunk[:2]
        if count:
            found += [*lines[start - 1 : start - 1 + count], None]
    return found


def find_rewordings(documents: Sequence[ChangedDocument]) -> list[Rewordings]:
    """The reworded lines of each document of a commit.

    A line is reworded if removed texts have all of its words, each among `WORDS` words in the same order. Each place of
    a removed text is found once. Lines without words take no part, nor do commits with few lines or very many.
    """
    found = [Rewordings() for _ in documents]
    gone = [line for one in documents for line in one.removed if line is not None]
    come = [line for one in documents for line in one.added if line is not None]
    if min(len(gone), len(come)) < LEAST_LINES or sum(map(len, gone)) + sum(map(len, come)) > MOST_BYTES:
        return found
    removed = [text for number, one in enumerate(documents) for text in _texts(number, one.removed)]
    added = [text for number, one in enumerate(documents) for text in _texts(number, one.added)]
    known: dict[Phrase, deque[tuple[_Text, int]]] = defaultdict(deque)
    wanted = Counter(phrase for text in added for _, phrase in text.phrases())
    for text in removed:
        for at, phrase in text.phrases():
            if phrase in wanted:
                known[phrase].append((text, at))
    if not known:
        return found
    for text in added:
        places = _claim(text, known)
        for line in text.lines:
            place = places[line.start]
            if place is not None and text.is_covered(line):
                found[line.file].added[line.number] = documents[place.file].path, place.number
    for text in removed:
        for line in text.lines:
            if text.is_covered(line):
                found[line.file].kept.append(line.number)
    return found


def _texts(file: int, lines: Sequence[bytes | None]) -> Iterator[_Text]:
    """The texts of one side of a document, one for each hunk."""
    text, number = _Text(), 0
    for line in lines:
        if line is None:
            text.covered = bytearray(len(text.words))
            yield text
            text = _Text()
            continue
        words = _WORD.findall(_MARKUP.sub(b" ", line).lower())
        if words:
            start = len(text.words)
            text.words += words
            text.lines.append(_Line(file, number, start, start + len(words)))
        number += 1


def _claim(text: _Text, known: dict[Phrase, deque[tuple[_Text, int]]]) -> list[_Line | None]:
    """Cover the words that removed texts have. Returns for each word the removed line where it stood."""
    places: list[_Line | None] = [None] * len(text.words)
    for at, phrase in text.phrases():
        candidates = known.get(phrase)
        if candidates:
            origin, start = candidates.popleft()
            origin.cover(start)
            text.cover(at)
            for i in range(WORDS):
                places[at + i] = places[at + i] or origin.line_at(start + i)
    return places
