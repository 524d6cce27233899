"""Kinds, logical lines and features of the changed lines on one side of a hunk.

Keep out: constructs of several lines (`comments`), facts of a single line (`tokens`) and comparing the two sides
(`token_diff`). Only a hunk and the lines around it are read, never a whole file.

A *logical line* is its physical code lines, joined while the innermost open bracket is `(` or `[`, at most ten of
them; comment and blank lines in between are not part of it. Its facts come only from its changed lines. The first of
these, the *head*, holds the facts; the others point to it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from ingest.git.lexing.comments import flatten
from ingest.git.lexing.constructs import constructs_of, contains_any, line_comment_pattern
from ingest.git.lexing.languages import Language, Names
from ingest.git.lexing.logical_lines import logical_starts
from ingest.git.lexing.tokens import LINES, Shapes, layout_hash
from ingest.git.lexing.wrapping import Wrapping

BLANK: Final = 0
COMMENT: Final = 1
CODE: Final = 2


class Features:
    """Facts of the changed lines of one side of one hunk, as parallel lists.

    All but `kind` describe the code of a line without its comments, so that a comment at the end of a line has no
    effect. For a comment line they describe the comment.

    kind: BLANK, COMMENT (comment or docstring only) or CODE.
    owner: position of the head of its logical line; a head's own position, so `owner[i] == i` tells heads.
    text: of a head, the changed part of its logical line, whose tokens are compared; empty on other lines.
    bare: the same without layout (wrapping.py).
    token_count: of a head, how many tokens its text has; 0 on other lines.
    line_hash: of the physical line, white space normalised; 0 on blank lines.
    layout_hash: of the changed part of the logical line, free of layout, the same on all its lines; 0 if blank.
    shape_hash: of the same with names and literals abstracted; of a comment and of prose, the line's own hash.
    """

    __slots__ = ("bare", "kind", "layout_hash", "line_hash", "owner", "shape_hash", "text", "token_count")

    def __init__(self, kind: list[int], text: list[bytes]) -> None:
        facts = [LINES[line] for line in text]
        self.kind = kind
        self.owner = list(range(len(text)))
        self.text = text
        self.bare = text
        self.token_count = [fact[0] for fact in facts]
        self.line_hash = [fact[1] for fact in facts]
        self.layout_hash = [fact[2] for fact in facts]
        self.shape_hash: list[int] = []

    def __len__(self) -> int:
        return len(self.kind)


class _Lexer:
    """The patterns that mask and abstract the lines of a language."""

    __slots__ = (
        "_comments",
        "_events",
        "_strings",
        "constructs",
        "is_prose",
        "joins",
        "keeps_literals",
        "line_comments",
        "marks",
        "shapes",
        "wraps",
    )

    def __init__(self, language: Language) -> None:
        self.constructs = constructs_of(language)
        self._strings = re.compile(language.strings).sub if language.strings else None
        self.line_comments = language.line_comments
        self._comments = re.compile(line_comment_pattern(language)).sub if language.line_comments else None
        comment = line_comment_pattern(language) if language.line_comments else rb"(?!)"
        literals = language.strings + rb"|" if language.strings else b""
        self._events = re.compile(literals + rb"(" + comment + rb")").finditer
        self.marks = language.line_comments or (b"\0\0",)
        self.shapes = Shapes(language)
        self.joins = language.joins_lines
        self.wraps = language.joins_lines and language.names is Names.CALLS
        """Round brackets may merely wrap an expression; in a shell, for example, they make lists."""
        self.is_prose = language.is_prose
        self.keeps_literals = language.names is Names.KEYS
        """Shapes keep the literals of lines, because they may be keys."""

    def code_length(self, line: bytes) -> int:
        """The start of the line comment of `line`, or its length without one."""
        for event in self._events(line):
            if event[1] is not None:
                return event.start()
        return len(line)

    def masked(self, text: bytes) -> bytes:
        """`text` without line comments, each literal being one `"`; its line ends stay."""
        if self._strings is not None:
            text = self._strings(b'"', text)
        if self._comments is not None and any(mark in text for mark in self.line_comments):
            text = self._comments(b"", text)
        return text


@cache
def _lexer_of(language: Language) -> _Lexer:
    return _Lexer(language)


def features(
    language: Language,
    lines: Sequence[bytes],
    changed: Sequence[int],
    inside: bytes | None = None,
    *,
    with_shapes: bool = True,
    with_bare: bool = True,
) -> Features:
    """The features of the lines at the ascending positions `changed` of `lines`.

    `lines` are physical lines without line ends (a carriage return is ignored): the changed ones and some before and
    between them, which show open brackets. `inside` is the result of `comments.open_comment` for the first line.
    Without `with_shapes`, `shape_hash` stays empty: a removed side does not need it. Without `with_bare`, `bare` is
    `text`: where one side is empty there is no new layout.
    """
    if not changed:
        return Features([], [])
    lexer = _lexer_of(language)
    lines = lines[: changed[-1] + 1]
    flat, uncommented = _flat(lexer, language, lines, inside)
    flat_text = b"\n".join(flat)
    stripped = [lines[position].strip() for position in changed]
    kinds = _kinds(lexer, stripped, flat, changed)
    _cut_comments(lexer, kinds, stripped, flat, uncommented, changed, flat_text)
    found = Features(kinds, stripped)
    if lexer.is_prose or not (lexer.joins or with_shapes):
        found.shape_hash = found.line_hash if with_shapes else []
        return found
    masked_text = lexer.masked(flat_text)
    masked = masked_text.split(b"\n")
    codes = found.text if lexer.keeps_literals else [masked[position].strip() for position in changed]
    if with_shapes:
        shapes = lexer.shapes
        found.shape_hash = [shapes[code] for code in codes]
        if COMMENT in kinds:
            for at, kind in enumerate(kinds):
                if kind == COMMENT:
                    found.shape_hash[at] = found.line_hash[at]
    if with_bare and lexer.wraps:
        bare = Wrapping(masked_text).bare(found.text, changed)
        # The same list object where nothing was found: the comparison tests for that.
        found.bare = bare if bare != found.text else found.text
    if lexer.joins:
        starts = logical_starts(language, flat, masked, masked_text, lexer.marks)
        if starts is not None:
            _join(found, lexer, list(codes), [starts[position] for position in changed])
    return found


def _flat(
    lexer: _Lexer, language: Language, lines: Sequence[bytes], inside: bytes | None
) -> tuple[Sequence[bytes], dict[int, bytes]]:
    """`lines` without constructs of several lines; and the changed lines with only such comments removed."""
    if inside is None and not contains_any(lexer.constructs, b"\n".join(lines)):
        return lines, {}
    return flatten(language, lines, inside)


def _cut_comments(
    lexer: _Lexer,
    kinds: Sequence[int],
    texts: list[bytes],
    flat: Sequence[bytes],
    uncommented: dict[int, bytes],
    changed: Sequence[int],
    flat_text: bytes,
) -> None:
    """Remove the comments from each line of code in `texts`."""
    if uncommented:
        for at, position in enumerate(changed):
            if position in uncommented and kinds[at] == CODE:
                texts[at] = uncommented[position].strip()
    for mark in lexer.line_comments:
        if mark not in flat_text:
            continue
        for at in [at for at, text in enumerate(texts) if mark in text]:
            if kinds[at] == CODE:
                line = flat[changed[at]].strip()
                # The text after the last construct is the same in both.
                texts[at] = texts[at][: len(texts[at]) - len(line) + lexer.code_length(line)].rstrip()


def _kinds(
    lexer: _Lexer, stripped: Sequence[bytes], flat: Sequence[bytes], changed: Sequence[int]
) -> list[int]:
    marks = lexer.marks
    codes = [flat[position].strip() for position in changed]
    return [
        (COMMENT if not code or code.startswith(marks) else CODE) if line else BLANK
        for line, code in zip(stripped, codes, strict=True)
    ]


def _join(found: Features, lexer: _Lexer, codes: Sequence[bytes], starts: Sequence[int]) -> None:
    """Set the facts of logical lines with several changed lines on their heads."""
    members: dict[int, list[int]] = {}
    for at, start in enumerate(starts):
        members.setdefault(start, []).append(at)
    for positions in members.values():
        head, *others = positions
        if not others:
            continue
        text = b"\n".join([found.text[at] for at in positions])
        layout = layout_hash(text)
        if found.bare is not found.text:
            found.bare[head] = b"\n".join([found.bare[at] for at in positions])
        found.text[head] = text
        for at in others:
            found.owner[at] = head
            found.token_count[head] += found.token_count[at]
            found.token_count[at] = 0
            found.text[at] = found.bare[at] = b""
        for at in positions:
            found.layout_hash[at] = layout
        if found.shape_hash:
            # Without the cache: joined lines seldom repeat.
            shape = lexer.shapes.hash(b"\n".join([codes[at] for at in positions]))
            for at in positions:
                found.shape_hash[at] = shape


def count_kinds(
    language: Language, lines: Sequence[bytes], changed: Sequence[int], inside: bytes | None = None
) -> tuple[int, int, int]:
    """Count code, comment and blank lines among the changed ones. The arguments are those of `features`."""
    if not changed:
        return 0, 0, 0
    lexer = _lexer_of(language)
    lines = lines[: changed[-1] + 1]
    flat, _ = _flat(lexer, language, lines, inside)
    kinds = _kinds(lexer, [lines[position].strip() for position in changed], flat, changed)
    return kinds.count(CODE), kinds.count(COMMENT), kinds.count(BLANK)
