"""Facts of the changed lines of one delivered file, in packed columns because they pass between processes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

NO_SOURCE = -1


class FileLines(NamedTuple):
    """Added lines and removed lines of one file, each in file order.

    A column holds one number a line, in the byte order of the machine: a byte, where nothing else is said.
    """

    kinds: bytes = b""
    """Of added lines: BLANK, COMMENT or CODE of `lexing.line_features`."""
    heads: bytes = b""
    """1 on the first physical line of a logical line of code."""
    tokens: bytes = b""
    """New tokens per added line, 0–31, 0 on continuation lines."""
    sizes: bytes = b""
    """All tokens per added line, 0–255."""
    line_hashes: bytes = b""
    """Of added lines, unsigned 64 bits."""
    shapes: bytes = b""
    """The same of their shapes."""
    is_layout: bytes = b""
    layout_from: bytes = b""
    """For heads of layout lines: index among the removed lines; NO_SOURCE for all other lines. Signed 32 bits."""
    removed_gone: bytes = b""
    """1 where at least one token of the removed line is not added back in its block."""
    removed_layout: bytes = b""
    """1 where a layout line continues the removed line."""
    blocks: bytes = b""
    """Five numbers of 32 bits a block of neighbouring hunks: start and stop of its removed lines, start and stop of
    its added lines, and the index of its recount, NO_SOURCE where only one side changed."""
    recounts: Sequence[bytes] = ()
    """What `lexing.token_diff.own_tokens` needs, of the blocks where both sides changed: tokens are counted again
    once the fresh removed lines are known."""
    substitutions: Mapping[int, tuple[int, ...]] = {}
    """Added line → index of a removed line, and hashes of the replacements of words or runs of tokens between both."""
    in_tests: bytes = b""
    """1 for an added line inside a test construct of a source file; empty where none is."""
    reworded: Mapping[int, tuple[str, int]] = {}
    """Added line with the words of removed lines → path of a file of the change, and index of a removed line in it. The
    path is empty where the words stand in a file that stays."""
    kept_words: Sequence[int] = ()
    """Removed lines whose words all stand in reworded lines."""


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
