"""Facts of the changed lines of a difference, by lexing and comparing it block by block."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

from xxhash import xxh3_64_hexdigest

from ingest.git.changes.file_lines import NO_SOURCE, FileLines, KindCounts
from ingest.git.changes.rewrites import find_rewrites
from ingest.git.changes.substitutions import find_substitutions
from ingest.git.diff.hunks import Block, Hunk, TextDiff
from ingest.git.diff.texts import Text
from ingest.git.lexing.comments import open_comments
from ingest.git.lexing.constructs import constructs_of, contains_any
from ingest.git.lexing.languages import Language
from ingest.git.lexing.line_features import BLANK, CODE, COMMENT, Features, count_kinds, features
from ingest.git.lexing.token_diff import TOKEN_LIMIT, compare, pack_recount

MAX_SIZE = 255


class _Columns:
    """The columns of FileLines while they grow."""

    def __init__(self) -> None:
        self.kinds, self.heads, self.tokens, self.sizes = bytearray(), bytearray(), bytearray(), bytearray()
        self.line_hashes, self.shapes = array("Q"), array("Q")
        self.is_layout, self.removed_gone, self.removed_layout = bytearray(), bytearray(), bytearray()
        self.layout_from, self.blocks = array("i"), array("i")
        self.recounts: list[bytes] = []
        self.substitutions: dict[int, tuple[int, ...]] = {}

    def note_block(self, removed: int, added: int, recount: bytes | None = None) -> None:
        """Begin a block with so many lines."""
        first, first_removed = len(self.kinds), len(self.removed_gone)
        number = NO_SOURCE if recount is None else len(self.recounts)
        self.blocks.extend((first_removed, first_removed + removed, first, first + added, number))
        if recount is not None:
            self.recounts.append(recount)

    def pack(self) -> FileLines:
        return FileLines(
            kinds=bytes(self.kinds),
            heads=bytes(self.heads),
            tokens=bytes(self.tokens),
            sizes=bytes(self.sizes),
            line_hashes=self.line_hashes.tobytes(),
            shapes=self.shapes.tobytes(),
            is_layout=bytes(self.is_layout),
            layout_from=self.layout_from.tobytes(),
            removed_gone=bytes(self.removed_gone),
            removed_layout=bytes(self.removed_layout),
            blocks=self.blocks.tobytes(),
            recounts=self.recounts,
            substitutions=self.substitutions,
        )


def _sides(
    diff: TextDiff, language: Language, old: Text | None, new: Text | None
) -> Iterator[tuple[Block, bytes | None, bytes | None]]:
    """Each block with the comment or string that is open at the start of its old and new side."""
    nothing: list[bytes | None] = [None] * len(diff.blocks)
    if old is None or new is None or not (_may_open(language, old) or _may_open(language, new)):
        return zip(diff.blocks, nothing, nothing, strict=True)
    # Only the new file is searched …
    new_open = open_comments(language, new.data, [block.new_offset for block in diff.blocks])
    # … and also answers for the old one, unless an earlier change opens or closes a construct.
    is_same = len(diff.blocks) == 1 or (
        not any(new_open) and not _opens_or_closes(language, diff.blocks[:-1])
    )
    old_starts = [block.old_offset for block in diff.blocks]
    old_open = new_open if is_same else open_comments(language, old.data, old_starts)
    return zip(diff.blocks, old_open, new_open, strict=True)


def _opens_or_closes(language: Language, blocks: Sequence[Block]) -> bool:
    delimiters = constructs_of(language).delimiters
    for block in blocks:
        for lines, changed in ((block.old_lines, block.old_changed), (block.new_lines, block.new_changed)):
            text = b"\n".join([lines[position] for position in changed])
            if any(delimiter in text for delimiter in delimiters):
                return True
    return False


def _may_open(language: Language, text: Text) -> bool:
    return contains_any(constructs_of(language), text.data)


def count_changed(diff: TextDiff, language: Language, old: Text | None, new: Text | None) -> KindCounts:
    """Count the changed lines of each kind."""
    counts = KindCounts()
    for block, old_open, new_open in _sides(diff, language, old, new):
        counts.add(
            count_kinds(language, block.new_lines, block.new_changed, new_open),
            count_kinds(language, block.old_lines, block.old_changed, old_open),
        )
    return counts


def read_changed(
    diff: TextDiff, language: Language, old: Text | None, new: Text | None
) -> tuple[FileLines, KindCounts, str | None]:
    """Facts of the changed lines, their counts, and the hash of the changed code (None without code)."""
    found, counts = _Columns(), KindCounts()
    removed_code: list[int] = []
    added_code: list[int] = []
    for block, old_open, new_open in _sides(diff, language, old, new):
        both = bool(block.old_changed and block.new_changed)
        added = features(language, block.new_lines, block.new_changed, new_open, with_bare=both)
        removed = features(
            language, block.old_lines, block.old_changed, old_open, with_shapes=False, with_bare=both
        )
        counts.add(_count(added.kind), _count(removed.kind))
        removed_code += _code(removed)
        added_code += _code(added)
        _append_block(found, block, removed, added)
    if not counts.code_added and not counts.code_deleted:
        return found.pack(), counts, None
    return found.pack(), counts, _content_hash(diff.hunks, removed_code, added_code)


def skim_changed(diff: TextDiff) -> tuple[FileLines, KindCounts]:
    """Facts of a file that a tool wrote. Its lines weigh nothing, so only blank lines are distinguished.

    All its lines count as layout, and none as the original of a copy. In repositories with lock files these are two
    lines in five.
    """
    found, counts = _Columns(), KindCounts()
    for block in diff.blocks:
        added, removed = len(block.new_changed), len(block.old_changed)
        blank_added = sum(not block.new_lines[i].strip() for i in block.new_changed)
        blank_removed = sum(not block.old_lines[i].strip() for i in block.old_changed)
        counts.add((added - blank_added, 0, blank_added), (removed - blank_removed, 0, blank_removed))
        found.note_block(removed, added)
        found.kinds += bytes([BLANK]) * added
        found.heads += bytes(added)
        found.tokens += bytes(added)
        found.sizes += bytes(added)
        found.line_hashes.extend([0] * added)
        found.shapes.extend([0] * added)
        found.is_layout += b"\1" * added
        found.layout_from.extend([NO_SOURCE] * added)
        found.removed_gone += bytes(removed)
        found.removed_layout += bytes(removed)
    return found.pack(), counts


def _count(kinds: Sequence[int]) -> tuple[int, int, int]:
    return kinds.count(CODE), kinds.count(COMMENT), kinds.count(BLANK)


def _code(side: Features) -> list[int]:
    """Hashes of the lines, 0 for lines that are not code."""
    return [h if k == CODE else 0 for h, k in zip(side.line_hash, side.kind, strict=True)]


def _content_hash(hunks: Sequence[Hunk], removed: Sequence[int], added: Sequence[int]) -> str:
    """Hash the changed code hunk by hunk, independent of the hunks' positions in the file."""
    content: list[bytes] = []
    old = new = 0
    for _, old_lines, _, new_lines in hunks:
        gone, come = removed[old : old + old_lines], added[new : new + new_lines]
        content += [b"-%x" % h for h in gone if h]
        content += [b"+%x" % h for h in come if h]
        old, new = old + old_lines, new + new_lines
    return xxh3_64_hexdigest(b"".join(content))


def _append_block(found: _Columns, block: Block, removed: Features, added: Features) -> None:
    first, first_removed = len(found.kinds), len(found.removed_gone)
    compared = compare(removed, added)
    both = bool(removed) and bool(added)
    found.note_block(len(removed), len(added), pack_recount(removed, added, compared) if both else None)
    found.kinds.extend(added.kind)
    found.heads.extend(
        [k == CODE and owner == i for i, (k, owner) in enumerate(zip(added.kind, added.owner, strict=True))]
    )
    found.tokens.extend([min(TOKEN_LIMIT, n) for n in compared.new_tokens])
    found.sizes.extend([min(MAX_SIZE, n) for n in added.token_count])
    found.line_hashes.extend(added.line_hash)
    found.shapes.extend(added.shape_hash)
    found.is_layout.extend(compared.is_layout)
    sources = [NO_SOURCE] * len(added)
    for mine, theirs in compared.layout_claims.items():
        sources[mine] = first_removed + theirs
    found.layout_from.extend(sources)
    found.removed_gone.extend(compared.has_token_gone)
    found.removed_layout.extend(compared.claimed_by_layout)
    if both:
        found_pairs = find_substitutions(block, compared.claimed_by_layout, compared.is_layout)
        replaced = {theirs for theirs, *_ in found_pairs.values()}
        found_pairs |= find_rewrites(removed, added, compared, replaced, found_pairs.keys())
        for at, (theirs, *keys) in found_pairs.items():
            found.substitutions[first + at] = (first_removed + theirs, *keys)
