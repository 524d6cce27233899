"""Lines as they are compared with those of libraries: long ones without white space, one of four by its hash.

The index holds such numbers, so a change here needs a new index (`make published-lines`).
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt
from xxhash import xxh3_64_intdigest

from ingest.git.published.facts import is_fact

Numbers = npt.NDArray[np.uint32]

SHARE: Final = 4
"""Of so many lines one is compared."""
_SHORTEST, _LONGEST = 20, 400
"""Signs of a line that is compared."""
_MOST_LINES: Final = 20_000
"""Lines of a text that are looked at: more say no more about where it comes from."""
_SPACE: Final = b" \t\r\v\f"


def compared_lines(text: bytes, *, with_facts: bool = True) -> Numbers:
    """The numbers of the compared lines of a text, sorted, each once."""
    lines = text.translate(None, _SPACE).split(b"\n", _MOST_LINES)[:_MOST_LINES]
    long = [line for line in lines if _SHORTEST <= len(line) <= _LONGEST]
    if not with_facts:
        long = [line for line in long if not is_fact(line)]
    # Without NumPy, which takes longer for the few lines of most texts.
    return np.array(
        sorted({number >> 32 for number in map(xxh3_64_intdigest, long) if not number % SHARE}), np.uint32
    )


def different_lines(text: bytes) -> int:
    """Lines of a text, short ones too, each once: those that are compared are also counted once."""
    return len(set(text.translate(None, _SPACE).split(b"\n", _MOST_LINES)[:_MOST_LINES]))
