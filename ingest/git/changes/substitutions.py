"""Substitutions: added lines that equal a removed line but for replaced words.

Keep out: how many instances of a replacement a history has (`classify`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ingest.git.diff.hunks import Block
from ingest.git.lexing.tokens import between_words, words_substituted

MAX_CANDIDATES = 8
"""Removed lines of the same structure that are compared with an added one; a table of data has thousands."""


def find_substitutions(
    block: Block, removed_layout: Sequence[bool], is_layout: Sequence[bool]
) -> dict[int, tuple[int, ...]]:
    """Added line of a block → a removed line of the block, and the hashes of the word replacements between both.

    Each removed line is claimed once. Layout lines, and removed lines that live on in one, take no part.

    Positions do not matter: one more line beside a renamed one must not turn it into new work. Among several
    candidates the one with the fewest replaced words wins, then the first.
    """
    found: dict[int, tuple[int, ...]] = {}
    free: dict[bytes, list[tuple[int, bytes]]] = {}
    for at, position in enumerate(block.old_changed):
        line = block.old_lines[position].strip()
        if line and not removed_layout[at]:
            free.setdefault(between_words(line), []).append((at, line))
    for at, position in enumerate(block.new_changed):
        line = block.new_lines[position]
        candidates = free.get(between_words(line))
        if candidates and not is_layout[at]:
            claim = _claim_replaced(candidates, line)
            if claim:
                found[at] = claim
    return found


def _claim_replaced(candidates: list[tuple[int, bytes]], line: bytes) -> tuple[int, ...]:
    """Position of one of the candidates, which is removed from the list, and hashes of the words replaced in it."""
    best: tuple[int, ...] = ()
    claimed = 0
    for at, (_, candidate) in enumerate(candidates[:MAX_CANDIDATES]):
        keys = words_substituted(candidate, line)
        if keys and not (best and len(best) <= len(keys)):
            best, claimed = keys, at
            if len(keys) == 1:
                break
    return (candidates.pop(claimed)[0], *best) if best else ()
