"""Logical lines: physical lines of code, joined while a bracket is open.

Keep out: the facts of logical lines (`line_features`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ingest.git.lexing.languages import Language

# Longer logical lines are cut, so that a table of data is not one line.
MAX_PHYSICAL_LINES: Final = 10
_NOT_BRACKETS: Final = bytes(c for c in range(256) if c not in b"()[]{}\n")
_OPENER_OF: Final = {0x29: 0x28, 0x5D: 0x5B, 0x7D: 0x7B}
_BRACE: Final = 0x7B
# Nesting depth on one line that is folded at C speed; deeper brackets are walked one by one.
FOLDS: Final = 8
# Limit of tracked open brackets, because each closer searches all of them.
MAX_OPEN: Final = 500
_MARKUP: Final = re.compile(rb"\s*<[/A-Za-z>]")


def logical_starts(
    language: Language,
    flat: Sequence[bytes],
    masked: Sequence[bytes],
    masked_text: bytes,
    marks: tuple[bytes, ...],
) -> list[int] | None:
    """For each line the position of the head of its logical line; None if every line is its own head.

    `flat` are the lines without constructs of several lines, `masked` the same without literals and line comments, and
    `marks` begin a line comment.
    """
    brackets = masked_text.translate(None, _NOT_BRACKETS)
    for _ in range(FOLDS):
        length = len(brackets)
        brackets = brackets.replace(b"()", b"").replace(b"[]", b"").replace(b"{}", b"")
        if len(brackets) == length:
            break
    if len(brackets) < len(masked):
        return None
    starts = list(range(len(masked)))
    stack: list[int] = []
    start = count = 0
    for position, left_open in enumerate(brackets.split(b"\n")):
        if stack:
            code = flat[position].strip()
            if not code or code.startswith(marks):
                continue
            if (
                count == MAX_PHYSICAL_LINES
                or (stack[-1] == _BRACE and language.braces_are_blocks)
                or (language.has_markup and _MARKUP.match(masked[position]))
            ):
                start, count = position, 0
            starts[position] = start
            count += 1
        elif left_open:
            start, count = position, 1
        if left_open:
            _follow(stack, left_open)
    return starts


def _follow(stack: list[int], brackets: bytes) -> None:
    """Update the `stack` with the brackets that a line opens and closes."""
    for bracket in brackets:
        opener = _OPENER_OF.get(bracket)
        if opener is None:
            if len(stack) < MAX_OPEN:
                stack.append(bracket)
        elif opener in stack:
            # A closer with its opener before the given lines closes nothing here.
            while stack.pop() != opener:
                pass
