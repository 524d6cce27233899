"""Lines around a change in the old version of a file: its neighbours, and the functions in which it lies.

Functions are found by indentation, which works in every language that people write by hand. Keep out: the authors of
these lines (`blame`), conclusions from them (dbt).
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ingest.git.diff.hunks import Hunk

NEAR = 4
"""Lines on each side of a hunk; one at distance d weighs 1/d."""
MICRO = 1_000_000

FARTHEST = 500
"""Lines searched above and below a hunk. A longer function does not show which lines belong together."""
REACH = FARTHEST + NEAR
"""Lines after the last hunk of which something may be said."""
_SAYS_NOTHING = b" " + re.sub(rb"[\w ]", b"", bytes(range(256)))
"""All but letters and digits, the blank first: to strip a line of them is twice as fast as to search for others."""
_STARTS_CODE = re.compile(rb"[A-Za-z_$]")
_NO_FUNCTION = re.compile(
    rb"(?:if|else|elif|for|foreach|while|switch|case|do|try|catch|except|finally|with|when|match|return|"
    rb"class|struct|union|enum|interface|namespace|module|impl|trait|extern)\b|\w+[ \t]*:[ \t]*$"
)
_LABEL = re.compile(rb"\w+[ \t]*:[ \t]*$")


class Surroundings(NamedTuple):
    """Lines by number in the old version, from 1. Lines without a letter or digit are left out.

    They are packed as 32-bit numbers, because they pass between processes.
    """

    near: bytes
    """Lines near the hunks."""
    weights: bytes
    """Of the lines near the hunks, in millionths."""
    function: bytes
    """All lines of the functions in which the hunks lie."""
    lines: int
    """Number of lines of the old version."""


def surroundings(lines: Sequence[bytes], hunks: Sequence[Hunk], count_lines: int) -> Surroundings:
    """The lines around the hunks. Removed lines are not near, but they belong to their function.

    Of the `count_lines` lines of the file `lines` has at least those up to `REACH` after the last hunk.
    """
    removed = {number for start, count, _, _ in hunks for number in range(start, start + count)}
    near: dict[int, int] = {}
    function: set[int] = set()
    for start, count, _, _ in hunks:
        first = start if count else start + 1
        for number, weight in _neighbours(first, count, len(lines)):
            if number not in removed and lines[number - 1].strip(_SAYS_NOTHING):
                near[number] = max(near.get(number, 0), weight)
        if not (first in function and first + max(count - 1, 0) in function):
            function.update(_function(lines, first - 1, count))
    said = [number for number in sorted(function) if lines[number - 1].strip(_SAYS_NOTHING)]
    return Surroundings(
        array("i", near).tobytes(),
        array("i", near.values()).tobytes(),
        array("i", said).tobytes(),
        count_lines,
    )


def _neighbours(first: int, count: int, last: int) -> Iterator[tuple[int, int]]:
    for distance in range(1, NEAR + 1):
        for number in (first - distance, first + count - 1 + distance):
            if 1 <= number <= last:
                yield number, MICRO // distance


def _function(lines: Sequence[bytes], at: int, count: int) -> range:
    """Numbers of the lines of the function around lines[at : at + count]; empty at the outermost level."""
    inside = (
        range(at, min(at + count, len(lines))) if count else range(max(at - 1, 0), min(at + 1, len(lines)))
    )
    depths = [_depth(lines[i]) for i in inside if lines[i].strip()]
    if not depths:
        return range(0)
    head = _head(lines, inside[0], max(depths))
    if head is None:
        head = next((i for i in inside if count and _is_head(lines[i])), None)
    if head is None:
        return range(0)
    return range(head + 1, _end(lines, head, inside[-1]) + 1)


def _head(lines: Sequence[bytes], at: int, depth: int) -> int | None:
    """The first line of the innermost function around a line of that depth."""
    for i in range(at, max(at - FARTHEST, -1), -1):
        if depth <= 0:
            return None  # the outermost level
        line = lines[i]
        if line[:depth].isspace():
            continue  # deeper, as a tab is at least one column; or blank
        text = line.lstrip()
        if text[:1] == b"{":
            # The line that it closes stands above it, at the same depth.
            if len(text.rstrip()) == 1:
                depth = min(depth, _depth(line) + 1)
        elif _STARTS_CODE.match(text) and not _LABEL.match(text) and (own := _depth(line)) < depth:
            depth = own
            if _is_head(line):
                return i
    return None


def _is_head(line: bytes) -> bool:
    text = line.strip()
    return (
        b"(" in text
        and text.count(b"(") >= text.count(b")")
        and text[-1:] in b"{:,()"
        and _STARTS_CODE.match(text) is not None
        and _NO_FUNCTION.match(text) is None
    )


def _end(lines: Sequence[bytes], head: int, last: int) -> int:
    """Number of the last line of the function that begins at `head` and reaches beyond lines[last]."""
    depth = _depth(lines[head])
    stop = min(last + FARTHEST, len(lines))
    for i in range(max(head, last) + 1, stop):
        if lines[i][: depth + 1].isspace():
            continue  # deeper, as a tab is at least one column; or blank
        text = lines[i].lstrip()
        if not text or _depth(lines[i]) > depth:
            continue
        if text[:1] == b"}":
            return i + 1
        if (_STARTS_CODE.match(text) or text[:1] == b"@") and not _LABEL.match(text):
            return i
    return stop


def _depth(line: bytes) -> int:
    """Columns of indentation."""
    blank = line[: len(line) - len(line.lstrip())]
    return len(blank.expandtabs())
