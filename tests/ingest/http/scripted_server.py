"""A server on loopback that plays a script: each request gets the next step, and the last step repeats.

A script can also choose the step by the request (`serving`).
"""

from __future__ import annotations

import contextlib
import itertools
import json
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

Step = Callable[[socket.socket], None]


def answer(
    body: Any = None,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    *,
    content_type: str = "application/json",
) -> Step:
    """A whole answer."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return raw(_head(status, {"Content-Type": content_type, **(headers or {})}, len(content)) + content)


def raw(content: bytes) -> Step:
    """These bytes, then the end of the connection."""
    return lambda connection: connection.sendall(content)


def cut(body: Any) -> Step:
    """Half of an answer, then a reset."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()

    def act(connection: socket.socket) -> None:
        connection.sendall(
            _head(200, {"Content-Type": "application/json"}, len(content)) + content[: len(content) // 2]
        )
        reset(connection)

    return act


def reset(connection: socket.socket) -> None:
    """End the connection without a word (RST)."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def silence(seconds: float) -> Step:
    """No answer for a while."""
    return lambda _: time.sleep(seconds)


def hang(held: list[socket.socket]) -> Step:
    """No answer ever, without holding up other requests. `held` keeps the connection open; the caller closes it."""
    return lambda connection: held.append(connection.dup())


class Scripted:
    """The requests that a script got: first lines and headers, with names in lower case."""

    def __init__(self, port: int, scheme: str) -> None:
        self.port, self.address = port, f"{scheme}://127.0.0.1:{port}"
        self.lines: list[str] = []
        self.headers: list[dict[str, str]] = []


@contextlib.contextmanager
def playing(steps: Sequence[Step], context: ssl.SSLContext | None = None) -> Iterator[Scripted]:
    """Play a script until the end of the block."""
    numbers = itertools.count()
    with serving(lambda *_: steps[min(next(numbers), len(steps) - 1)], context) as server:
        yield server


@contextlib.contextmanager
def serving(
    choose: Callable[[str, dict[str, str], bytes], Step], context: ssl.SSLContext | None = None
) -> Iterator[Scripted]:
    """Answer each request with the step for its first line, headers and body, until the end of the block."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = Scripted(listening.getsockname()[1], "https" if context else "http")
        ended = threading.Event()

        def serve() -> None:
            while not ended.is_set():
                with contextlib.suppress(OSError):
                    connection, _ = listening.accept()
                    connection.settimeout(5)
                    if context is not None:
                        connection = context.wrap_socket(connection, server_side=True)
                    with connection:
                        line, headers, body = _request(connection)
                        server.lines.append(line)
                        server.headers.append(headers)
                        choose(line, headers, body)(connection)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            ended.set()
            # Closing would not wake the thread that waits for a connection, and one that was not told of the end would
            # ask the closed socket without a pause for the rest of the run.
            listening.shutdown(socket.SHUT_RDWR)
            thread.join(timeout=10)


def _request(connection: socket.socket) -> tuple[str, dict[str, str], bytes]:
    received = b""
    while b"\r\n\r\n" not in received:
        part = connection.recv(65536)
        if not part:
            raise ConnectionError
        received += part
    head, _, body = received.partition(b"\r\n\r\n")
    line, *rest = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (one.partition(":") for one in rest)}
    while len(body) < int(headers.get("content-length", 0)):
        body += connection.recv(65536)
    return line, headers, body


def _head(status: int, headers: Mapping[str, str], length: int) -> bytes:
    lines = [f"HTTP/1.1 {status} Status", "Connection: close", f"Content-Length: {length}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode()
