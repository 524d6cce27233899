"""From the text of a difference to the facts of its changed lines: lexing and comparing, block by block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pygit2
from xxhash import xxh3_64_hexdigest

from ingest.git.comments import open_comment
from ingest.git.comparison import compare
from ingest.git.diffs import Block, TextDiff
from ingest.git.file_lines import NO_SOURCE, BlockLines, FileLines
from ingest.git.languages import Language
from ingest.git.lexing import BLANK, CODE, COMMENT, Features, count_kinds, features
from ingest.git.tokens import words_substituted

MOST_TOKENS, MOST_SIZE = 31, 255


@dataclass(slots=True)
class KindCounts:
    """Changed lines by kind."""

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


class _Offsets:
    """Where the lines of a file begin, found only when a block comment could be open."""

    def __init__(self, blob: pygit2.Blob | None, language: Language) -> None:
        self._data = blob.data if blob is not None and (language.block_comments or language.long_strings) else b""
        self._language = language
        self._line, self._offset = 1, 0

    def open_at(self, line: int) -> bytes | None:
        """The comment that is open where a line (from 1) begins; lines must be asked in order."""
        if line <= 1 or not self._data:
            return None
        for _ in range(line - self._line):
            self._offset = self._data.find(b"\n", self._offset) + 1
            if not self._offset:
                self._data = b""
                return None
        self._line = line
        return open_comment(self._language, self._data, self._offset)


def count_changed(
    diff: TextDiff, language: Language, old: pygit2.Blob | None, new: pygit2.Blob | None
) -> KindCounts:
    """How many lines of each kind changed."""
    counts = KindCounts()
    old_offsets, new_offsets = _Offsets(old, language), _Offsets(new, language)
    for block in diff.blocks:
        counts.add(
            count_kinds(language, block.new_lines, block.new_changed, new_offsets.open_at(block.new_start)),
            count_kinds(language, block.old_lines, block.old_changed, old_offsets.open_at(block.old_start)),
        )
    return counts


def read_changed(
    diff: TextDiff, language: Language, old: pygit2.Blob | None, new: pygit2.Blob | None
) -> tuple[FileLines, KindCounts, str | None]:
    """Facts of the changed lines, their counts, and the hash of the changed code (None without any)."""
    found, counts = FileLines(), KindCounts()
    content: list[int] = []
    old_offsets, new_offsets = _Offsets(old, language), _Offsets(new, language)
    for block in diff.blocks:
        added = features(language, block.new_lines, block.new_changed, new_offsets.open_at(block.new_start))
        removed = features(language, block.old_lines, block.old_changed, old_offsets.open_at(block.old_start))
        counts.add(_count(added.kind), _count(removed.kind))
        _append_block(found, block, removed, added)
        content += [h for h, k in zip(removed.line_hash, removed.kind, strict=True) if k == CODE]
        content.append(len(content))
        content += [h for h, k in zip(added.line_hash, added.kind, strict=True) if k == CODE]
    return found, counts, _digest(content) if counts.code_added or counts.code_deleted else None


def _count(kinds: Sequence[int]) -> tuple[int, int, int]:
    return kinds.count(CODE), kinds.count(COMMENT), kinds.count(BLANK)


def _digest(hashes: Sequence[int]) -> str:
    return xxh3_64_hexdigest(b"".join(h.to_bytes(8, "little") for h in hashes))


def _append_block(found: FileLines, block: Block, removed: Features, added: Features) -> None:
    first, first_removed = len(found.kinds), len(found.removed_gone)
    compared = compare(removed, added)
    found.kinds += added.kind
    found.heads += [k == CODE and owner == i for i, (k, owner) in enumerate(zip(added.kind, added.owner, strict=True))]
    found.tokens += [min(n, MOST_TOKENS) for n in compared.new_tokens]
    found.sizes += [min(n, MOST_SIZE) for n in added.token_count]
    found.line_hashes += added.line_hash
    found.shapes += added.shape_hash
    found.is_layout += compared.is_layout
    claims = compared.layout_claims
    found.layout_from += [first_removed + claims[i] if i in claims else NO_SOURCE for i in range(len(added))]
    found.removed_gone += compared.has_token_gone
    found.removed_layout += compared.claimed_by_layout
    both = bool(removed) and bool(added)
    found.blocks.append(
        BlockLines(
            first_removed,
            first_removed + len(removed),
            first,
            first + len(added),
            removed if both else None,
            added if both else None,
        )
    )
    if both:
        _find_substitutions(found, block, first)


def _find_substitutions(found: FileLines, block: Block, first: int) -> None:
    """Pair removed and added lines of each hunk by position and look for word-for-word replacements."""
    pairs = zip(block.old_changed, block.new_changed, strict=False)
    if len(block.old_changed) != len(block.new_changed):
        return
    for at, (old, new) in enumerate(pairs):
        if not found.is_layout[first + at]:
            keys = words_substituted(block.old_lines[old], block.new_lines[new])
            if keys:
                found.substitutions[first + at] = keys
