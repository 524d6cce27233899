"""Tests within a source file of Rust: items with a test attribute, by the structure of the whole file.

The compiled twin is `native/lines/rust_tests.pxi`. Keep out: other languages, and lines (`inline_tests`).
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

TEST_ATTRIBUTES: Final = frozenset(
    b"test bench rstest test_case proptest quickcheck wasm_bindgen_test gtest test_matrix parameterized".split()
)
"""Last parts of the paths of attributes that make a function a test, such as `tokio::test`."""
MAX_ATTRIBUTE_TOKENS: Final = 400
MAX_NESTED: Final = 16
"""Conditions within each other; deeper ones count as unknown."""

_QUOTES: Final = frozenset((b"quote", b"quote_spanned", b"parse_quote", b"parse_quote_spanned"))
"""Macros whose text is code that another program gets: a test in it tests nothing here."""
_ITEMS: Final = frozenset((b"fn", b"mod", b"impl", b"struct", b"enum", b"trait", b"union"))
_BLOCKS: Final = frozenset((b"if", b"match", b"for", b"while", b"loop", b"macro_rules"))
_STATEMENTS: Final = frozenset((b"use", b"static", b"type", b"let", b"crate"))
_MODIFIERS: Final = frozenset((b"default", b"unsafe", b"async", b"extern", b"safe"))
_AFTER_CONST: Final = frozenset((b"fn", b"unsafe", b"async", b"extern"))

END, DOC, WORD, LITERAL, SIGN = range(5)
ITEM, BLOCK, STATEMENT, PART = range(4)

_TOKEN: Final = re.compile(
    rb"[ \t\r\n\f\v]*+(?:(//[^\n]*+)|(/\*)|[bc]?r(#*+)\"|([bc]?\"(?:[^\"\\]|\\.)*+(?:\"|\\?\Z))"
    rb"|(b?'\\.[^'\n]{0,10}'|b?'(?:[\x00-\x09\x0b-\x26\x28-\x5b\x5d-\x7f]|[\xc0-\xff][\x80-\xbf]{1,3})'"
    rb"|'[A-Za-z0-9_\x80-\xff]++)"
    rb"|([A-Za-z0-9_\x80-\xff]++)|(.))",
    re.DOTALL,
)
_INNER: Final = re.compile(rb"#[ \t\r\n\f\v]*+[!/]")
"""What every attribute of the file begins with, also with a comment between its signs."""
_COMMENT_EDGE: Final = re.compile(rb"/\*|\*/")

Token = tuple[int, int, int]
"""Kind, start and stop. Comments are no tokens, but those that document the item after them are."""


class RustTests(NamedTuple):
    """Lines of each test, from 0 and before the second number, and names of modules in other files only for tests."""

    regions: list[tuple[int, int]]
    modules: list[bytes]


def find_rust_tests(data: bytes, lines: int) -> RustTests:
    """The tests that begin within so many lines, in order; the whole file where `#![cfg(test)]` says so.

    A line belongs to a test where its first text does. An item without an end counts as no test.
    """
    until = _start_of_line(data, lines)
    # Behind these lines only an attribute of the file says something of them.
    regions, modules = _find(data, len(data) if _INNER.search(data, until) is not None else until)
    found = []
    line = before = 0
    for start, stop in regions:
        line += data.count(b"\n", before, start)
        is_shared = bool(data[data.rfind(b"\n", 0, start) + 1 : start].strip())
        found.append((line + is_shared, line + data.count(b"\n", start, stop - 1) + 1))
        before = start
    return RustTests(found, modules)


def _start_of_line(data: bytes, number: int) -> int:
    at = 0
    for _ in range(number):
        at = data.find(b"\n", at) + 1
        if not at:
            return len(data)
    return at


def _find(data: bytes, until: int) -> tuple[list[tuple[int, int]], list[bytes]]:
    """Start and stop of the tests that begin before a position, and the modules for tests."""
    regions: list[tuple[int, int]] = []
    modules: list[bytes] = []
    start, is_test, depth, at = -1, False, 0, 0
    while True:
        kind, begin, stop = token = _read(data, at)
        if kind == END or (start < 0 and begin >= until):
            return regions, modules
        at = stop
        if kind == DOC:
            start = begin if start < 0 else start
            continue
        attribute = _read_attribute(data, token) if _is(data, token, b"#") else None
        if attribute is not None:
            content, at, is_inner = attribute
            if not is_inner:
                start = begin if start < 0 else start
                is_test = is_test or is_test_attribute(content)
            elif not depth and is_test_attribute(content):
                return [(0, len(data))], []
            continue
        if is_test:
            end = _item_end(data, token)
            if end < 0:
                return regions, modules
            regions.append((start, end))
            _note_module(data, token, modules)
            at = end
        elif kind == WORD and data[begin:stop] in _QUOTES:
            at = _skip_macro(data, stop)
        elif kind == SIGN:
            depth += (data[begin] == ord("{")) - (data[begin] == ord("}"))
        start, is_test = -1, False


def is_test_attribute(tokens: list[bytes]) -> bool:
    """Whether an attribute makes its item a test, or lets it exist in tests alone."""
    place = 0
    while place + 3 < len(tokens) and tokens[place + 1 : place + 3] == [b":", b":"]:
        place += 3
    if not tokens or len(tokens) > MAX_ATTRIBUTE_TOKENS:
        return False
    follows = tokens[place + 1 : place + 2]
    if place == 0 and tokens[0] == b"cfg" and follows == [b"("]:
        return _holds_only_in_tests(tokens, 2, 0)[0]
    return tokens[place] in TEST_ATTRIBUTES and follows in ([], [b"("])


def _holds_only_in_tests(tokens: list[bytes], at: int, nested: int) -> tuple[bool, int]:
    """Whether the condition at a token is false outside tests, and the position after it."""
    word = tokens[at] if at < len(tokens) else b""
    follows = tokens[at + 1 : at + 2]
    if follows != [b"("] or word not in (b"all", b"any") or nested == MAX_NESTED:
        return word in (b"test", b"doctest") and follows in ([], [b","], [b")"]), _skip_condition(tokens, at)
    members, at = [], at + 2
    while at < len(tokens) and tokens[at] != b")":
        holds, at = _holds_only_in_tests(tokens, at, nested + 1)
        members.append(holds)
        at += at < len(tokens) and tokens[at] == b","
    return bool(members) and (any(members) if word == b"all" else all(members)), at + 1


def _skip_condition(tokens: list[bytes], at: int) -> int:
    depth = 0
    while at < len(tokens) and not (depth == 0 and tokens[at] in (b",", b")")):
        depth += (tokens[at] == b"(") - (tokens[at] == b")")
        at += 1
    return at


def _read(data: bytes, at: int) -> Token:
    while True:
        match = _TOKEN.match(data, at)
        if match is None:
            return END, len(data), len(data)
        kind = match.lastindex
        if kind == 1:  # a line comment
            start, at = match.span(1)
            if data.startswith(b"///", start) and not data.startswith(b"////", start):
                return DOC, start, at
        elif kind == 2:  # a block comment
            start = match.start(2)
            at = _end_of_comment(data, start)
            # `/**/` and `/***` document nothing.
            if data.startswith(b"/**", start) and data[start + 3 : start + 4] not in (b"/", b"*"):
                return DOC, start, at
        elif kind == 3:  # a raw string
            closing = data.find(b'"' + match[3], match.end())
            stop = len(data) if closing < 0 else closing + 1 + len(match[3])
            return LITERAL, match.start(3), stop
        else:
            assert kind is not None
            return (LITERAL, LITERAL, WORD, SIGN)[kind - 4], *match.span(kind)


def _end_of_comment(data: bytes, start: int) -> int:
    depth, at = 0, start
    while edge := _COMMENT_EDGE.search(data, at):
        depth += 1 if edge[0] == b"/*" else -1
        at = edge.end()
        if not depth:
            return at
    return len(data)


def _is(data: bytes, token: Token, sign: bytes) -> bool:
    return token[0] == SIGN and data[token[1] : token[2]] == sign


def _read_attribute(data: bytes, mark: Token) -> tuple[list[bytes], int, bool] | None:
    """The tokens of an attribute, the position after it, and whether it belongs to what contains it."""
    token = _read(data, mark[2])
    is_inner = _is(data, token, b"!")
    if is_inner:
        token = _read(data, token[2])
    if not _is(data, token, b"["):
        return None
    tokens: list[bytes] = []
    depth = 1
    while True:
        kind, start, stop = token = _read(data, token[2])
        if kind == END:  # an open attribute: nothing after it is read
            return [], stop, True
        depth += _is(data, token, b"[") - _is(data, token, b"]")
        if not depth:
            return tokens, stop, is_inner
        if len(tokens) <= MAX_ATTRIBUTE_TOKENS:
            tokens.append(data[start:stop] if kind in (WORD, SIGN) else b'"')


def _skip_macro(data: bytes, at: int) -> int:
    """The position after the arguments of a macro whose name ends at `at`."""
    mark = _read(data, at)
    opener = _read(data, mark[2])
    if (
        not _is(data, mark, b"!")
        or opener[0] != SIGN
        or data[opener[1] : opener[2]] not in (b"(", b"[", b"{")
    ):
        return at
    depth, token = 1, opener
    while depth:
        token = _read(data, token[2])
        if token[0] == END:
            return token[2]
        if token[0] == SIGN:
            sign = data[token[1] : token[2]]
            depth += (sign in (b"(", b"[", b"{")) - (sign in (b")", b"]", b"}"))
    return token[2]


def _after_rights(data: bytes, after: Token) -> Token:
    """The token after the `(crate)` of `pub(crate)`, where it stands."""
    if _is(data, after, b"("):
        while after[0] != END and not _is(data, after, b")"):
            after = _read(data, after[2])
        after = _read(data, after[2])
    return after


def _form(data: bytes, token: Token) -> int:
    """How the item that begins with a token ends."""
    while token[0] in (WORD, LITERAL):
        word = data[token[1] : token[2]] if token[0] == WORD else b""
        after = _read(data, token[2])
        if word in _BLOCKS:
            return BLOCK
        if word in _STATEMENTS:
            return STATEMENT
        if word in _ITEMS:
            # A field can have the name `union`.
            return PART if _is(data, after, b":") else ITEM
        if word == b"const":
            if after[0] != WORD or data[after[1] : after[2]] not in _AFTER_CONST:
                return STATEMENT
        elif word == b"pub":
            after = _after_rights(data, after)
        elif word and word not in _MODIFIERS:
            return PART
        token = after
    return BLOCK if _is(data, token, b"{") else PART


def _item_end(data: bytes, token: Token) -> int:
    """The position after the item that begins with a token; -1 where it does not end.

    It ends with its first block, with a semicolon, and a part of a list with its comma.
    """
    form = _form(data, token)
    is_if = token[0] == WORD and data[token[1] : token[2]] == b"if"
    has_angles = form in (ITEM, PART)
    depth = angles = 0
    last = token[1]
    while token[0] != END:
        sign = data[token[1] : token[2]] if token[0] == SIGN else b""
        if sign in (b"(", b"[", b"{"):
            depth += 1
        elif sign in (b")", b"]", b"}"):
            if not depth:
                return last
            depth -= 1
            if sign == b"}" and not depth and not angles and form != STATEMENT:
                end = _end_of_block(data, token[2], form, is_if=is_if)
                if end:
                    return end
        elif sign and not depth:
            if sign == b";" or (sign == b"," and form == PART and not angles):
                return token[2]
            if sign == b"=":
                angles, has_angles = 0, has_angles and form != PART
            elif has_angles and sign == b"<":
                angles += 1
            elif sign == b">" and angles and data[token[1] - 1] not in b"-=":
                angles -= 1
        last = token[2]
        token = _read(data, token[2])
    return -1


def _end_of_block(data: bytes, stop: int, form: int, *, is_if: bool) -> int:
    """Where the item ends whose block ends at `stop`; 0 where it goes on."""
    kind, start, end = _read(data, stop)
    text = data[start:end]
    if is_if and kind == WORD and text == b"else":
        return 0
    if form == PART:
        if (kind == SIGN and text in (b"=", b".", b"?", b"|")) or (kind == WORD and text == b"if"):
            return 0
        return end if kind == SIGN and text == b"," else stop
    return stop


def _note_module(data: bytes, token: Token, modules: list[bytes]) -> None:
    """Note the name of a module that is another file: `mod name;`."""
    while token[0] == WORD and data[token[1] : token[2]] == b"pub":
        token = _after_rights(data, _read(data, token[2]))
    if token[0] == WORD and data[token[1] : token[2]] == b"mod":
        name = _read(data, token[2])
        if name[0] == WORD and _is(data, _read(data, name[2]), b";"):
            modules.append(data[name[1] : name[2]])
