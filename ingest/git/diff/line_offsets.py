"""Byte offsets at which the lines of a file begin.

Keep out: the content of the lines (`lexing.comments`). Files are long and callers need few of their lines, so
newlines are counted in bulk and not listed.
"""

from collections.abc import Sequence
from typing import Final, Protocol

import numpy as np

_NEWLINE: Final = 0x0A
_BLOCK: Final = 64
_RUN: Final = 128
"""Number of lines to split together."""


class Lines(Protocol):
    """Lines by position, from 0: a list, or `SplitLines`."""

    def __len__(self) -> int: ...
    def __getitem__(self, at: int, /) -> bytes: ...


def count_newlines(data: memoryview) -> int:
    """Count newlines: several times faster than `bytes.count` in long contents."""
    return int(np.count_nonzero(np.frombuffer(data, dtype=np.uint8) == _NEWLINE))


class LineIndex:
    """Line ends within and before each block of 64 bytes, counted once for all look-ups."""

    __slots__ = ("_data", "_newlines")

    def __init__(self, data: bytes) -> None:
        self._data = data
        bits = np.packbits(np.frombuffer(data, dtype=np.uint8) == _NEWLINE)
        # One word of 64 bits stands for a block of 64 bytes.
        words = np.zeros(-(-len(bits) // 8), dtype=np.uint64)
        words.view(np.uint8)[: len(bits)] = bits
        self._newlines = np.cumsum(np.bitwise_count(words), dtype=np.int32)

    def offsets(self, numbers: Sequence[int]) -> list[int]:
        """The offset of each of the lines `numbers` (from 1); the size of the file for lines beyond its end."""
        newlines = self._newlines
        blocks = newlines.searchsorted([number - 1 for number in numbers]).tolist()
        return [
            _offset_in_block(self._data, block, number - 1 - (int(newlines[block - 1]) if block else 0))
            if number > 1
            else 0
            for number, block in zip(numbers, blocks, strict=True)
        ]


class SplitLines:
    """Physical lines of a file, as `split_lines` gives them, split on access."""

    __slots__ = ("_count", "_data", "_index", "_runs")

    def __init__(self, data: bytes, count: int) -> None:
        self._data, self._count, self._index = data, count, LineIndex(data)
        self._runs: dict[int, list[bytes]] = {}

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, at: int, /) -> bytes:
        number = at // _RUN
        run = self._runs.get(number)
        if run is None:
            run = self._runs[number] = self._split(number * _RUN)
        return run[at % _RUN]

    def _split(self, first: int) -> list[bytes]:
        start, stop = self._index.offsets([first + 1, first + _RUN + 1])
        return self._data[start:stop].split(b"\n")


def _offset_in_block(data: bytes, block: int, newlines: int) -> int:
    """The offset of the line that follows so many newlines, counted over the block and all before it."""
    at = block * _BLOCK
    for _ in range(newlines):
        at = data.find(b"\n", at) + 1
        if not at:
            return len(data)
    return at
