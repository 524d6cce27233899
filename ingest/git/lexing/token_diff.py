"""Token differences between the two sides of one hunk: layout lines, new tokens and gone tokens.

Keep out: reading lines (`line_features`) and everything beyond the hunk: moved, returned, copied lines.

**Order of consumption.** Tokens are compared as multisets: each removed token can answer for one added token.
1. A logical line that equals a removed one except for layout claims it, in order, each removed one once. Then so do
   lines that equal one without layout characters, such as brackets that only wrap. Both leave the comparison, so a
   line with a new layout alone neither spends nor gives tokens.
2. The other added lines take from the remaining tokens, in order. Layout characters are never new and never gone,
   but they may cancel a token that is.
The total of new tokens does not depend on the order: it is the size of the difference of the two multisets. The
share of a line depends only on the removed side and the lines before it. So lines appended to a hunk never change
the figures above them, and if a hunk is delivered in two parts, removals first, each line of the first part keeps
the figure that it has in the whole.
"""

from array import array
from collections import Counter
from collections.abc import Container, Sequence
from itertools import chain
from typing import Final, TypeVar

from ingest.git.lexing.line_features import BLANK, Features
from ingest.git.lexing.tokens import TOKENS, layout_hash

# Token counts are capped at this number; weights do not distinguish more.
TOKEN_LIMIT: Final = 31


_Token = TypeVar("_Token", bytes, int)


class Comparison:
    """Result of `compare`. The first three lists run parallel to the added lines, the others to the removed ones.

    is_layout: blank, or laid out anew.
    new_tokens: of a head, its tokens that the removed lines do not have, at most 31; 0 on other lines and on layout.
    claimed_by_layout: the removed line lives on in a layout line.
    layout_claims: head of each added logical line that is layout → head of the removed one that lives on in it.
    has_token_gone: on a head, the added lines lack at least one of its tokens; False on other lines.
    """

    __slots__ = (
        "claimed_by_layout",
        "has_token_gone",
        "is_layout",
        "layout_claims",
        "new_tokens",
    )

    def __init__(
        self,
        is_layout: list[bool],
        new_tokens: list[int],
        claimed_by_layout: list[bool],
        has_token_gone: list[bool],
        layout_claims: dict[int, int],
    ) -> None:
        self.is_layout = is_layout
        self.new_tokens = new_tokens
        self.claimed_by_layout = claimed_by_layout
        self.has_token_gone = has_token_gone
        self.layout_claims = layout_claims


def compare(removed: Features, added: Features) -> Comparison:
    """Compare the two sides of one hunk."""
    if not len(removed):
        counts = [min(count, TOKEN_LIMIT) for count in added.token_count]
        return Comparison([kind == BLANK for kind in added.kind], counts, [], [], {})
    if not len(added):
        return Comparison([], [], [False] * len(removed), [count > 0 for count in removed.token_count], {})
    claims = _layout_claims(removed, added)
    claimed = set(claims.values())
    stock = _stock(removed, claimed)
    new_tokens = _spend(stock, added.bare, claims)
    _set_off(stock, added, claims)
    _set_off(stock, removed, claimed)
    gone = _gone(stock, removed, claimed)
    return Comparison(
        [kind == BLANK or owner in claims for kind, owner in zip(added.kind, added.owner, strict=True)],
        new_tokens,
        [owner in claimed for owner in removed.owner],
        gone,
        claims,
    )


def pack_recount(removed: Features, added: Features, compared: Comparison) -> bytes:
    """What `own_tokens` needs of a hunk with two sides, as numbers of 32 bits in the byte order of the machine.

    Numbers of removed lines, added lines and distinct tokens; 1 if added lines have layout characters; per added line
    the removed line that it claims as layout, or -1; numbers of tokens per removed line, per added line and, if there
    are layout characters, per added line without them; then the tokens in the same order, each as its number by first
    occurrence.
    """
    numbers: dict[bytes, int] = {}
    has_bare = added.bare is not added.text
    texts = [
        TOKENS[text] if text else []
        for text in [*removed.text, *added.text, *(added.bare if has_bare else [])]
    ]
    tokens = [numbers.setdefault(token, len(numbers)) for token in chain.from_iterable(texts)]
    claims = [compared.layout_claims.get(at, -1) for at in range(len(added))]
    head = [len(removed), len(added), len(numbers), has_bare]
    return array("i", [*head, *claims, *map(len, texts), *tokens]).tobytes()


def own_tokens(recount: bytes, fresh: Sequence[bool]) -> list[int]:
    """New tokens per added line without the fresh removed lines and the layout claims on them, at most 31.

    `fresh` marks the removed lines that were born so recently that they may be left out.
    """
    values = array("i", recount)
    removed_lines, added_lines, _, has_bare = values[:4]
    claims = values[4 : 4 + added_lines]
    start = 4 + added_lines
    at = start + removed_lines + added_lines * (1 + has_bare)
    texts = []
    for count in values[start:at]:
        texts.append(values[at : at + count])
        at += count
    stale = {mine for mine, theirs in enumerate(claims) if theirs >= 0 and not fresh[theirs]}
    claimed = {claims[mine] for mine in stale}
    stock = Counter(
        chain.from_iterable([texts[i] for i in range(removed_lines) if not fresh[i] and i not in claimed])
    )
    # If nothing else was removed, the lines are an insertion and every token counts.
    first = removed_lines + (added_lines if has_bare and not all(fresh) else 0)
    return _take(stock, texts[first : first + added_lines], stale)


def _layout_claims(removed: Features, added: Features) -> dict[int, int]:
    """Head of each added logical line that is layout → head of the removed one that it claims."""
    theirs, mine = _heads(removed), _heads(added)
    claims = _claims(theirs, removed.layout_hash, mine, added.layout_hash)
    if removed.bare is removed.text and added.bare is added.text:
        return claims
    claimed = set(claims.values())
    theirs = [at for at in theirs if at not in claimed]
    mine = [at for at in mine if at not in claims]
    their_keys, my_keys = ([layout_hash(text) for text in side.bare] for side in (removed, added))
    return claims | _claims(theirs, their_keys, mine, my_keys) if theirs and mine else claims


def _heads(side: Features) -> list[int]:
    return [at for at, owner in enumerate(side.owner) if owner == at and side.kind[at] != BLANK]


def _claims(
    theirs: Sequence[int], their_keys: Sequence[int], mine: Sequence[int], my_keys: Sequence[int]
) -> dict[int, int]:
    """Positions in `mine` → the first position in `theirs` with the same key that is not claimed yet."""
    free: dict[int, list[int]] = {}
    for position in reversed(theirs):
        free.setdefault(their_keys[position], []).append(position)
    return {position: free[my_keys[position]].pop() for position in mine if free.get(my_keys[position])}


def _stock(side: Features, left_out: Container[int]) -> dict[bytes, int]:
    """The number of times that each token stands in `side`, without the heads at the positions `left_out`."""
    return Counter(
        chain.from_iterable(
            [TOKENS[text] for at, text in enumerate(side.text) if text and at not in left_out]
        )
    )


def _spend(stock: dict[bytes, int], texts: Sequence[bytes], skipped: Container[int]) -> list[int]:
    """Per text the number of tokens missing from the `stock`, at most 31; the others are taken from it."""
    return _take(stock, [TOKENS[text] if text else [] for text in texts], skipped)


def _take(stock: dict[_Token, int], texts: Sequence[Sequence[_Token]], skipped: Container[int]) -> list[int]:
    counts: list[int] = []
    left_of = stock.get
    for at, tokens in enumerate(texts):
        new = 0
        if at not in skipped:
            for token in tokens:
                left = left_of(token)
                if left:
                    stock[token] = left - 1
                else:
                    new += 1
        counts.append(min(new, TOKEN_LIMIT))
    return counts


def _set_off(stock: dict[bytes, int], side: Features, skipped: Container[int]) -> None:
    """Remove the layout characters of one side from the `stock`."""
    if side.bare is side.text:
        return
    for at, (text, bare) in enumerate(zip(side.text, side.bare, strict=True)):
        if text != bare and at not in skipped:
            for token, count in (Counter(TOKENS[text]) - Counter(TOKENS[bare])).items():
                if token in stock:
                    stock[token] = max(0, stock[token] - count)


def _gone(stock: dict[bytes, int], removed: Features, skipped: Container[int]) -> list[bool]:
    """Whether the `stock` still holds tokens of each removed line. The stock is emptied.

    The added lines used up the first occurrences of each token, so its last occurrences are gone.
    """
    gone = [False] * len(removed)
    left = sum(stock.values())
    left_of = stock.get
    for at in range(len(gone) - 1, -1, -1):
        if not left:
            break
        text = removed.bare[at]
        if text and at not in skipped:
            for token in TOKENS[text]:
                count = left_of(token)
                if count:
                    stock[token] = count - 1
                    left -= 1
                    gone[at] = True
    return gone
