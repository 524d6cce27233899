"""The bodies of answers that are asked for again. Keep out: what an answer depends on (responses.py)."""

import threading
from collections import OrderedDict

# An answer larger than this share of the cache would push out everything else.
MAX_ENTRY_DIVISOR = 8


class ResponseCache:
    """Bodies by key, least recently used first out, bounded by bytes."""

    def __init__(self, megabytes: int) -> None:
        self._limit = megabytes * 1_000_000
        self._size = 0
        self._bodies: OrderedDict[bytes, bytes] = OrderedDict()
        self._mutex = threading.Lock()

    def get(self, key: bytes) -> bytes | None:
        """The body of this key, if it is still here."""
        with self._mutex:
            body = self._bodies.get(key)
            if body is not None:
                self._bodies.move_to_end(key)
            return body

    def put(self, key: bytes, body: bytes) -> None:
        """Remember a body."""
        if len(body) > self._limit // MAX_ENTRY_DIVISOR:
            return
        with self._mutex:
            if key in self._bodies:
                return
            self._bodies[key] = body
            self._size += len(body)
            while self._size > self._limit:
                _, dropped = self._bodies.popitem(last=False)
                self._size -= len(dropped)
