"""A wire that loses answers, cuts connections, refuses for a while and delivers twice, for a client of HTTPX.

Every fault is drawn from a seed. Keep out: what a directory does about them (whole_directory.py).
"""

import random
import threading
from collections import Counter
from collections.abc import Iterator

import httpx

FAULTS = ("lost answer", "cut in the body", "not connected", "503 before", "delivered twice")


class FaultyWire(httpx.BaseTransport):
    """Passes requests on; a share of them has a fault."""

    def __init__(self, inner: httpx.BaseTransport, seed: int, share: float) -> None:
        self._inner = inner
        self._dice = random.Random(seed)
        self._share = share
        self._mutex = threading.Lock()
        self.met: Counter[str] = Counter()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        with self._mutex:
            fault = self._dice.choice(FAULTS) if self._dice.random() < self._share else None
            if fault is not None:
                self.met[fault] += 1
        match fault:
            case "lost answer":
                self._inner.handle_request(request).close()
                raise httpx.ReadError("the answer was lost", request=request)
            case "cut in the body":
                return self._cut(request)
            case "not connected":
                raise httpx.ConnectError("no connection", request=request)
            case "503 before":
                return httpx.Response(503, headers={"Retry-After": "0"}, request=request)
            case "delivered twice":
                self._inner.handle_request(request).close()
        return self._inner.handle_request(request)

    def _cut(self, request: httpx.Request) -> httpx.Response:
        whole = request.read()
        half = httpx.Request(request.method, request.url, headers=request.headers, stream=_Half(whole))
        self._inner.handle_request(half).close()
        raise httpx.WriteError("the connection was cut", request=request)

    def close(self) -> None:
        self._inner.close()


class _Half(httpx.SyncByteStream):
    """The first half of a body; then the connection breaks."""

    def __init__(self, whole: bytes) -> None:
        self._whole = whole

    def __iter__(self) -> Iterator[bytes]:
        yield self._whole[: len(self._whole) // 2]
        raise httpx.WriteError("the connection was cut")
