"""Identifiers (UUIDv7) of things that people create."""

import os
import threading
import time
import uuid

_RANDOM_BITS = 74
_mutex = threading.Lock()
_last = (0, 0)


def new_id() -> str:
    """A UUIDv7 (RFC 9562): 48 bits of Unix milliseconds, then 74 random bits.

    Ids of one process sort in the order of their creation: within a millisecond, or while the clock goes back, a
    random step is added to the random bits of the previous id. So nobody can guess one id from another.
    """
    global _last  # noqa: PLW0603 - the order is the process's
    milliseconds = time.time_ns() // 1_000_000
    with _mutex:
        before, bits = _last
        if milliseconds > before:
            # Half of the range stays free above.
            bits = int.from_bytes(os.urandom(10), "big") >> (80 - _RANDOM_BITS + 1)
        else:
            milliseconds, bits = before, bits + 1 + int.from_bytes(os.urandom(4), "big")
        _last = (milliseconds, bits)
    value = (milliseconds & (1 << 48) - 1) << 80
    value |= 0x7 << 76 | (bits >> 62 & 0xFFF) << 64 | 0b10 << 62 | bits & (1 << 62) - 1
    return str(uuid.UUID(int=value))
