"""Lines without their block comments and long strings, and the construct that is open at the start of a line.

Keep out: the constructs of languages (`constructs`), line comments and features of lines (`line_features`).
"""

from collections.abc import Sequence
from typing import Final

from ingest.git.lexing.constructs import (
    STRING_MARK,
    Constructs,
    constructs_of,
    find_close,
    is_docstring,
)
from ingest.git.lexing.languages import Language

# Limits of how far back on its line an opener is checked, and how many false openers are skipped: a minified file of
# one line must not cost the square of its length.
LINE_LIMIT: Final = 500
FALSE_LIMIT: Final = 64


def flatten(
    language: Language, lines: Sequence[bytes], inside: bytes | None
) -> tuple[list[bytes], dict[int, bytes]]:
    """`lines` without comments of several lines and with strings of several lines as `""`.

    The second result has the changed lines, by position, without the comments but with the strings. Line comments
    and other literals stay. `inside` is the construct that is open at the start of the first line.
    """
    constructs = constructs_of(language)
    flat: list[bytes] = []
    uncommented: dict[int, bytes] = {}
    state, tail = inside, b""
    for at, line in enumerate(lines):
        if state is None and not _may_open(constructs, line):
            flat.append(line)
            continue
        kept, code = b"", b""
        if state is not None and state[:1] == b"\n":
            if line.startswith(state[1:]):
                state = None
        elif state is None and (anchored := _anchored_close(constructs, line)) is not None:
            state = anchored
        else:
            if state is None:
                tail = _tail(language, flat)
            kept, code, state = _cut(constructs, line, state, tail)
        flat.append(kept)
        uncommented[at] = code
    return flat, uncommented


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


def _cut(
    constructs: Constructs, line: bytes, state: bytes | None, tail: bytes
) -> tuple[bytes, bytes, bytes | None]:
    """One line without comments, with strings as `""` and in full; and the construct that is open after it."""
    kept: list[bytes] = []
    uncommented: list[bytes] = []
    at = 0
    if state is not None:
        is_string = state[:1] == STRING_MARK
        close = state[1:] if is_string else state
        end = find_close(line, 0, close, is_string=is_string)
        at = len(line) if end < 0 else end + len(close)
        if is_string and line.strip():
            kept.append(b'""')
            uncommented.append(line[:at])
        if end < 0:
            return b"".join(kept), b"".join(uncommented), state
        state = None
    assert constructs.events is not None
    search = constructs.events.search
    start = at
    while state is None and (event := search(line, at)) is not None:
        opener = event[1]
        at = event.end()
        if opener is None:
            continue
        close = constructs.closers[opener]
        before = line[start : event.start()]
        is_string = opener in constructs.strings
        end = find_close(line, at, close, is_string=is_string)
        start = at = len(line) if end < 0 else end + len(close)
        if is_string and not kept and is_docstring(constructs, opener, before, tail):
            # Its prefix, such as `r` or `@doc`, is removed with it.
            is_string = False
        elif is_string:
            kept += (before, b'""')
            uncommented += (before, line[event.start() : at])
        else:
            kept += (before, b" ")
            uncommented += (before, b" ")
        if end < 0:
            state = STRING_MARK + close if is_string else close
    kept.append(line[start:])
    uncommented.append(line[start:])
    return _without_empty_braces(b"".join(kept)), b"".join(uncommented), state


def _without_empty_braces(kept: bytes) -> bytes:
    """Remove braces that held only a comment: `{/* a comment in JSX */}`."""
    return b"" if kept.startswith(b" ", kept.find(b"{") + 1) and kept.split() == [b"{", b"}"] else kept


def open_comments(language: Language, data: bytes, offsets: Sequence[int]) -> list[bytes | None]:
    """The construct that is open at each of the ascending byte `offsets` of the file `data`.

    None without an open construct. One pass serves all offsets, so pass all hunks of a file together.
    """
    constructs = constructs_of(language)
    if not offsets or not constructs.markers:
        return [None] * len(offsets)
    if constructs.is_plain:
        found = [_plain_open(constructs, data, offset) for offset in offsets]
        if b"?" not in found:
            return found
    return _walk(constructs, language, data, offsets)


def open_comment(language: Language, data: bytes, offset: int) -> bytes | None:
    """The construct that is open at byte `offset` of the file `data`, or None."""
    return open_comments(language, data, (offset,))[0]


def _plain_open(constructs: Constructs, data: bytes, offset: int) -> bytes | None:
    """Backwards, for languages with one kind of block comment: the last opener after the last closer.

    `?` where both stand on one line: only reading forwards can decide that.
    """
    opener = constructs.openers[0]
    close = constructs.closers[opener]
    closed = data.rfind(close, 0, offset)
    low = 0 if closed < 0 else closed + len(close)
    if closed > 0 and data[closed - 1 : closed + 1] == opener[:2]:
        return b"?"
    at = data.rfind(opener, low, offset)
    for _ in range(FALSE_LIMIT):
        if at < 0:
            break
        if low and data.find(b"\n", low, at) < 0:
            return b"?"
        if _is_real(constructs, data, at, low):
            return close
        at = data.rfind(opener, low, at)
    return None


def _is_real(constructs: Constructs, data: bytes, at: int, low: int) -> bool:
    """Whether the opener at `at` is real, not part of a literal or line comment. Everything before `low` is closed."""
    start = max(data.rfind(b"\n", 0, at) + 1, low, at - LINE_LIMIT)
    if not data[start:at].strip():
        return True
    end = data.find(b"\n", at, at + LINE_LIMIT)
    assert constructs.events is not None
    # A copy of the line, because `^` would not match at `start` within the file.
    line = data[start : end if end >= 0 else at + LINE_LIMIT]
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
            end = find_close(data, at + len(marker), close, is_string=is_string)
            after = end + len(close)
            if end < 0:
                after = last + 1
            elif is_anchored:
                after = _line_end(data, after)
            if after > offset:
                is_comment = not is_string or _opens_docstring(constructs, language, data, marker, at)
                found[-1] = close if is_comment else STRING_MARK + close
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
    return is_docstring(constructs, opener, prefix, tail)
