"""Kinds, logical lines and features of the changed lines on one side of a hunk.

Keep out: constructs that run over lines (comments.py), what a single line tells (tokens.py) and comparing the two
sides (comparison.py). Only a hunk and the lines around it are read, never a whole file.

A *logical line* is its physical code lines, joined while the innermost open bracket is `(` or `[`, at most ten of
them; comment and blank lines in between are not part of it. Its facts come from its changed lines alone and sit on
the first of them, the *head*; the others point to it.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from ingest.git.comments import contains_any, constructs_of, flatten, line_comment_pattern
from ingest.git.languages import Language, Names
from ingest.git.tokens import LINES, Shapes, layout_hash

BLANK: Final = 0
COMMENT: Final = 1
CODE: Final = 2

# A longer call is cut, so that a table of data is not one line.
LOGICAL_LINE_LIMIT: Final = 10

_NOT_BRACKETS: Final = bytes(c for c in range(256) if c not in b"()[]{}\n")
_OPENER_OF: Final = {0x29: 0x28, 0x5D: 0x5B, 0x7D: 0x7B}
_BRACE: Final = 0x7B
# Depth of nesting on one line that is folded at C speed; what is nested deeper is walked.
_FOLDS: Final = 8
_MARKUP: Final = re.compile(rb"\s*<[/A-Za-z>]")


class Features:
    """Facts of the changed lines of one side of one hunk, as parallel lists.

    kind: BLANK, COMMENT (comment or docstring only) or CODE.
    owner: position of the head of its logical line; a head's own position, so `owner[i] == i` tells heads.
    tokens: on heads the token ids of the changed part of the logical line, empty elsewhere and on blank lines.
    line_hash: of the physical line, white space normalised; 0 on blank lines.
    layout_hash: of the changed part of the logical line, free of layout; the same on all its lines; 0 on blank lines.
    shape_hash: of the same with names and literals abstracted; a comment's and prose's is the line itself.
    """

    __slots__ = ("kind", "layout_hash", "line_hash", "owner", "shape_hash", "tokens")

    def __init__(self) -> None:
        self.kind: list[int] = []
        self.owner: list[int] = []
        self.tokens: list[tuple[int, ...]] = []
        self.line_hash: list[int] = []
        self.layout_hash: list[int] = []
        self.shape_hash: list[int] = []

    def __len__(self) -> int:
        return len(self.kind)


class _Lexer:
    """What a language's lines are masked and abstracted with."""

    __slots__ = (
        "_comments",
        "_line_comments",
        "_strings",
        "constructs",
        "joins",
        "keeps_literals",
        "marks",
        "shapes",
    )

    def __init__(self, language: Language) -> None:
        self.constructs = constructs_of(language)
        self._strings = re.compile(language.strings).sub if language.strings else None
        self._line_comments = language.line_comments
        self._comments = re.compile(line_comment_pattern(language)).sub if language.line_comments else None
        self.marks = language.line_comments or (b"\0\0",)
        self.shapes = Shapes(language)
        self.joins = language.joins_lines
        self.keeps_literals = language.names is Names.KEYS
        """Shapes are made from lines with their literals, which may be keys."""

    def masked(self, text: bytes) -> bytes:
        """`text` without line comments, each literal being one `"`; its line ends stay."""
        if self._strings is not None:
            text = self._strings(b'"', text)
        if self._comments is not None and any(mark in text for mark in self._line_comments):
            text = self._comments(b"", text)
        return text


@cache
def _lexer_of(language: Language) -> _Lexer:
    return _Lexer(language)


def features(
    language: Language, lines: Sequence[bytes], changed: Sequence[int], inside: bytes | None = None
) -> Features:
    """The features of the lines at the ascending positions `changed` of `lines`.

    `lines` are physical lines without line ends (a carriage return is ignored): the changed ones and, so that open
    brackets and comments are seen, some around them. `inside` is what `comments.open_comment` says of the first.
    """
    lexer = _lexer_of(language)
    flat = _flat(lexer, language, lines, inside)
    masked = lexer.masked(b"\n".join(flat)).split(b"\n")
    starts = _logical_starts(language, flat, masked, lexer) if lexer.joins else None
    if starts is not None:
        return _joined(lexer, lines, changed, flat, masked, starts)
    sources = flat if lexer.keeps_literals else masked
    shapes, marks = lexer.shapes, lexer.marks
    found = Features()
    kind, tokens = found.kind, found.tokens
    line_hash, layout, shape = found.line_hash, found.layout_hash, found.shape_hash
    for position in changed:
        line = lines[position].strip()
        if not line:
            kind.append(BLANK)
            tokens.append(())
            line_hash.append(0)
            layout.append(0)
            shape.append(0)
            continue
        facts = LINES[line]
        tokens.append(facts[0])
        line_hash.append(facts[1])
        layout.append(facts[2])
        code = flat[position].strip()
        if not code or code.startswith(marks):
            kind.append(COMMENT)
            shape.append(facts[1])
        else:
            kind.append(CODE)
            shape.append(shapes[sources[position].strip()])
    found.owner = list(range(len(kind)))
    return found


def _flat(lexer: _Lexer, language: Language, lines: Sequence[bytes], inside: bytes | None) -> Sequence[bytes]:
    if inside is None and not contains_any(lexer.constructs, b"\n".join(lines)):
        return lines
    return flatten(language, lines, inside)


def _logical_starts(
    language: Language, flat: Sequence[bytes], masked: Sequence[bytes], lexer: _Lexer
) -> list[int] | None:
    """For each line the position of the line that its logical line begins with; None if each is its own."""
    brackets = b"\n".join(masked).translate(None, _NOT_BRACKETS)
    for _ in range(_FOLDS):
        length = len(brackets)
        brackets = brackets.replace(b"()", b"").replace(b"[]", b"").replace(b"{}", b"")
        if len(brackets) == length:
            break
    if len(brackets) < len(masked):
        return None
    starts: list[int] = []
    stack: list[int] = []
    start = count = 0
    for position, left_open in enumerate(brackets.split(b"\n")):
        code = flat[position].strip()
        if not code or code.startswith(lexer.marks):
            starts.append(position)
            continue
        if (
            count == 0
            or count == LOGICAL_LINE_LIMIT
            or not stack
            or (stack[-1] == _BRACE and language.braces_are_blocks)
            or (language.has_markup and _MARKUP.match(masked[position]))
        ):
            start, count = position, 0
        count += 1
        starts.append(start)
        for bracket in left_open:
            opener = _OPENER_OF.get(bracket)
            if opener is None:
                stack.append(bracket)
            elif opener in stack:
                # A closer whose opener stands before the lines that were read closes nothing here.
                while stack.pop() != opener:
                    pass
    return starts


def _joined(
    lexer: _Lexer,
    lines: Sequence[bytes],
    changed: Sequence[int],
    flat: Sequence[bytes],
    masked: Sequence[bytes],
    starts: Sequence[int],
) -> Features:
    """Features where some lines are joined."""
    found = Features()
    parts: dict[int, list[int]] = {}
    for at, position in enumerate(changed):
        line = lines[position].strip()
        code = flat[position].strip()
        facts = LINES[line]
        if not line:
            kind = BLANK
        elif not code or code.startswith(lexer.marks):
            kind = COMMENT
        else:
            kind = CODE
            parts.setdefault(starts[position], []).append(at)
        found.kind.append(kind)
        found.owner.append(at)
        found.tokens.append(facts[0])
        found.line_hash.append(facts[1] if line else 0)
        found.layout_hash.append(facts[2] if line else 0)
        found.shape_hash.append(facts[1] if line else 0)
    sources = flat if lexer.keeps_literals else masked
    for members in parts.values():
        head = members[0]
        if len(members) == 1:
            found.shape_hash[head] = lexer.shapes[sources[changed[head]].strip()]
            continue
        positions = [changed[at] for at in members]
        layout = layout_hash(b"\n".join([lines[position] for position in positions]))
        # Not from the cache: joined lines seldom repeat.
        shape = lexer.shapes.hash(b"\n".join([sources[position] for position in positions]))
        tokens: list[int] = []
        for at in members:
            tokens.extend(found.tokens[at])
            found.owner[at] = head
            found.tokens[at] = ()
            found.layout_hash[at] = layout
            found.shape_hash[at] = shape
        found.tokens[head] = tuple(tokens)
    return found


def count_kinds(
    language: Language, lines: Sequence[bytes], changed: Sequence[int], inside: bytes | None = None
) -> tuple[int, int, int]:
    """How many of the changed lines are code, comment and blank; the arguments are those of `features`."""
    lexer = _lexer_of(language)
    flat = _flat(lexer, language, lines, inside)
    comment = blank = 0
    marks = lexer.marks
    for position in changed:
        code = flat[position].strip()
        if not code:
            if flat is lines or not lines[position].strip():
                blank += 1
            else:
                comment += 1
        elif code.startswith(marks):
            comment += 1
    return len(changed) - comment - blank, comment, blank
