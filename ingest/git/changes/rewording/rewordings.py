"""Lines of documents that only got another markup, another wrapping or another file, by the words of one commit.

A document that moves from one markup to another, or that is cut into parts, keeps its words: each of its new lines
says what removed lines said, in the same order. Addresses, tags and roles belong to the markup. Keep out: lines that
stand unchanged elsewhere (`classify`), and code, whose words repeat too often.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from operator import attrgetter
from typing import cast

from ingest.git.diff.hunks import Hunk

WORDS = 5
"""Words in a row that must stand in a removed text. Fewer also match common phrases; an initial value."""

LEAST_LINES = 100
"""Removed and added lines of documents below which a commit edits them: as new lines they earn about one ETV.

With 40, a history with many documents took 8 % longer to extract.
"""
MOST_BYTES = 4 * 1024 * 1024
"""Changed text of one commit above which nothing is searched: its phrases take thirty times as much memory."""

_MARKUP = re.compile(
    rb"(?:https?|ftp)://[^\s<>\"'`)\]]+|</?[A-Za-z][^<>\n]*>|:[\w:+-]{1,40}:(?=`)|\{[\w:+-]{1,40}\}(?=`)"
)
"""Addresses, tags, and roles of reStructuredText and MyST."""
_PLAIN = bytes(c if chr(c).isalnum() or c >= 0x80 or c == 0x0A else 0x20 for c in range(256)).lower()
"""Letters in lower case, digits and ends of lines stay; every other sign stands between words."""
_UNCLAIMED = bytes(WORDS)

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
    claimed: bytearray = field(default_factory=bytearray)
    """1 for the place of each phrase that both sides have, behind `WORDS - 1` zeros."""

    def phrases(self) -> Iterator[Phrase]:
        return zip(*[islice(self.words, first, None) for first in range(WORDS)], strict=False)

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
    known = _places_of(removed, {phrase for text in added for phrase in text.phrases()})
    if not known:
        return found
    for text in added:
        claims = _claim(text, known)
        for line in text.lines:
            if text.is_covered(line):
                origin = _origin(line, claims)
                found[line.file].added[line.number] = documents[origin.file].path, origin.number
    for text in removed:
        for line in text.lines:
            if text.is_covered(line):
                found[line.file].kept.append(line.number)
    return found


def _texts(file: int, lines: Sequence[bytes | None]) -> Iterator[_Text]:
    """The texts of one side of a document, one for each hunk."""
    first = number = 0
    for end, line in enumerate(lines):
        if line is not None:
            continue
        text = _Text()
        plain = _MARKUP.sub(b" ", b"\n".join(cast("Sequence[bytes]", lines[first:end]))).translate(_PLAIN)
        for words in map(bytes.split, plain.split(b"\n")) if end > first else ():
            if words:
                start = len(text.words)
                text.words += words
                text.lines.append(_Line(file, number, start, start + len(words)))
            number += 1
        text.claimed = bytearray(len(text.words) + 2 * WORDS)
        yield text
        first = end + 1


def _places_of(texts: Sequence[_Text], wanted: set[Phrase]) -> dict[Phrase, deque[tuple[_Text, int]]]:
    """The places of the wanted phrases in the texts."""
    known: dict[Phrase, deque[tuple[_Text, int]]] = defaultdict(deque)
    for text in texts:
        if not wanted.isdisjoint(text.phrases()):
            for at, phrase in enumerate(text.phrases()):
                if phrase in wanted:
                    known[phrase].append((text, at))
    return known


def _claim(text: _Text, known: Mapping[Phrase, deque[tuple[_Text, int]]]) -> dict[int, tuple[_Text, int]]:
    """Claim the phrases that removed texts have: the place of each, and where it stood."""
    claims: dict[int, tuple[_Text, int]] = {}
    if known.keys().isdisjoint(text.phrases()):
        return claims
    for at, phrase in enumerate(text.phrases()):
        candidates = known.get(phrase)
        if candidates:
            origin, start = claims[at] = candidates.popleft()
            origin.claim(start)
            text.claim(at)
    return claims


def _origin(line: _Line, claims: Mapping[int, tuple[_Text, int]]) -> _Line:
    """The removed line where the first word of a covered line stood."""
    for before in range(WORDS - 1, -1, -1):
        if line.start - before in claims:
            text, at = claims[line.start - before]
            return text.line_at(at + before)
    raise ValueError("no removed text has the first word of the line")
