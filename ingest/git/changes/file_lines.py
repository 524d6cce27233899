"""Facts of the changed lines of one delivered file, in packed columns because they are pickled."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from functools import partial

from ingest.git.lexing.line_features import Features

NO_SOURCE = -1


@dataclass(slots=True)
class BlockLines:
    """A block of neighbouring hunks, as ranges of the file's removed and added lines.

    The features are kept where both sides changed, because tokens are counted again once the fresh removed lines are
    known.
    """

    removed_start: int
    removed_stop: int
    added_start: int
    added_stop: int
    removed: Features | None = None
    added: Features | None = None


@dataclass(slots=True)
class FileLines:
    """Added lines and removed lines of one file, each in file order."""

    kinds: bytearray = field(default_factory=bytearray)
    heads: bytearray = field(default_factory=bytearray)
    """1 on the first physical line of a logical line of code."""
    tokens: bytearray = field(default_factory=bytearray)
    """New tokens per added line, 0–31, 0 on continuation lines."""
    sizes: bytearray = field(default_factory=bytearray)
    """All tokens per added line, 0–255."""
    line_hashes: array[int] = field(default_factory=partial(array, "Q"))
    shapes: array[int] = field(default_factory=partial(array, "Q"))
    is_layout: bytearray = field(default_factory=bytearray)
    layout_from: array[int] = field(default_factory=partial(array, "i"))
    """For heads of layout lines: index among the removed lines; NO_SOURCE for all other lines."""
    removed_gone: bytearray = field(default_factory=bytearray)
    """1 where at least one token of the removed line is not added back in its block."""
    removed_layout: bytearray = field(default_factory=bytearray)
    """1 where a layout line continues the removed line."""
    blocks: list[BlockLines] = field(default_factory=list)
    substitutions: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Added line → hashes of the word replacements that turn a removed line into it."""


@dataclass(slots=True)
class KindCounts:
    """Numbers of changed code, comment and blank lines."""

    code_added: int = 0
    comment_added: int = 0
    blank_added: int = 0
    code_deleted: int = 0
    comment_deleted: int = 0
    blank_deleted: int = 0

    def add(self, added: tuple[int, int, int], deleted: tuple[int, int, int]) -> None:
        """Count code, comment and blank lines of both sides."""
        self.code_added += added[0]
        self.comment_added += added[1]
        self.blank_added += added[2]
        self.code_deleted += deleted[0]
        self.comment_deleted += deleted[1]
        self.blank_deleted += deleted[2]
