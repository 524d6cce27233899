"""Which of some words a text holds: one look that spares most files the search for each mark.

Keep out: the words themselves (`marks`, `machine_parts`).
"""

from collections.abc import Callable, Sequence
from typing import Final

from ingest.git import native

MOST_WORDS: Final = 192
MARKED_BYTES: Final = 3
"""Neighbouring bytes of each word at which the compiled engine looks first."""
_COMMON: Final = b" etaoinsrhldcumfpgwyb"
"""From the most frequent sign of English text on."""

Finder = Callable[[bytes], int]
"""The words in a text: bit n for word n."""


class RememberedFinder:
    """Finds words in the first and last bytes of one file, of which most versions leave one as it was."""

    __slots__ = ("_find", "_known")

    def __init__(self, find: Finder) -> None:
        self._find = find
        self._known: list[tuple[bytes, int]] = []

    def __call__(self, text: bytes) -> int:
        for known, words in self._known:
            if known == text:
                return words
        found = self._find(text)
        self._known.append((text, found))
        del self._known[:-2]
        return found


def finder(words: Sequence[bytes]) -> Finder:
    """Find words, whatever the case of their letters, by the engine of this process.

    Raises ValueError for more than `MOST_WORDS` words, for one of less than `MARKED_BYTES`, and for capital letters.
    """
    if len(words) > MOST_WORDS or any(len(word) < MARKED_BYTES or word != word.lower() for word in words):
        raise ValueError(
            f"words must be at most {MOST_WORDS}, of {MARKED_BYTES} bytes or more, in lower case"
        )
    kernel = native.load("_changes")
    if kernel is not None:
        find: Finder = kernel.Words(list(words), [_rarest(word) for word in words]).find
        return find

    def find_each(text: bytes) -> int:
        lower = text.lower()
        return sum(1 << number for number, word in enumerate(words) if word in lower)

    return find_each


def _rarest(word: bytes) -> int:
    """The position of the three bytes that text has least often."""
    ranks = [_COMMON.find(sign) % (len(_COMMON) + 1) for sign in word]
    return max(range(len(word) - MARKED_BYTES + 1), key=lambda at: sum(ranks[at : at + MARKED_BYTES]))
