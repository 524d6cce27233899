"""Block comments, docstrings and strings of several lines: where they are open, and lines without them.

Add: constructs that run over the end of a line. Keep out: line comments, literals of one line and features of
lines (lexing.py).

*An open construct* is named by its closing delimiter; a leading `=` says that it is a string, and so code, and
not a comment: `b"*/"`, `b'\"\"\"'` (a docstring), `b'=\"\"\"'` (a string that is assigned).
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from ingest.git.languages import Language

_BACKSLASH: Final = 0x5C
_STRING_MARK: Final = b"="
# How far back on its line an opener is judged, and how many false ones are passed over: a minified file of
# one line must not cost the square of its length.
_LINE_LIMIT: Final = 2_000
_FALSE_LIMIT: Final = 64
_STRING_PREFIXES: Final = frozenset(b" r u b f R U B F rb br Rb rf fr Rf Fr bR rB".split(b" "))
# After one of these a statement goes on, so the string that follows is part of it.
_GOES_ON: Final = tuple(bytes([c]) for c in b"([{,=+-*/%\\|&<>")


class Constructs:
    """The constructs of several lines of one language, compiled."""

    __slots__ = ("anchored", "closers", "docstrings", "events", "is_plain", "markers", "openers", "strings")

    def __init__(self, language: Language) -> None:
        blocks = language.block_comments
        self.anchored = tuple(pair for pair in blocks if pair[0].startswith(b"\n"))
        free = tuple(pair for pair in blocks if not pair[0].startswith(b"\n"))
        self.closers: Final = dict((*free, *language.long_strings))
        self.openers: Final = tuple(self.closers)
        self.markers: Final = (*self.openers, *(opener for opener, _ in self.anchored))
        """Texts without which there is no construct; those that begin with a newline count at line starts."""
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
    # `http://` begins no comment.
    return rb"(?<!:)" + marks + rb"[^\n]*" if b"//" in language.line_comments else marks + rb"[^\n]*"


@cache
def constructs_of(language: Language) -> Constructs:
    """The compiled constructs of `language`; kept for the life of the process (one entry per language)."""
    return Constructs(language)


def _find_close(text: bytes, start: int, close: bytes, *, is_string: bool) -> int:
    """Where `close` stands in `text` from `start` on, -1 if nowhere; in strings a backslash escapes it."""
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


def _is_docstring(constructs: Constructs, opener: bytes, prefix: bytes, tail: bytes) -> bool:
    """Whether the string that `opener` begins is a statement of its own.

    `prefix` is what stands before it on its line, `tail` the end of the code line above.
    """
    if opener not in constructs.docstrings:
        return False
    prefix = prefix.strip()
    if prefix in _STRING_PREFIXES:
        return not tail.endswith(_GOES_ON)
    return prefix.startswith(b"@") and prefix.endswith(b"doc")


def contains_any(constructs: Constructs, text: bytes) -> bool:
    """Whether `text` (lines joined by newlines) may begin a construct."""
    for marker in constructs.markers:  # noqa: SIM110 - a generator takes twice the time
        if marker in text or (marker[:1] == b"\n" and text.startswith(marker[1:])):
            return True
    return False


def flatten(language: Language, lines: Sequence[bytes], inside: bytes | None) -> list[bytes]:
    """`lines` without comments of several lines, strings of several lines replaced by `""`.

    Line comments and other literals stay. `inside` is the construct that is open where the first line begins.
    """
    constructs = constructs_of(language)
    marked = [at for at, line in enumerate(lines) if _may_open(constructs, line)]
    marked.reverse()
    flat: list[bytes] = []
    state, tail = inside, b""
    while len(flat) < len(lines):
        at = len(flat)
        while marked and marked[-1] < at:
            marked.pop()
        if state is None and (not marked or marked[-1] > at):
            flat.extend(lines[at : marked[-1] if marked else None])
            continue
        line = lines[at]
        if state is not None and state[:1] == b"\n":
            flat.append(b"")
            if line.startswith(state[1:]):
                state = None
            continue
        if state is None:
            state = _anchored_close(constructs, line)
            if state is not None:
                flat.append(b"")
                continue
            tail = _tail(language, flat)
        kept, state = _cut(constructs, line, state, tail)
        flat.append(kept)
    return flat


def _may_open(constructs: Constructs, line: bytes) -> bool:
    for opener in constructs.openers:
        if opener in line:
            return True
    return bool(constructs.anchored) and _anchored_close(constructs, line) is not None


def _tail(language: Language, flat: Sequence[bytes]) -> bytes:
    """The last line of code of `flat`."""
    for line in reversed(flat):
        code = line.strip()
        if code and not code.startswith(language.line_comments or (b"\0",)):
            return code
    return b""


def _anchored_close(constructs: Constructs, line: bytes) -> bytes | None:
    for opener, close in constructs.anchored:
        if line.startswith(opener[1:]):
            return close
    return None


def _cut(constructs: Constructs, line: bytes, state: bytes | None, tail: bytes) -> tuple[bytes, bytes | None]:
    """One line without its constructs, and what is open behind it."""
    kept: list[bytes] = []
    at = 0
    if state is not None:
        is_string = state[:1] == _STRING_MARK
        close = state[1:] if is_string else state
        end = _find_close(line, 0, close, is_string=is_string)
        if is_string and line.strip():
            kept.append(b'""')
        if end < 0:
            return b"".join(kept), state
        at = end + len(close)
    assert constructs.events is not None
    search = constructs.events.search
    start = at
    while (event := search(line, at)) is not None:
        opener = event[1]
        at = event.end()
        if opener is None:
            continue
        close = constructs.closers[opener]
        kept.append(line[start : event.start()])
        is_string = opener in constructs.strings
        is_comment = not is_string or _is_docstring(constructs, opener, b"".join(kept), tail)
        kept.append(b" " if is_comment else b'""')
        end = _find_close(line, at, close, is_string=is_string)
        if end < 0:
            return _without_empty_braces(b"".join(kept)), close if is_comment else _STRING_MARK + close
        start = at = end + len(close)
    kept.append(line[start:])
    return _without_empty_braces(b"".join(kept)), None


def _without_empty_braces(kept: bytes) -> bytes:
    """Nothing where a comment was all that braces held: `{/* so are comments written in JSX */}`."""
    return b"" if kept.startswith(b" ", kept.find(b"{") + 1) and kept.split() == [b"{", b"}"] else kept


def open_comments(language: Language, data: bytes, offsets: Sequence[int]) -> list[bytes | None]:
    """The construct that is open at each of the ascending byte `offsets` of the file `data`.

    None where none is. One pass for all offsets, so a file's hunks are best asked for together.
    """
    constructs = constructs_of(language)
    if not offsets or not constructs.markers:
        return [None] * len(offsets)
    if constructs.is_plain:
        return [_plain_open(constructs, data, offset) for offset in offsets]
    return _walk(constructs, language, data, offsets)


def open_comment(language: Language, data: bytes, offset: int) -> bytes | None:
    """The construct that is open at byte `offset` of the file `data`, None where none is."""
    return open_comments(language, data, (offset,))[0]


def _plain_open(constructs: Constructs, data: bytes, offset: int) -> bytes | None:
    """Backwards, for languages with one kind of block comment: the last opener after the last closer."""
    opener = constructs.openers[0]
    close = constructs.closers[opener]
    closed = data.rfind(close, 0, offset)
    low = 0 if closed < 0 else closed + len(close)
    at = data.rfind(opener, low, offset)
    for _ in range(_FALSE_LIMIT):
        if at < 0:
            break
        if _is_real(constructs, data, at, low):
            return close
        at = data.rfind(opener, low, at)
    return None


def _is_real(constructs: Constructs, data: bytes, at: int, low: int) -> bool:
    """Whether the opener at `at` is one, and no part of a literal or line comment; before `low` all is closed."""
    start = max(data.rfind(b"\n", 0, at) + 1, low, at - _LINE_LIMIT)
    if not data[start:at].strip():
        return True
    end = data.find(b"\n", at, at + _LINE_LIMIT)
    assert constructs.events is not None
    # A copy of the line, because `^` would not match at `start` within the file.
    line = data[start : end if end >= 0 else at + _LINE_LIMIT]
    for event in constructs.events.finditer(line):
        if start + event.end() > at:
            return start + event.start() == at and event[1] is not None
    return False


def _walk(
    constructs: Constructs, language: Language, data: bytes, offsets: Sequence[int]
) -> list[bytes | None]:
    """Forwards from construct to construct, up to the last of `offsets`."""
    found: list[bytes | None] = []
    last = offsets[-1]
    coming = {marker: _next(data, marker, 0, last) for marker in constructs.markers}
    position = 0
    for offset in offsets:
        found.append(None)
        while position < offset:
            marker, at = min(coming.items(), key=lambda item: (item[1], -len(item[0])))
            if at >= offset:
                break
            is_anchored = marker[:1] == b"\n"
            if not is_anchored and not _is_real(constructs, data, at, position):
                coming[marker] = _next(data, marker, at + 1, last)
                continue
            is_string = marker in constructs.strings
            close = dict(constructs.anchored)[marker] if is_anchored else constructs.closers[marker]
            end = _find_close(data, at + len(marker), close, is_string=is_string)
            after = len(data) if end < 0 else _line_end(data, end + 1) if is_anchored else end + len(close)
            if after > offset:
                is_comment = not is_string or _opens_docstring(constructs, language, data, marker, at)
                found[-1] = close if is_comment else _STRING_MARK + close
                break
            position = after
            for other, where in coming.items():
                if where < position:
                    coming[other] = _next(data, other, position - (other[:1] == b"\n"), last)
    return found


def _next(data: bytes, marker: bytes, start: int, last: int) -> int:
    at = data.find(marker, start, last)
    return at if at >= 0 else len(data) + 1


def _line_end(data: bytes, at: int) -> int:
    end = data.find(b"\n", at)
    return len(data) if end < 0 else end


def _opens_docstring(constructs: Constructs, language: Language, data: bytes, opener: bytes, at: int) -> bool:
    if opener not in constructs.docstrings:
        return False
    start = data.rfind(b"\n", 0, at) + 1
    prefix, tail, end = data[start:at], b"", start - 1
    while end > 0 and not tail:
        start = data.rfind(b"\n", 0, end) + 1
        tail = data[start:end].strip()
        if tail.startswith(language.line_comments):
            tail = b""
        end = start - 1
    return _is_docstring(constructs, opener, prefix, tail)
