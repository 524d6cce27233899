"""The words of removed lines, which new lines may take: whatever language or layout these have, they say no more.

Keep out: which lines are compared (`conversions`, `reformatting`), and prose, whose words have an order (`rewordings`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Sequence
from typing import Final

_WORD: Final = re.compile(rb"[A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff]*|\d+(?=[fFlLdDuU]\b)?")
_ACCESSOR: Final = re.compile(rb"(?:[gs]et|is)(?=[A-Z])")
_LANGUAGE_WORDS: Final = frozenset(
    b"""
    abstract actual and any apply as async await bool boolean booleanarray booleanarrayof break by byte case
    catch char class companion const constructor continue crossinline d data def default delete do double downto else
    elseif end enum expect export extends extern f false final finally float floatarray floatarrayof for from fun func
    function get go goto if implements import in infix init inline inner instanceof int intarray intarrayof integer
    interface internal is it java javaclass jvmfield jvmname jvmoverloads jvmstatic kotlin l lateinit lazy let list
    listof local long longarray longarrayof map mutable mutablelist mutablelistof mutablemap mutablemapof mutableset
    namespace native new nil none not null number object of open operator or out override package private protected
    public readonly record reified require return run sealed self set shl short shr static step string struct super
    suspend switch synchronized tailrec then this throw throws to todouble tofloat toint tolong toregex trait transient
    true try type typealias typeof undefined union unit unknown unsigned until use ushr val var vararg virtual void
    volatile when where while with xor yield
    """.split()
)


def words_of(line: bytes) -> list[bytes]:
    """The words of a line of code without those of languages. Accessors are the word that they read or set."""
    words = [_ACCESSOR.sub(b"", word).lower() for word in _WORD.findall(line)]
    return [word for word in words if word not in _LANGUAGE_WORDS]


class RemovedWords:
    """The words of removed lines that no new line has taken yet."""

    def __init__(self, lines: Sequence[bytes], split: Callable[[bytes], list[bytes]] = words_of) -> None:
        self._lines: dict[bytes, deque[int]] = defaultdict(deque)
        self._at: dict[bytes, Counter[int]] = defaultdict(Counter)
        for number, line in enumerate(lines):
            for word in split(line):
                if not self._at[word][number]:
                    self._lines[word].append(number)
                self._at[word][number] += 1
        self.first = {word: numbers[0] for word, numbers in self._lines.items()}
        """The first line of each word, taken or not."""
        self._left_in = Counter(number for at in self._at.values() for number in at.elements())
        self.left = Counter({word: at.total() for word, at in self._at.items()})
        self._uses = dict(self.left)

    def take(self, words: list[bytes]) -> int:
        """Take the words of a new line, from one removed line where it has them. Its number.

        The word that the removed file uses least says which one: what all lines call is in the wrong one as soon as
        one of them is new.
        """
        rarest = min(words, key=self._uses.__getitem__)
        number = self._first(rarest)
        for word in words:
            self._take(word, number if self._at[word][number] else self._first(word))
        return number

    def taken_lines(self) -> list[int]:
        """The numbers of the lines of which every word is taken."""
        return sorted(number for number, count in self._left_in.items() if not count)

    def _first(self, word: bytes) -> int:
        lines, at = self._lines[word], self._at[word]
        while not at[lines[0]]:
            lines.popleft()
        return lines[0]

    def _take(self, word: bytes, number: int) -> None:
        self._at[word][number] -= 1
        self._left_in[number] -= 1
        self.left[word] -= 1
