"""Lists of numbers in words, as a program counts them out into data: forty-one, forty-two …

Each word begins as the one before it and ends as the one ten lines before it. Keep out: lists of which a line says more
than its place, such as a table of colours with their values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from operator import eq
from typing import Final, NamedTuple

from ingest.git.diff.hunks import Hunk
from ingest.git.machine_text.machine_parts import Part

LEAST_COUNTED: Final = 150
"""Lines in one place below which nothing is looked at. People write out a hundred numbers, and no thousand."""
_ENDINGS: Final = (".yml", ".yaml", ".json", ".properties", ".toml", ".ini")
_MOST_BYTES: Final = 4 * 1_024 * 1_024
_DECADE: Final = 10
_SHARE: Final = 0.6
"""Share of the lines that begin and end so; Malayalam's first thousand has .80 and .89, English's .89 and .90."""
# Nearly all data fails at a few of its lines.
_SAMPLED, _SAMPLED_SHARE = 40, 0.3

_QUOTED: Final = rb"(?:\"([^\"]{1,200})\"|'([^']{1,200})'|([^\s\"'#{}\[\],:=][^\"'{}\[\]:=\n]{0,199}?))"
_ENTRY: Final = re.compile(rb"\s*(?:- +)?" + _QUOTED + rb"\s*(?:[:=]\s*" + _QUOTED + rb")?\s*,?\s*")
_NUMBER: Final = re.compile(rb"-?[0-9]{1,12}")


class _Entry(NamedTuple):
    """A line with its words, and the number beside them or None."""

    words: tuple[bytes, ...]
    number: int | None


def counted_words(path: str, text: bytes, hunks: Sequence[Hunk]) -> list[Part]:
    """The added lines in which a program counted in words."""
    places = [(start - 1, count) for _, _, start, count in hunks if count >= LEAST_COUNTED]
    if not places or not path.endswith(_ENDINGS) or len(text) > _MOST_BYTES:
        return []
    lines = text.split(b"\n")
    found: list[Part] = []
    for start, count in places:
        if _may_count(lines[start : start + count]):
            found += _counted(lines, start, start + count)
    return found


def _may_count(lines: Sequence[bytes]) -> bool:
    places = range(_DECADE, len(lines), max(1, len(lines) // _SAMPLED))
    hits = sum(_ends_as_ten_before(lines, at) for at in places)
    return hits >= _SAMPLED_SHARE * len(places) * _SHARE


def _ends_as_ten_before(lines: Sequence[bytes], at: int) -> bool:
    entries = [_entry(lines[n]) for n in (at, at - 1, at - _DECADE)]
    if None in entries:
        return False
    word, before, ten = (one.words[0] for one in entries if one is not None)
    return _alike(word[::-1], ten[::-1]) > _alike(word[::-1], before[::-1])


def _counted(lines: Sequence[bytes], start: int, stop: int) -> Iterator[Part]:
    """The runs of lines of one form that count."""
    at = start
    while at < stop:
        first = _entry(lines[at])
        run = [first] if first is not None else []
        while run and at + len(run) < stop:
            entry = _entry(lines[at + len(run)])
            if entry is None or not _goes_on(run[-1], entry):
                break
            run.append(entry)
        if len(run) >= LEAST_COUNTED and all(
            _counts([entry.words[n] for entry in run]) for n in range(len(run[0].words))
        ):
            yield Part(at, at + len(run), "numbers in words, which a program counted")
        at += max(1, len(run))


def _entry(line: bytes) -> _Entry | None:
    match = _ENTRY.fullmatch(line)
    if match is None:
        return None
    texts = [text for text in match.groups() if text is not None]
    numbers = [int(text) for text in texts if _NUMBER.fullmatch(text) is not None]
    words = tuple(text for text in texts if _NUMBER.fullmatch(text) is None)
    return _Entry(words, numbers[0] if numbers else None) if words else None


def _goes_on(before: _Entry, entry: _Entry) -> bool:
    """Whether an entry has the form of the one before it, and the next number."""
    if len(before.words) != len(entry.words) or (before.number is None) != (entry.number is None):
        return False
    return before.number is None or entry.number == (before.number or 0) + 1


def _counts(words: Sequence[bytes]) -> bool:
    least = _SHARE * (len(words) - _DECADE)
    begin = end = 0
    for at in range(_DECADE, len(words)):
        word, before, ten = words[at], words[at - 1], words[at - _DECADE]
        begin += _alike(word, before) > _alike(word, ten)
        end += _alike(word[::-1], ten[::-1]) > _alike(word[::-1], before[::-1])
    return min(begin, end) >= least


def _alike(one: bytes, other: bytes) -> int:
    """The number of equal bytes at the start."""
    return sum(takewhile(bool, map(eq, one, other)))
