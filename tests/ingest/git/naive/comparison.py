"""The two sides of a block: layout, new and gone tokens, replaced words and rewritten lines."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from xxhash import xxh3_64_intdigest

from ingest.git.lexing.comments import open_comment
from ingest.git.lexing.line_features import BLANK, CODE, Features, features
from ingest.git.lexing.tokens import layout_hash, tokens_of, words_substituted
from tests.ingest.git.naive.history import Block, Side
from tests.ingest.git.naive.lines import Comparison, Line, Removed, is_fresh

MAX_CANDIDATES = 8
"""Maximum of removed lines of the same structure to search for the one with the fewest replaced words."""


def features_of(language: Any, side: Side, data: bytes) -> Features:
    starts = [0]
    for line in data.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    inside = open_comment(language, data, starts[side.start]) if side.changed and side.start else None
    return features(language, side.lines, side.changed, inside)


def lines_of(block: Block, found: Features) -> Iterator[Line]:
    for at, position in enumerate(block.new.changed):
        kind = found.kind[at]
        is_head = kind == CODE and found.owner[at] == at
        size = min(found.token_count[at], 255)
        yield Line(block.new.lines[position], kind, is_head, found.line_hash[at], found.shape_hash[at], size)


def compare(comparison: Comparison) -> None:
    """Layout, new tokens, gone tokens, and the removed line that each added line replaces word for word."""
    removed, added = comparison.removed_features, comparison.added_features
    claims = _layout_claims(removed, added)
    for mine, line in enumerate(comparison.added):
        head = added.owner[mine]
        if line.line.kind == BLANK or head in claims:
            line.klass = "layout"
        if mine in claims:
            line.source = comparison.removed[claims[mine]].line
    for theirs, gone in enumerate(comparison.removed):
        gone.is_claimed = removed.owner[theirs] in claims.values()
        gone.is_replaced = bool(comparison.added)
    stock = _stock(removed, set(claims.values()))
    for mine, line in enumerate(comparison.added):
        # If nothing was removed, the lines are an insertion without layout; the same holds for a deletion.
        text = (added.bare if comparison.removed else added.text)[mine]
        line.tokens = line.own_tokens = 0 if mine in claims else _spend(stock, text)
    for theirs in _lines_with_tokens_gone(removed, added, claims):
        comparison.removed[theirs].is_gone = True
    _pair_words(comparison)
    _pair_rewritten(comparison)


def _layout_claims(removed: Features, added: Features) -> dict[int, int]:
    """Added logical lines that equal a removed one except for layout. Each removed one is claimed once, in order.

    Lines that are equal without white space come first, then lines that are equal only without wrapping brackets and
    similar layout.
    """
    claims: dict[int, int] = {}
    free = [at for at in range(len(removed)) if removed.owner[at] == at and removed.kind[at] != BLANK]
    for fact in ("layout_hash", "bare"):
        for mine in range(len(added)):
            if added.owner[mine] == mine and added.kind[mine] != BLANK and mine not in claims:
                same = [t for t in free if _layout(removed, fact, t) == _layout(added, fact, mine)]
                if same:
                    claims[mine] = same[0]
                    free.remove(same[0])
    return claims


def _layout(side: Features, fact: str, at: int) -> int:
    return layout_hash(side.bare[at]) if fact == "bare" else side.layout_hash[at]


def _lines_with_tokens_gone(removed: Features, added: Features, claims: dict[int, int]) -> set[int]:
    """For each token that the bare removed lines have more often than the added ones, the last lines that have it."""
    given = Counter(t for mine, text in enumerate(added.text) if mine not in claims for t in tokens_of(text))
    lines: dict[bytes, list[int]] = {}
    for theirs, text in enumerate(removed.bare if added else removed.text):
        if theirs not in claims.values():
            for token in tokens_of(text):
                lines.setdefault(token, []).append(theirs)
    return {theirs for token, places in lines.items() for theirs in places[given[token] :]}


def _stock(removed: Features, left_out: set[int]) -> Counter[bytes]:
    kept = [text for theirs, text in enumerate(removed.text) if theirs not in left_out]
    return Counter(token for text in kept for token in tokens_of(text))


def _spend(stock: Counter[bytes], text: bytes) -> int:
    """Tokens of `text` that the stock lacks; the others are taken from it."""
    new = 0
    for token in tokens_of(text):
        if stock[token]:
            stock[token] -= 1
        else:
            new += 1
    return min(new, 31)


def _pair_words(comparison: Comparison) -> None:
    free = [line for line in comparison.removed if not line.is_claimed and line.line.text.strip()]
    for mine in comparison.added:
        if mine.klass == "layout":
            continue
        near = [t for t in free if _between_words(t.line.text) == _between_words(mine.line.text)][
            :MAX_CANDIDATES
        ]
        best: Removed | None = None
        for theirs in near:
            words = words_substituted(theirs.line.text, mine.line.text)
            if words and (best is None or len(words) < len(mine.words)):
                best, mine.words = theirs, words
        if best is not None:
            mine.words_of = best
            free.remove(best)


def _pair_rewritten(comparison: Comparison) -> None:
    """Pair the logical lines that are left over, and note the edits of those with new tokens."""
    removed, added = comparison.removed_features, comparison.added_features
    taken = {id(mine.words_of) for mine in comparison.added}
    old = [
        (theirs, tokens_of(removed.bare[at]))
        for at, theirs in enumerate(comparison.removed)
        if removed.bare[at] and not theirs.is_claimed and id(theirs) not in taken
    ]
    new = [
        (mine, tokens_of(added.bare[at]))
        for at, mine in enumerate(comparison.added)
        if added.bare[at] and mine.klass != "layout" and mine.words_of is None
    ]
    is_in_place = len(old) == len(new)
    for mine, tokens in new:
        near = old[: 1 if is_in_place else MAX_CANDIDATES]
        if not is_in_place:
            near = [
                pair for pair in near if 2 * _common(pair[1], tokens) >= max(len(pair[1]), len(tokens), 1)
            ]
        if near:
            theirs, before = max(near, key=lambda pair: _common(pair[1], tokens))
            del old[: next(i for i, pair in enumerate(old) if pair[0] is theirs) + 1]
            edits = _edits(before, tokens) if mine.tokens else set()
            if edits:
                mine.words, mine.words_of = tuple(edits), theirs


def _common(one: list[bytes], other: list[bytes]) -> int:
    return (Counter(one) & Counter(other)).total()


def _edits(old: list[bytes], new: list[bytes]) -> set[int]:
    """Runs of tokens that stand for others; none where less than a third of the new tokens is old."""
    found, kept, size = set(), 0, len(new)
    while old or new:
        # Where nothing differs, the lines go on at once.
        near = (
            [(0, 0)]
            if old[:1] == new[:1]
            else [
                (i + j, i)
                for i in range(min(len(old), 33))
                for j in range(min(len(new), 33))
                if old[i] == new[j] and (_is_word(old[i]) or old[i + 1 : i + 2] == new[j + 1 : j + 2])
            ]
        )
        total, gone = min(near, default=(33, 0))
        come = total - gone
        if total > 32:
            gone, come = len(old), len(new)
        if gone or come:
            found.add(xxh3_64_intdigest(b" ".join(old[:gone]) + b"\0" + b" ".join(new[:come])))
        kept += total <= 32
        old, new = old[gone + 1 :], new[come + 1 :]
    return found if 3 * kept >= size else set()


def _is_word(token: bytes) -> bool:
    return token[0] >= 0x80 or token[0] == 0x5F or token[:1].isalnum()


def _between_words(text: bytes) -> bytes:
    """The text of a line without its words."""
    return bytes(c for c in text.strip() if not (c >= 0x80 or c == 0x5F or bytes([c]).isalnum()))


def count_own_tokens(comparison: Comparison, now: int) -> None:
    """New tokens as if the removed lines of the last 14 days had never existed."""
    fresh = {
        at for at, gone in enumerate(comparison.removed) if is_fresh(gone.line, now) and not gone.is_continued
    }
    if not fresh or not comparison.added:
        return
    claims = _layout_claims(comparison.removed_features, comparison.added_features)
    claims = {mine: theirs for mine, theirs in claims.items() if theirs not in fresh}
    stock = _stock(comparison.removed_features, fresh | set(claims.values()))
    births = Counter(comparison.removed[at].line.birth for at in fresh)
    most = min(births, key=lambda sha: (-births[sha], sha))
    for mine, line in enumerate(comparison.added):
        side = comparison.added_features
        text = (side.text if len(fresh) == len(comparison.removed) else side.bare)[mine]
        own = 0 if mine in claims else _spend(stock, text)
        if own != line.tokens:
            line.own_tokens, line.replaced = own, most
