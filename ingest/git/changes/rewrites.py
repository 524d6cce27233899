"""Rewrites: added lines that are a removed line but for some runs of tokens.

Lines that differ only in words are `substitutions`, which come first. Keep out: how many instances of a rewrite a
history has (`classify`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from ingest.git.changes.substitutions import MAX_CANDIDATES
from ingest.git.lexing.line_features import Features
from ingest.git.lexing.token_diff import Comparison
from ingest.git.lexing.token_edits import token_edits
from ingest.git.lexing.tokens import TOKENS


def find_rewrites(
    removed: Features,
    added: Features,
    compared: Comparison,
    replaced: Collection[int],
    replacing: Collection[int],
) -> dict[int, tuple[int, ...]]:
    """Added line of a block → a removed line of the block, and the hashes of the token edits between both.

    Both are heads of logical lines. Layout, and the lines `replaced` and `replacing` of a substitution take no part.
    Where as many lines are left on both sides, each became the one in its place. Else an added line comes from the
    next removed one with which it has most tokens in common, at least half of each. Added lines without new tokens
    have no place in the result.
    """
    theirs = [
        at
        for at, text in enumerate(removed.bare)
        if text and not compared.claimed_by_layout[at] and at not in replaced
    ]
    mine = [
        at
        for at, text in enumerate(added.bare)
        if text and not compared.is_layout[at] and at not in replacing
    ]
    new_tokens = compared.new_tokens
    if not theirs or not any(new_tokens[at] for at in mine):
        return {}
    old, new = [TOKENS[removed.bare[at]] for at in theirs], [TOKENS[added.bare[at]] for at in mine]
    pairs = zip(range(len(old)), range(len(new)), strict=True) if len(old) == len(new) else _nearest(old, new)
    found = {}
    for i, j in pairs:
        keys = token_edits(old[i], new[j]) if new_tokens[mine[j]] else ()
        if keys:
            found[mine[j]] = (theirs[i], *keys)
    return found


def _nearest(old: Sequence[Sequence[bytes]], new: Sequence[Sequence[bytes]]) -> list[tuple[int, int]]:
    """Positions in `old` and `new`, both ascending, of lines that have at least half of their tokens in common."""
    found = []
    start = 0
    for j, tokens in enumerate(new):
        best, most = -1, 0
        count = Counter(tokens)
        for i in range(start, min(start + MAX_CANDIDATES, len(old))):
            common = (count & Counter(old[i])).total()
            if common > most and 2 * common >= max(len(tokens), len(old[i])):
                best, most = i, common
        if best >= 0:
            found.append((best, j))
            start = best + 1
    return found
