"""Lines as they are compared with those of libraries: long ones without white space, one of four by its hash.

The index holds such numbers, so a change here needs a new index (`make published-lines`).
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np
import numpy.typing as npt
from xxhash import xxh3_64_intdigest

Numbers = npt.NDArray[np.uint32]

SHARE: Final = 4
"""Of so many lines one is compared."""
_SIGNS: Final = 20
_MOST_LINES: Final = 20_000
"""Lines of a text that are looked at: more say no more about where it comes from."""
_SPACE: Final = b" \t\r\v\f"
_LONG: Final = re.compile(rb"[^\n]{%d,400}" % _SIGNS)
_REST: Final = np.uint64(32)


def compared_lines(text: bytes) -> Numbers:
    """The numbers of the compared lines of a text, sorted, each once."""
    lines = _LONG.findall(text.translate(None, _SPACE))[:_MOST_LINES]
    hashes = np.fromiter(map(xxh3_64_intdigest, lines), np.uint64, len(lines))
    numbers: Numbers = np.unique((hashes[hashes % np.uint64(SHARE) == 0] >> _REST).astype(np.uint32))
    return numbers
