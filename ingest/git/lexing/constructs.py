"""Compiled constructs of several lines for each language: block comments, docstrings and strings.

Keep out: reading lines and files with them (`comments`) and features of lines (`line_features`).

An *open construct* is named by its closing delimiter, with a leading `=` if it is a string (code, not a comment).
Examples: `b"*/"`, `b'\"\"\"'` (a docstring), `b'=\"\"\"'` (a string that is assigned).
"""

import re
from functools import cache
from typing import Final

from ingest.git.lexing.languages import Language

_BACKSLASH: Final = 0x5C
STRING_MARK: Final = b"="
_STRING_PREFIXES: Final = frozenset(b" r u b f R U B F rb br Rb rf fr Rf Fr bR rB".split(b" "))
# After one of these the statement continues, so a following string is part of it.
_GOES_ON: Final = tuple(bytes([c]) for c in b"([{,=+-*/%\\|&<>")
_QUOTES: Final = (b'"', b"'")


class Constructs:
    """The constructs of several lines of one language, compiled."""

    __slots__ = (
        "anchored",
        "closers",
        "delimiters",
        "docstrings",
        "events",
        "is_plain",
        "markers",
        "openers",
        "strings",
    )

    def __init__(self, language: Language) -> None:
        blocks = language.block_comments
        self.anchored = tuple(pair for pair in blocks if pair[0].startswith(b"\n"))
        free = tuple(pair for pair in blocks if not pair[0].startswith(b"\n"))
        self.closers: Final = dict((*free, *language.long_strings))
        self.openers: Final = tuple(self.closers)
        self.markers: Final = (*self.openers, *(opener for opener, _ in self.anchored))
        """A text needs one of these to contain a construct; those that begin with a newline count at line starts."""
        self.delimiters: Final = tuple(
            {text.strip(b"\n") for pair in (*blocks, *language.long_strings) for text in pair}
        )
        """A text needs one of these to begin or end a construct."""
        self.strings: Final = frozenset(opener for opener, _ in language.long_strings)
        self.docstrings: Final = frozenset(language.docstrings)
        self.is_plain: Final = len(self.openers) == 1 and not self.strings and not self.anchored
        # Longest first: `--[[` opens a block where `--` alone begins a line comment.
        opener = b"|".join(re.escape(o) for o in sorted(self.openers, key=len, reverse=True))
        parts = [b"(" + opener + b")"] if self.openers else []
        parts += [language.strings] if language.strings else []
        parts += [line_comment_pattern(language)] if language.line_comments else []
        self.events: Final = re.compile(b"|".join(parts)) if parts else None


def line_comment_pattern(language: Language) -> bytes:
    """Pattern of a line comment of `language` up to the end of its line."""
    marks = b"(?:" + b"|".join(re.escape(mark) for mark in language.line_comments) + b")"
    if language.comment_is_whole_line:
        return rb"(?m:^)[ \t]*" + marks + rb"[^\n]*"
    if language.comment_needs_space:
        return rb"(?:(?m:^)|(?<=[ \t]))" + marks + rb"[^\n]*"
    # `http://` does not begin a comment.
    return rb"(?<!:)" + marks + rb"[^\n]*" if b"//" in language.line_comments else marks + rb"[^\n]*"


@cache
def constructs_of(language: Language) -> Constructs:
    """The compiled constructs of `language`; kept for the life of the process (one entry per language)."""
    return Constructs(language)


def find_close(text: bytes, start: int, close: bytes, *, is_string: bool) -> int:
    """The position of `close` in `text` from `start` on, or -1. In strings a backslash escapes it."""
    at = text.find(close, start)
    if not is_string:
        return at
    while at > start and text[at - 1] == _BACKSLASH:
        first = at - 1
        while first > start and text[first - 1] == _BACKSLASH:
            first -= 1
        if (at - first) % 2 == 0:
            break
        at = text.find(close, at + 1)
    return at


def is_docstring(constructs: Constructs, opener: bytes, prefix: bytes, tail: bytes) -> bool:
    """Whether the string that `opener` begins is a statement of its own.

    `prefix` is the text before it on its line, `tail` the end of the code line above.
    """
    if opener not in constructs.docstrings:
        return False
    prefix = prefix.strip()
    if prefix in _STRING_PREFIXES:
        # A line that is only a literal stands within brackets or has no effect.
        return not (tail.endswith(_GOES_ON) or (tail.startswith(_QUOTES) and tail.endswith(_QUOTES)))
    return prefix.startswith(b"@") and prefix.endswith(b"doc")


def contains_any(constructs: Constructs, text: bytes) -> bool:
    """Whether `text` (lines joined by newlines) may begin a construct."""
    for marker in constructs.markers:  # noqa: SIM110 - a generator takes twice the time
        if marker in text or (marker[:1] == b"\n" and text.startswith(marker[1:])):
            return True
    return False
