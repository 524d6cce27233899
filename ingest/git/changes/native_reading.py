"""The compiled reader of changed files, with the language tables it needs. Oracle: `line_reading`."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from functools import cache
from typing import Any

from ingest.git import native
from ingest.git.changes.commit_changes import FileChange
from ingest.git.changes.file_lines import FileLines, KindCounts
from ingest.git.diff.context import Surroundings
from ingest.git.diff.hunks import Hunk, hunk_lines, make_patch
from ingest.git.diff.texts import Text
from ingest.git.lexing.constructs import STRING_MARK, constructs_of
from ingest.git.lexing.languages import LANGUAGES, UNKNOWN, Language, Names, model
from ingest.git.lexing.languages.braced import VERBATIM

LITERALS = {
    "DOUBLE": model.DOUBLE,
    "SINGLE": model.SINGLE,
    "RAW_DOUBLE": model.RAW_DOUBLE,
    "RAW_SINGLE": model.RAW_SINGLE,
    "CHARACTER": model.CHARACTER,
    "ATTRIBUTES": model.ATTRIBUTES,
    "VERBATIM": VERBATIM,
}
"""Patterns of literals by the names that the kernel has for them."""


class CommentRule(IntEnum):
    """The positions at which a line comment may begin."""

    NO_COMMENT = 0
    WHOLE_LINE = 1
    AFTER_SPACE = 2
    NOT_AFTER_COLON = 3
    ANYWHERE = 4


class NativeReader:
    """Reads changed files with the compiled module."""

    def __init__(self, module: Any) -> None:
        self._reader = module.Reader()
        self._one_hunk = module.OneHunk()
        self._around = module.Around()
        self._language = cache(lambda language: compile_language(module, language))

    def draw(self, old: Text, new: Text, context: int) -> bytes:
        """The patch between two texts, from its first hunk on where libgit2 is not needed to find it."""
        found: bytes | None = self._one_hunk.draw(old.data, new.data, context)
        return make_patch(old, new, context).data if found is None else found

    def hunks(self, patch: bytes) -> list[Hunk]:
        found: list[Hunk] = self._reader.hunks(patch)
        return found

    def surroundings(self, old: Text, hunks: Sequence[Hunk]) -> Surroundings:
        """The lines around the hunks in the old text."""
        near, weights, function = self._around.find(old.data, hunks)
        return Surroundings(near, weights, function, old.count_lines())

    def read(
        self,
        change: FileChange,
        patch: bytes | None,
        old: Text | None,
        new: Text | None,
        *,
        delivered: bool,
        is_tool_made: bool,
    ) -> Sequence[bytes]:
        """Set the facts of a changed file, and return its added lines that may hold references.

        Without a version before or after there is no `patch`.
        """
        language = LANGUAGES.get(change.language, UNKNOWN)
        needs_texts = patch is None or bool(constructs_of(language).markers)
        change.hunks, symbols, counts, lines, change.content_hash, references = self._reader.read(
            self._language(language),
            patch,
            old.data if old is not None and needs_texts else None,
            new.data if new is not None and needs_texts else None,
            delivered,
            is_tool_made,
            not is_tool_made and not language.is_prose,
        )
        change.symbols = list(dict.fromkeys(symbol.decode("utf-8", "replace")[:200] for symbol in symbols))
        change.counts = KindCounts(*counts)
        change.lines = None if lines is None else FileLines(**lines)
        change.lines_added, change.lines_deleted = hunk_lines(change.hunks)
        if old is not None and new is not None and change.hunks:
            new.note_lines(old.count_lines() + change.lines_added - change.lines_deleted)
        return references or ()


def native_reader() -> NativeReader | None:
    """A compiled reader, None where Python is the engine. Raises NoEngine."""
    module = native.load("_changes")
    return None if module is None else NativeReader(module)


def compile_language(module: Any, language: Language) -> Any:
    """The syntax of a language for the compiled module. Raises ValueError for a literal that it does not know."""
    constructs = constructs_of(language)
    free = [
        (opener, close, STRING_MARK + close, opener in constructs.strings, opener in constructs.docstrings)
        for opener, close in constructs.closers.items()
    ]
    anchored = [(opener, close, STRING_MARK + close, False, False) for opener, close in constructs.anchored]
    return module.Language(
        free_blocks=free,
        anchored=anchored,
        delimiters=list(constructs.delimiters),
        marks=list(language.line_comments),
        comment=_comment_rule(language),
        strings=_literals(language.strings),
        keywords=sorted(language.keywords),
        names=list(Names).index(language.names),
        is_prose=language.is_prose,
        joins=language.joins_lines,
        braces_are_blocks=language.braces_are_blocks,
        has_markup=language.has_markup,
    )


def _comment_rule(language: Language) -> CommentRule:
    if not language.line_comments:
        return CommentRule.NO_COMMENT
    if language.comment_is_whole_line:
        return CommentRule.WHOLE_LINE
    if language.comment_needs_space:
        return CommentRule.AFTER_SPACE
    return CommentRule.NOT_AFTER_COLON if b"//" in language.line_comments else CommentRule.ANYWHERE


def _literals(pattern: bytes) -> list[int]:
    """The literals in a pattern, in order, by their positions in LITERALS. Raises ValueError."""
    found = []
    while pattern:
        for number, literal in enumerate(LITERALS.values()):
            if pattern == literal or pattern.startswith(literal + b"|"):
                found.append(number)
                pattern = pattern[len(literal) + 1 :]
                break
        else:
            raise ValueError(f"the compiled reader does not know the literal {pattern!r}")
    return found
