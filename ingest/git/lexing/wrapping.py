"""Layout that formatters add and remove: brackets that only wrap, and signs that continue a line.

Keep out: joining lines into logical ones (`line_features`) and comparing the rest (`token_diff`).

A pair of round brackets *only wraps* when the first one ends a line, the second begins one, and their content means
the same without them: an expression begins and ends with them, and it is not a list that needs brackets.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from ingest.git.lexing.logical_lines import MAX_OPEN

_ENDS_A_LINE: Final = re.compile(rb"\([ \t\r]*(?:\n|\Z)")
_SIGNS: Final = re.compile(rb"[()\[\]{}\n,]|\bfor\b")
_OPENER_OF: Final = {b")": b"(", b"]": b"[", b"}": b"{"}
# An expression begins after these; it continues after `==` and `.`, and `name (` may be a call.
_SIGN_BEFORE: Final = re.compile(rb"(?:([(\[{,:?])|(?:\A|[^=!<>])(=)|(=>))\s*\Z")
_WORD_BEFORE: Final = re.compile(
    rb"(?:\A|[^\w.])(?:for\s[^\n]*\s(in)|"
    rb"(assert|case|default|del|elif|else|for|if|import|raise|return|throw|unless|until|when|while|with|yield))\s+\Z"
)
_OPERATOR_BEFORE_MARKUP: Final = re.compile(rb"(&&|\|\||\?\?)\s*\Z")
_MARKUP: Final = re.compile(rb"\([ \t\r]*\n\s*<")
_ENDS_BEHIND: Final = re.compile(rb"\)\s*(?:\Z|[:,;)\]}])|\)[ \t\r]*(?:\{|=(?![=>]))")
# A statement ends with its line unless an open bracket or the next line continues it.
_ENDS_WITH_LINE: Final = re.compile(rb"\)[ \t\r]*\n(?!\s*[*/%+\-.&|^<>=?!])")
_GOES_ON_IN_BRACES: Final = re.compile(rb"\)\s*(?:and|or|is|not|in|if|else|for)\b")
_GOES_ON_AS_LIST: Final = re.compile(rb"\)\s*,")
_LISTS: Final = (b"(", b"[")
# After these a list needs no brackets; after the first ones a comma does not make a list.
_NAMES_BEHIND: Final = (b"for", b"import", b"with")
_LISTS_BEHIND: Final = (*_NAMES_BEHIND, b"=", b"in", b"return", b"yield")
# Bytes enough for a word and its surroundings.
LOOKED_BACK: Final = 100

_ONE_PARAMETER: Final = re.compile(rb"\((\s*\w+\s*)\)(?=\s*=>)")


class _Opener(NamedTuple):
    """An open bracket. `before` is the word or sign after which it only wraps; None where the bracket has a meaning."""

    sign: bytes
    line: int
    before: bytes | None
    commas: list[int]


class Wrapping:
    """Numbers of the lines of `code` that end in a bracket that only wraps, and of those that begin with its closer.

    `code` is lines without comments, with each literal as one sign. A bracket without its partner in `code` counts
    as meaningful.
    """

    __slots__ = ("closed", "opened")

    def __init__(self, code: bytes) -> None:
        self.opened: set[int] = set()
        self.closed: set[int] = set()
        if _ENDS_A_LINE.search(code):
            self._read(code)

    def _read(self, code: bytes) -> None:
        stack: list[_Opener] = []
        line = start = 0
        for found in _SIGNS.finditer(code):
            sign, at = found[0], found.start()
            if sign == b"\n":
                line, start = line + 1, at + 1
            elif sign in (b",", b"for"):
                if stack:
                    # A generator needs brackets just as a list does.
                    stack[-1].commas.append(at)
            elif sign not in _OPENER_OF:
                if len(stack) < MAX_OPEN:
                    stack.append(_Opener(sign, line, _before(code, at) if sign == b"(" else None, []))
            elif any(opener.sign == _OPENER_OF[sign] for opener in reversed(stack)):
                while (opener := stack.pop()).sign != _OPENER_OF[sign]:
                    pass
                within = stack[-1].sign if stack else b""
                if _only_wraps(code, opener, at, within) and not code[start:at].strip():
                    self.opened.add(opener.line)
                    self.closed.add(line)

    def bare(self, texts: Sequence[bytes], positions: Sequence[int]) -> list[bytes]:
        """The `texts` of the lines at the `positions`, without layout characters."""
        return [self._bare(text, line) for text, line in zip(texts, positions, strict=True)]

    def _bare(self, text: bytes, line: int) -> bytes:
        if line in self.opened and text.endswith(b"("):
            text = text[:-1].rstrip()
        if line in self.closed and text.startswith(b")"):
            text = text[1:].lstrip()
        if text.endswith(b"\\"):
            text = text[:-1].rstrip()
        # Some formatters put brackets around the parameter of an arrow function, others do not.
        return _ONE_PARAMETER.sub(rb"\1", text) if b"=>" in text else text


def _before(code: bytes, at: int) -> bytes | None:
    """The word or sign before the bracket at `at`, after which it may only wrap."""
    if not _ENDS_A_LINE.match(code, at):
        return None
    text = code[max(0, at - LOOKED_BACK) : at]
    found = _WORD_BEFORE.search(text) or _SIGN_BEFORE.search(text)
    if not found and _MARKUP.match(code, at):
        found = _OPERATOR_BEFORE_MARKUP.search(text)
    return next(filter(None, found.groups())) if found else None


def _only_wraps(code: bytes, opener: _Opener, at: int, within: bytes) -> bool:
    """Whether `opener` and the bracket at `at` only wrap; `within` is the bracket around both."""
    if opener.before is None or not _is_end(code, at, within):
        return False
    if not opener.commas:
        # Within brackets `if` is part of a larger expression.
        return within not in _LISTS or opener.before != b"if"
    if within in _LISTS or opener.before not in _LISTS_BEHIND or _GOES_ON_AS_LIST.match(code, at):
        return False
    if code.startswith(b"for", opener.commas[0]):
        return False
    is_list_of_one = len(opener.commas) == 1 and not code[opener.commas[0] + 1 : at].strip()
    return opener.before in _NAMES_BEHIND or not is_list_of_one


def _is_end(code: bytes, at: int, within: bytes) -> bool:
    """Whether an expression ends with the bracket at `at`."""
    if _ENDS_BEHIND.match(code, at):
        return True
    if within in _LISTS or not _ENDS_WITH_LINE.match(code, at):
        return False
    return not (within and _GOES_ON_IN_BRACES.match(code, at))
