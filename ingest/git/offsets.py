"""At which byte the lines of a file begin.

Keep out: what stands there (comments.py). Files are long and few of their lines are asked for, so newlines are
counted in bulk and not listed.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

_NEWLINE: Final = 0x0A
_BLOCK: Final = 64


def line_offsets(data: bytes, numbers: Sequence[int]) -> list[int]:
    """The offset of each of the lines `numbers` (from 1) of `data`; its length for lines that it does not have."""
    if not numbers or max(numbers) <= 1:
        return [0] * len(numbers)
    bits = np.packbits(np.frombuffer(data, dtype=np.uint8) == _NEWLINE)
    # One word of 64 bits stands for a block of 64 bytes.
    words = np.zeros(-(-len(bits) // 8), dtype=np.uint64)
    words.view(np.uint8)[: len(bits)] = bits
    newlines = np.cumsum(np.bitwise_count(words), dtype=np.int64)
    blocks = np.searchsorted(newlines, [number - 1 for number in numbers])
    return [
        _offset_in_block(data, int(block), number - 1 - (int(newlines[block - 1]) if block else 0))
        if number > 1
        else 0
        for number, block in zip(numbers, blocks, strict=True)
    ]


def _offset_in_block(data: bytes, block: int, newlines: int) -> int:
    """Where the line begins that follows so many newlines of the block and all before it."""
    at = block * _BLOCK
    for _ in range(newlines):
        at = data.find(b"\n", at) + 1
        if not at:
            return len(data)
    return at
