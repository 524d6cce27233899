"""Methods that an editor writes into a class of people: delegates to one field, accessors, and stubs.

Thirty methods of one class that hand their own arguments to the method of their own name on one field say what the
interface says, as do thirty that read or set the field of their own name. Keep out: methods that change an argument, a
result or a name, which people wrote.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ingest.git.diff.hunks import Hunk
from ingest.git.machine_text.machine_parts import Part

LEAST_ADDED: Final = 30
"""Added lines below which a change cannot have so many."""
LEAST_METHODS: Final = 30
"""Delegates to one field, or accessors, of which a class has so many. People write a few."""
LEAST_STUBS: Final = 3
_ENDINGS: Final = (".java", ".kt", ".cs", ".go")

_MOST_HEADER: Final = 800
_BODY: Final = re.compile(
    rb"\{\s{0,200}(?:"
    rb"(?:return\s{1,200})?(?P<field>\w{1,80}(?:\.\w{1,80})?)\.(?P<called>\w{1,80})\((?P<given>[^(){};]{0,400})\);?"
    rb"|return\s{1,200}(?:this\.)?(?P<read>\w{1,80});?"
    rb"|(?:this\.)?(?P<set>\w{1,80})\s{0,9}=\s{0,9}(?P<value>\w{1,80});?"
    rb"|(?P<stub>//\s?TODO:? Auto-generated (?:method|constructor) stub)(?:\s{1,200}return\s[\w.]{1,80};)?"
    rb")\s{0,200}\}"
    rb"|=>?\s{0,200}(?P<short>\w{1,80})\.(?P<said>\w{1,80})\((?P<passed>[^(){};\n]{0,400})\);?[ \t]*\r?$",
    re.MULTILINE,
)
_HEADER: Final = re.compile(
    rb"(?P<name>\w{1,80})\s{0,9}\((?P<parameters>[^(){};]{0,600})\)\s{0,200}"
    rb"(?:throws[\w\s,.]{1,400}|(?::\s{0,9})?[\w<>?,.*\[\]][\w<>?,.*\[\] ]{0,199}|\([\w<>,.*\[\] ]{1,200}\))?$"
)
_WORD: Final = bytes(c for c in range(256) if chr(c).isalnum() or c == 0x5F)
_BRACKETS: Final = 2
"""Opening brackets of a header: of its parameters, and of several results."""
_BEFORE: Final = re.compile(rb"[;{}]|\*/|^[ \t]*//[^\n]*\n", re.MULTILINE)
_ANNOTATIONS: Final = (b"@", b"[")
_TEXT: Final = b'"'
_GENERIC: Final = re.compile(rb"<[^<>]{0,200}>|\[\]|\.\.\.")
_ACCESSOR: Final = re.compile(rb"(?:[gs]et|is)(?=[A-Z_])")


class _Method(NamedTuple):
    start: int
    stop: int
    kind: bytes
    """The field to which it delegates, or a sign for accessors and stubs."""


_ACCESSORS, _STUBS = b" accessor", b" stub"
_MARKS: Final = {_ACCESSORS: "{count} methods that read or set a field", _STUBS: "Auto-generated method stub"}


def editor_methods(path: str, text: bytes, hunks: Sequence[Hunk]) -> list[Part]:
    """The methods among the added lines of a file that an editor wrote."""
    if not path.endswith(_ENDINGS):
        return []
    hunks = [hunk for hunk in hunks if hunk[3]]
    firsts = [start - 1 for _, _, start, _ in hunks]
    lines, by_kind = _LineNumbers(text), defaultdict[bytes, list[tuple[int, int]]](list)
    for start, stop, kind in _methods(text, names_first=path.endswith((".kt", ".go"))):
        first, last = lines.at(start), lines.at(stop - 1)
        at = bisect_right(firsts, first) - 1
        if at >= 0 and first < firsts[at] + hunks[at][3]:
            by_kind[kind].append((first, last + 1))
    found: list[Part] = []
    for kind, methods in by_kind.items():
        if len(methods) >= (LEAST_STUBS if kind == _STUBS else LEAST_METHODS):
            count = f"{len(methods):,}"
            mark = _MARKS.get(
                kind, f"{count} methods that call their own name on {kind.decode('utf-8', 'replace')}"
            )
            found += [Part(first, stop, mark.format(count=count)) for first, stop in methods]
    return sorted(found)


def _methods(text: bytes, *, names_first: bool) -> Iterator[_Method]:
    for body in _BODY.finditer(text):
        first = max(0, body.start() - _MOST_HEADER)
        header = text[first : body.start()].rstrip()
        match = _header(header)
        if match is None:
            continue
        kind = _kind(body, match, names_first=names_first)
        if kind is not None:
            name = match.start()
            line, annotated = header.rfind(b"\n", 0, name) + 1, _line_of(header, name)
            if _TEXT in header[line:name]:
                continue
            # People write the texts of annotations: the address of a request, the name of a column.
            if _TEXT in header[annotated:line]:
                start = line
            else:
                start = annotated if body["short"] is not None else _start(header, name)
            yield _Method(first + start, body.end(), kind)


def _header(text: bytes) -> re.Match[bytes] | None:
    """The name and parameters at the end of a text."""
    at = len(text)
    for _ in range(_BRACKETS):
        at = text.rfind(b"(", 0, at)
        if at < 0:
            break
        name = len(text[:at].rstrip().rstrip(_WORD))
        if (match := _HEADER.match(text, name)) is not None:
            return match
    return None


def _start(header: bytes, name: int) -> int:
    """Where the annotations and words before a name begin, behind the last method or comment."""
    start = 0
    for before in _BEFORE.finditer(header, 0, name):
        start = before.end()
    return start + len(header[start:]) - len(header[start:].lstrip())


def _line_of(header: bytes, name: int) -> int:
    """Where the line of a name begins, or the annotations above it."""
    start = header.rfind(b"\n", 0, name) + 1
    while start:
        above = header.rfind(b"\n", 0, start - 1) + 1
        if not header[above:start].lstrip().startswith(_ANNOTATIONS):
            break
        start = above
    return start


def _kind(body: re.Match[bytes], header: re.Match[bytes], *, names_first: bool) -> bytes | None:
    name, parameters = header["name"], _names(header["parameters"], names_first=names_first)
    if body["stub"] is not None:
        return _STUBS
    if body["read"] is not None:
        is_read = not parameters and _ACCESSOR.match(name) and _is_accessor_of(name, body["read"])
        return _ACCESSORS if is_read else None
    if body["set"] is not None:
        is_set = (
            name.startswith(b"set") and parameters == [body["value"]] and _is_accessor_of(name, body["set"])
        )
        return _ACCESSORS if is_set else None
    field, called, given = (
        (body["field"], body["called"], body["given"])
        if body["field"] is not None
        else (body["short"], body["said"], body["passed"])
    )
    arguments = [part.strip().removesuffix(b"...") for part in given.split(b",")] if given.strip() else []
    return field if called == name and arguments == parameters else None


def _is_accessor_of(name: bytes, field: bytes) -> bool:
    return _ACCESSOR.sub(b"", name).lower().strip(b"_") in (field.lower().strip(b"_"), field.lower()[1:])


def _names(parameters: bytes, *, names_first: bool) -> list[bytes]:
    """The names of parameters, before their types or behind them."""
    plain = parameters
    while (shorter := _GENERIC.sub(b"", plain)) != plain:
        plain = shorter
    words = [part.replace(b":", b" ").split() for part in plain.split(b",") if part.strip()]
    return [part[0 if names_first else -1] for part in words if part]


class _LineNumbers:
    """Numbers of lines by ascending places of a text, counted from 0."""

    def __init__(self, text: bytes) -> None:
        self._text, self._place, self._number = text, 0, 0

    def at(self, place: int) -> int:
        if place < self._place:
            self._place = self._number = 0
        self._number += self._text.count(b"\n", self._place, place)
        self._place = place
        return self._number
