"""Tests within source files of languages whose formatters indent blocks: a test ends at the indentation of its start.

A block with a line that is indented less than its start is not believed. Keep out: Rust, which is read by structure
(`rust_tests`), and the choice of the language (`inline_tests`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple


class TestBlock(NamedTuple):
    """How the tests of a language begin.

    `opening` matches the first line, with its indentation as first group. `words` is what a file with tests contains.
    """

    words: bytes
    opening: re.Pattern[bytes]
    may_hold_text: bool = False
    """The block may hold texts of several lines that begin at its indentation."""


BLOCKS: Final = {
    "Zig": TestBlock(
        b"test", re.compile(rb"([ \t]*)test(?:[ \t]+(?:\"(?:[^\"\\]|\\.)*\"|@?[A-Za-z_][\w.]*))?[ \t]*\{")
    ),
    **dict.fromkeys(
        ("JavaScript", "JSX", "TypeScript", "TSX"),
        TestBlock(
            b"import.meta.vitest",
            re.compile(rb"([ \t]*)if[ \t]*\([ \t]*import\.meta\.vitest(?:[ \t]*!==?[ \t]*undefined)?[ \t]*\)[ \t]*\{[ \t\r]*(?://.*)?$"),
            may_hold_text=True,
        ),
    ),
}  # fmt: skip

_DOCUMENTATION: Final = b"///"


def find_indented_tests(block: TestBlock, data: bytes) -> list[tuple[int, int]]:
    """First line and the line after the last of each test, counted from 0, in the order of the file."""
    if block.words not in data:
        return []
    lines = data.split(b"\n")
    found: list[tuple[int, int]] = []
    number = 0
    while number < len(lines):
        match = block.opening.match(lines[number])
        stop = _end_of(block, lines, number, match[1]) if match is not None else 0
        if stop:
            found.append((_first_line(lines, number, found[-1][1] if found else 0), stop))
        number = max(stop, number + 1)
    return found


def _end_of(block: TestBlock, lines: Sequence[bytes], first: int, indent: bytes) -> int:
    """The line after the block that begins at `first`; 0 where its end is not sure."""
    if lines[first].rstrip().endswith(b"}"):
        return first + 1
    for at in range(first + 1, len(lines)):
        line = lines[at]
        if not line.strip():
            continue
        if line.startswith(indent + b"}"):
            return at + 1
        is_deeper = line.startswith(indent) and line[len(indent) : len(indent) + 1] in (b" ", b"\t")
        if not is_deeper and not (block.may_hold_text and line.startswith(indent)):
            return 0
    return 0


def _first_line(lines: Sequence[bytes], first: int, lowest: int) -> int:
    """The line with which the documentation of the test begins."""
    while first > lowest and lines[first - 1].lstrip().startswith(_DOCUMENTATION):
        first -= 1
    return first
