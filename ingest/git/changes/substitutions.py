"""Substitutions: added lines that equal a removed line but for replaced words.

Keep out: how many instances of a replacement a history has (`classify`).
"""

from __future__ import annotations

from ingest.git.changes.file_lines import FileLines
from ingest.git.diff.hunks import Block
from ingest.git.lexing.tokens import between_words, words_substituted

MAX_CANDIDATES = 8
"""Removed lines of the same structure that are compared with an added one; a table of data has thousands."""


def find_substitutions(found: FileLines, block: Block, first: int, first_removed: int) -> None:
    """Find for each added line the removed line of the block that it replaces word for word. Each is claimed once.

    Positions do not matter: one more line beside a renamed one must not turn it into new work. Among several
    candidates the one with the fewest replaced words wins, then the first.
    """
    free: dict[bytes, list[bytes]] = {}
    for at, position in enumerate(block.old_changed):
        line = block.old_lines[position].strip()
        if line and not found.removed_layout[first_removed + at]:
            free.setdefault(between_words(line), []).append(line)
    for at, position in enumerate(block.new_changed):
        line = block.new_lines[position]
        candidates = free.get(between_words(line))
        if candidates and not found.is_layout[first + at]:
            keys = _claim_replaced(candidates, line)
            if keys:
                found.substitutions[first + at] = keys


def _claim_replaced(candidates: list[bytes], line: bytes) -> tuple[int, ...]:
    """Hashes of the words that `line` replaces in one of the candidates, which is removed from the list."""
    best: tuple[int, ...] = ()
    claimed = 0
    for at, candidate in enumerate(candidates[:MAX_CANDIDATES]):
        keys = words_substituted(candidate, line)
        if keys and not (best and len(best) <= len(keys)):
            best, claimed = keys, at
            if len(keys) == 1:
                break
    if best:
        del candidates[claimed]
    return best
