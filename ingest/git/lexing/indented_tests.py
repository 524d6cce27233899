"""Tests within source files of languages whose formatters indent blocks: a test ends at the indentation of its start.

A block with a line that is indented less than its start is not believed. Keep out: Rust, which is read by structure
(`rust_tests`), and the choice of the language (`inline_tests`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple


class TestBlock(NamedTuple):
    """How one kind of test of a language begins and ends.

    `opening` matches from the start of the first line, with its indentation as first group. `word` is what a file with
    tests contains.
    """

    word: bytes
    opening: re.Pattern[bytes]
    may_hold_text: bool = False
    """The block may hold texts of several lines that begin at its indentation."""
    quote: bytes = b""
    """What begins and ends a text of several lines, whose lines may be indented in any way."""
    is_braced: bool = True
    """A brace ends the block, else its last line that is indented deeper than the first."""
    has_brace_below: bool = False
    """The brace may open on the line below the first."""
    must_hold: re.Pattern[bytes] | None = None
    """A line of the block that makes it a test."""


_D_ATTRIBUTE: Final = (
    rb"(?:@[\w.]+(?:![\w.]+|!?\([^()\n]*\))?|@\([^()\n]*\)|private|public|package|static|pure|nothrow|deprecated|debug"
    rb"|/\*[^*\n]*\*/|(?:static[ \t]+if|version)[ \t]*\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)|else)"
)
_NIM_CHECKS: Final = re.compile(
    rb"[ \t]+(?:(?:doAssert\w*|assert|check|require|expect)(?:[ \t(:]|$)|(?:suite|test)[ \t(]*\")"
)

BLOCKS: Final[dict[str, tuple[TestBlock, ...]]] = {
    "Zig": (
        TestBlock(
            b"test",
            re.compile(
                rb"^([ \t]*)test(?:[ \t]+(?:\"(?:[^\"\\\n]|\\.)*\"|@?[A-Za-z_][\w.]*))?[ \t]*\{", re.MULTILINE
            ),
        ),
    ),
    "D": (
        TestBlock(
            b"unittest",
            re.compile(
                rb"^([ \t]*)(?:%b[ \t]+)*(?:unittest\b|version[ \t]*\([ \t]*unittest[ \t]*\))"
                rb"(?=[ \t]*(?:\{(?![^\n]*\}[^\n]*[^\s}])|\r?$|//|/[*+]))" % _D_ATTRIBUTE,
                re.MULTILINE,
            ),
            quote=b"`",
            has_brace_below=True,
        ),
    ),
    "Nim": (
        TestBlock(
            b"isMainModule",
            re.compile(rb"^([ \t]*)when[ \t][^\n]*\bisMainModule\b[^\n]*:[ \t\r]*(?:#.*)?$", re.MULTILINE),
            quote=b'"""',
            is_braced=False,
            must_hold=_NIM_CHECKS,
        ),
        TestBlock(
            b"unittest",
            re.compile(rb"^([ \t]*)(?:suite|test)[ \t]*[ (]&?\"[^\n]*:[ \t\r]*(?:#.*)?$", re.MULTILINE),
            quote=b'"""',
            is_braced=False,
        ),
    ),
    **dict.fromkeys(
        ("JavaScript", "JSX", "TypeScript", "TSX"),
        (
            TestBlock(
                b"import.meta.vitest",
                re.compile(
                    rb"^([ \t]*)if[ \t]*\([ \t]*import\.meta\.vitest(?:[ \t]*!==?[ \t]*undefined)?[ \t]*\)"
                    rb"[ \t]*\{[ \t\r]*(?://.*)?$",
                    re.MULTILINE,
                ),
                may_hold_text=True,
            ),
        ),
    ),
}

_COMMENT, _DOCUMENTATION = b"//", b"///"


def find_indented_tests(block: TestBlock, data: bytes) -> list[tuple[int, int]]:
    """First line and the line after the last of each test, counted from 0, in the order of the file."""
    if block.word not in data:
        return []
    openings = list(block.opening.finditer(data))
    if not openings:
        return []
    lines = data.split(b"\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    found: list[tuple[int, int]] = []
    end = 0
    for match in openings:
        number = bisect_right(starts, match.start()) - 1
        if number < end:
            continue
        stop = _end_of(block, lines, number, match)
        if stop:
            found.append((_first_line(lines, number, end), stop))
            end = stop
    return found


def _end_of(block: TestBlock, lines: Sequence[bytes], first: int, match: re.Match[bytes]) -> int:
    """The line after the block that begins at `first`; 0 where its end is not sure, or where it is no test."""
    if not block.is_braced:
        return _end_of_indentation(block, lines, first, match[1])
    if block.has_brace_below and b"{" not in match.string[match.end() : match.start() + len(lines[first])]:
        first += 1
        while first < len(lines) and not lines[first].strip():
            first += 1
        if first == len(lines) or not lines[first].startswith(match[1] + b"{"):
            return 0
    return (
        first + 1 if lines[first].rstrip().endswith(b"}") else _end_of_braces(block, lines, first, match[1])
    )


def _end_of_braces(block: TestBlock, lines: Sequence[bytes], first: int, indent: bytes) -> int:
    for at in _outside_texts(block, lines, first + 1):
        line = lines[at]
        if line.startswith(indent + b"}"):
            return at + 1
        may_stand = line.startswith(_COMMENT) or (block.may_hold_text and line.startswith(indent))
        if not _is_deeper(line, indent) and not may_stand:
            return 0
    return 0


def _end_of_indentation(block: TestBlock, lines: Sequence[bytes], first: int, indent: bytes) -> int:
    last, is_test = first, block.must_hold is None
    for at in _outside_texts(block, lines, first + 1):
        if _is_deeper(lines[at], indent):
            last = at
            is_test = is_test or (
                block.must_hold is not None and block.must_hold.match(lines[at]) is not None
            )
        elif not lines[at].lstrip().startswith(b"#"):
            break
    return last + 1 if is_test and last > first else 0


def _outside_texts(block: TestBlock, lines: Sequence[bytes], first: int) -> Iterator[int]:
    """The lines from `first` on that say something by their indentation: neither blank nor in a text."""
    in_text = False
    for at in range(first, len(lines)):
        line, was_in_text = lines[at], in_text
        if block.quote and line.count(block.quote) % 2:
            in_text = not in_text
        if not was_in_text and line.strip() and not (in_text and line.startswith(block.quote)):
            yield at


def _is_deeper(line: bytes, indent: bytes) -> bool:
    return line.startswith(indent) and line[len(indent) : len(indent) + 1] in (b" ", b"\t")


def _first_line(lines: Sequence[bytes], first: int, lowest: int) -> int:
    """The line with which the documentation of the test begins."""
    while first > lowest and lines[first - 1].lstrip().startswith(_DOCUMENTATION):
        first -= 1
    return first
