"""The difference between two versions of a file as Git draws it: hunks, and the lines around them.

Oracle: `git log --numstat -M`. Keep out: which files to compare (`renames`), the meaning of a line (`lexing`), its
author (`blame`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import pygit2

from ingest.git.diff.texts import Text, split_lines

CONTEXT = 6
"""Unchanged lines kept on each side of a hunk, for lexing: changes closer than twice this share a block."""


_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)", re.DOTALL)
_INDENT = pygit2.enums.DiffOption.INDENT_HEURISTIC

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""U+FEFF in UTF-8. Editors put it before the first line, and it says nothing about the text."""

Hunk = tuple[int, int, int, int]
"""old_start, old_lines, new_start, new_lines as in a zero-context patch."""


@dataclass(slots=True)
class Block:
    """Neighbouring hunks with their context: the lines of both sides, and the positions of those that changed."""

    old_lines: list[bytes] = field(default_factory=list)
    old_changed: list[int] = field(default_factory=list)
    new_lines: list[bytes] = field(default_factory=list)
    new_changed: list[int] = field(default_factory=list)
    old_offset: int = 0
    """The byte offset of the block; not set without context."""
    new_offset: int = 0


@dataclass(slots=True)
class TextDiff:
    """Hunks and blocks between two contents. `symbols` are the enclosing symbols Git names."""

    hunks: list[Hunk]
    blocks: list[Block]
    symbols: list[str]


def compare_texts(old: Text | None, new: Text | None, context: int = CONTEXT) -> TextDiff:
    """The difference between two texts; None stands for no file."""
    diff = TextDiff([], [], [])
    if old is None or new is None:
        _read_whole_file(old, new, diff)
        return diff
    patch = make_patch(old, new, context)
    lines = split_lines(patch.data)
    for start, stop in _hunk_spans(lines):
        _read_hunk(lines, start, stop, diff)
    if context:
        _place(diff.blocks, patch.hunks)
    if BYTE_ORDER_MARK in patch.data:
        _drop_marks(diff.blocks)
    if diff.hunks:  # empty where libgit2 takes a text for binary
        added, deleted = hunk_lines(diff.hunks)
        new.note_lines(old.count_lines() + added - deleted)
    return diff


def make_patch(old: Text, new: Text, context: int) -> pygit2.Patch:
    """The patch between two texts, as Git draws it."""
    # Without paths libgit2 looks for no attributes. With its default path, `file`, it reads the attribute files of the
    # machine and of the repository at every patch, which took a third of the time and could change the difference.
    return pygit2.Patch.create_from(
        old.blob, new.blob, old_as_path="", new_as_path="", flag=_INDENT, context_lines=context
    )


def _read_whole_file(old: Text | None, new: Text | None, diff: TextDiff) -> None:
    text = new or old
    lines = split_lines(text.data) if text is not None else []
    every = list(range(len(lines)))
    if text is not None:
        text.note_lines(len(lines))
    if lines and new:
        diff.hunks.append((0, 0, 1, len(lines)))
        diff.blocks.append(Block(new_lines=lines, new_changed=every))
    elif lines:
        diff.hunks.append((1, len(lines), 0, 0))
        diff.blocks.append(Block(old_lines=lines, old_changed=every))
    _drop_marks(diff.blocks)


def _drop_marks(blocks: Iterable[Block]) -> None:
    """Take the byte order mark from the lines that begin with it, which are no others without it."""
    for block in blocks:
        block.old_lines = [line.removeprefix(BYTE_ORDER_MARK) for line in block.old_lines]
        block.new_lines = [line.removeprefix(BYTE_ORDER_MARK) for line in block.new_lines]


def _hunk_spans(lines: list[bytes]) -> Iterator[tuple[int, int]]:
    starts = [i for i, line in enumerate(lines) if line.startswith(b"@@ ")]
    # Equal texts have no hunk: a merge may differ from a parent by a file's mode alone.
    yield from zip(starts, [*starts[1:], len(lines)][: len(starts)], strict=True)


def _read_hunk(lines: list[bytes], start: int, stop: int, diff: TextDiff) -> None:
    """Append the block and the zero-context hunks of lines[start:stop] of a patch."""
    header = _HUNK.match(lines[start])
    assert header is not None
    old_start, old_count, new_start, new_count, symbol = header.groups()
    # For a side without lines Git writes the number of the line before.
    old_line = int(old_start) + (old_count == b"0")
    new_line = int(new_start) + (new_count == b"0")
    block = Block()
    if symbol.strip():
        diff.symbols.append(symbol.strip().decode("utf-8", "replace")[:200])
    old_lines, old_changed, new_lines, new_changed = (
        block.old_lines, block.old_changed, block.new_lines, block.new_changed,
    )  # fmt: skip
    removed = added = 0
    for line in lines[start + 1 : stop]:
        mark = line[:1]
        if mark == b"+":
            added += 1
            new_changed.append(len(new_lines))
            new_lines.append(line[1:])
        elif mark == b"-":
            removed += 1
            old_changed.append(len(old_lines))
            old_lines.append(line[1:])
        elif mark == b" ":
            if removed or added:
                diff.hunks.append(_zero_context(old_line, removed, new_line, added))
                old_line, new_line = old_line + removed, new_line + added
                removed = added = 0
            old_line, new_line = old_line + 1, new_line + 1
            text = line[1:]
            old_lines.append(text)
            new_lines.append(text)
    if removed or added:
        diff.hunks.append(_zero_context(old_line, removed, new_line, added))
    diff.blocks.append(block)


def _place(blocks: Sequence[Block], hunks: Sequence[pygit2.DiffHunk]) -> None:
    """Set the byte offsets of the blocks. Between the blocks both texts are the same."""
    grown = 0
    for block, hunk in zip(blocks, hunks, strict=True):
        first = min([*block.old_changed[:1], *block.new_changed[:1]])
        changed = hunk.lines[first]
        side = block.old_lines if changed.origin == "-" else block.new_lines
        offset = changed.content_offset - _size(side[:first])
        block.old_offset = offset if changed.origin == "-" else offset - grown
        block.new_offset = block.old_offset + grown
        grown += _size([block.new_lines[i] for i in block.new_changed])
        grown -= _size([block.old_lines[i] for i in block.old_changed])


def _size(lines: Sequence[bytes]) -> int:
    """Size of lines in bytes, newlines included."""
    return len(lines) + sum(map(len, lines))


def _zero_context(old_line: int, removed: int, new_line: int, added: int) -> Hunk:
    return (old_line - (removed == 0), removed, new_line - (added == 0), added)


def hunk_lines(hunks: Iterable[Hunk]) -> tuple[int, int]:
    """Lines added and deleted."""
    added = deleted = 0
    for _, old, _, new in hunks:
        added, deleted = added + new, deleted + old
    return added, deleted
