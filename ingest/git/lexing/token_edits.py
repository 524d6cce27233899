"""The places at which one line was rewritten to another: runs of its tokens that stand for other runs.

A rewriting by a tool or by habit (`array(…)` → `[…]`, `Optional[T]` → `T | None`) makes the same replacements in many
lines, whatever else these say. Keep out: which line became which (`changes.rewrites`).
"""

from collections.abc import Sequence
from typing import Final

from xxhash import xxh3_64_intdigest

from ingest.git.lexing.tokens import is_word

MAX_SKIPPED: Final = 32
"""Tokens of both lines together within which the next equal token is searched; an initial value."""
KEPT_SHARE: Final = 3
"""One token in so many of the new line stands in the old one too, or the line was not rewritten but exchanged."""


def token_edits(old: Sequence[bytes], new: Sequence[bytes]) -> tuple[int, ...]:
    """Sorted 64-bit hashes of the distinct (old tokens, new tokens) that turn `old` into `new`.

    Empty where the lines are equal, or keep fewer than a third of the new tokens. After a difference the lines go on at
    the nearest equal words, or equal signs before equal tokens or both ends: nearest are those with the fewest tokens
    before them on both sides, then on the old side. A single word that stands for another has the hash that
    `tokens.words_substituted` gives it.
    """
    found = set()
    at = to = kept = 0
    while at < len(old) or to < len(new):
        if at < len(old) and to < len(new) and old[at] == new[to]:
            at, to, kept = at + 1, to + 1, kept + 1
            continue
        gone, come = _skipped(old, new, at, to)
        found.add(b" ".join(old[at : at + gone]) + b"\0" + b" ".join(new[to : to + come]))
        at, to = at + gone, to + come
    if kept * KEPT_SHARE < len(new):
        return ()
    return tuple(sorted(map(xxh3_64_intdigest, found)))


def _skipped(old: Sequence[bytes], new: Sequence[bytes], at: int, to: int) -> tuple[int, int]:
    """Numbers of tokens before the next equal ones; all that are left where none is near."""
    left, right = len(old) - at, len(new) - to
    for total in range(1, MAX_SKIPPED + 1):
        for gone in range(max(0, total - right + 1), min(total, left - 1) + 1):
            if _go_on(old, new, at + gone, to + total - gone):
                return gone, total - gone
    return left, right


def _go_on(old: Sequence[bytes], new: Sequence[bytes], at: int, to: int) -> bool:
    """Whether both lines go on alike from here. A single sign is too frequent to say so."""
    token = old[at]
    return token == new[to] and (is_word(token) or old[at + 1 : at + 2] == new[to + 1 : to + 2])
