"""The time of one request, from its start to the last byte of the answer.

Timeouts of httpx are those of single reads: a server that sends a byte before each ends holds a thread for ever.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

_CONNECTED = ("connect_tcp.complete", "start_tls.complete")


class Deadline:
    """Ends the connections of a request when its time is over, so that whatever waits for them goes on."""

    def __init__(self, seconds: float, kept: list[socket.socket] | None = None) -> None:
        """`kept` are the connections of earlier requests, which this one may use again; new ones are added to them."""
        self.is_over = False
        self._sockets = [] if kept is None else kept
        self._mutex = threading.Lock()
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()

    def watch(self, event: str, told: Mapping[str, Any]) -> None:
        """Note the connections of a request: its extension `trace` (https://www.python-httpx.org/advanced/extensions)."""
        if not event.endswith(_CONNECTED):
            return
        connection = told["return_value"].get_extra_info("socket")
        if not isinstance(connection, socket.socket):
            return
        with self._mutex:
            self._sockets[:] = [one for one in self._sockets if one.fileno() >= 0]
            self._sockets.append(connection)
            if self.is_over:
                _end(connection)

    def _end(self) -> None:
        with self._mutex:
            self.is_over = True
            for connection in self._sockets:
                _end(connection)


def _end(connection: socket.socket) -> None:
    # Closing would not wake the thread that reads from it. The method of TLS would send in the clear what follows.
    with suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_RDWR)
