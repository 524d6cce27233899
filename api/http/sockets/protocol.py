"""HTTP connections within limits: uvicorn's protocol, which by itself bounds neither heads nor time.

Keep out: the limits (limits.py), the size of one body (http/middleware.py).
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from http import HTTPStatus
from typing import ClassVar, cast

import orjson
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from api.http.sockets.limits import Clients, Limits

# The parser gets a received chunk in pieces, because only between two of them it can be stopped.
PIECE = 16_384


class Awaited(Enum):
    """The part of a request that the client has to send next."""

    REQUEST = auto()
    HEAD = auto()
    BODY = auto()


@dataclass(frozen=True, slots=True)
class Refusal:
    """The last answer of a connection: HTTP status, code of google.rpc and message."""

    status: HTTPStatus
    code: int
    message: str

    @property
    def content(self) -> bytes:
        """The whole answer."""
        body = orjson.dumps({"code": self.code, "message": self.message, "details": []})
        retry = "retry-after: 1\r\n" if self.code == 8 else ""
        return (
            f"HTTP/1.1 {self.status.value} {self.status.phrase}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\ncache-control: no-store\r\n{retry}connection: close\r\n\r\n"
        ).encode() + body


INVALID = Refusal(HTTPStatus.BAD_REQUEST, 3, "this is not a valid HTTP request")
HOSTS = Refusal(HTTPStatus.BAD_REQUEST, 3, "a request of HTTP/1.1 has the header Host once")
PIPELINED = Refusal(
    HTTPStatus.BAD_REQUEST, 3, "too many requests wait on this connection; read their answers"
)
LATE = Refusal(HTTPStatus.REQUEST_TIMEOUT, 4, "the request did not arrive in time; send it again")
CONNECTIONS = Refusal(
    HTTPStatus.TOO_MANY_REQUESTS, 8, "too many connections are open; reuse or close some and try again"
)
BODIES = Refusal(
    HTTPStatus.TOO_MANY_REQUESTS, 8, "too many bytes of bodies are on their way; send fewer at once"
)


class _Refused(Exception):
    """Stops the parser. The protocol holds the refusal."""


class BoundedProtocol(HttpToolsProtocol):
    """A connection that is closed when its client exceeds a limit. `bounded` makes the class for a process."""

    limits: ClassVar[Limits]
    clients: ClassVar[Clients]

    _host = ""
    _is_admitted = False
    _awaited = Awaited.REQUEST
    _refusal = INVALID
    _deadline: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None
    # Bytes given to the parser of which it has made nothing yet, of the head so far, and of bodies without answer.
    _unread = 0
    _head = 0
    _held = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # narrower, as in uvicorn
        """Start the time of the first request, or refuse the connection."""
        super().connection_made(transport)
        self._host = self.client[0] if self.client else ""
        self._is_admitted = self.clients.admit(self._host)
        if self._is_admitted:
            self._await_rest()
        else:
            self._refuse(CONNECTIONS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget what the client held."""
        super().connection_lost(exc)
        self._end_wait()
        self._end_stall()
        self._give_back()
        if self._is_admitted:
            self.clients.leave(self._host)

    def data_received(self, data: bytes) -> None:
        """Parse a chunk piece by piece, while the connection stays within its limits."""
        for start in range(0, len(data), PIECE):
            if self.transport.is_closing():
                return
            piece = data[start : start + PIECE]
            self._unread += len(piece)
            super().data_received(piece)
            if self._unread > self.limits.head_bytes:
                self._refuse(self._large_head)
        self._await_rest()

    def on_message_begin(self) -> None:
        """Start the head of a request."""
        self._enter(Awaited.HEAD)
        self._head = 0
        super().on_message_begin()
        if len(self.pipeline) >= self.limits.pipelined:
            self._stop(PIPELINED)

    def on_url(self, url: bytes) -> None:
        """Count the address to the head."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Count a header to the head; a trailer, which comes after the body, too."""
        self._count(len(name) + len(value) + len(": \r\n"))
        if len(self.headers) >= self.limits.headers:
            self._stop(self._large_head)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start the time of the body. Without a single `Host` a proxy and the application may take different ones."""
        hosts = sum(name == b"host" for name, _ in self.headers)
        if hosts > 1 or (hosts == 0 and self.parser.get_http_version() == "1.1"):
            self._stop(HOSTS)
        self._enter(Awaited.BODY)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Count bytes of a body until its request is answered."""
        self._unread = 0
        if not self.cycle.response_complete:
            self._held += len(body)
            if not self.clients.hold(self._host, len(body)):
                self._stop(BODIES)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """End the time of a request."""
        self._enter(Awaited.REQUEST)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Forget the bodies of answered requests."""
        self._give_back()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Give a client that does not read its answer some time."""
        super().pause_writing()
        self._stalled = self.loop.call_later(self.limits.send_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on with a client that reads."""
        super().resume_writing()
        self._end_stall()

    def send_400_response(self, msg: str) -> None:
        """Answer what the parser refuses, or a limit in its callbacks."""
        self._refuse(self._refusal)

    def _unsupported_upgrade_warning(self) -> None:
        """An upgrade is ignored, as HTTP allows; a line in the log for each could fill a disk."""

    @property
    def _is_answering(self) -> bool:
        cycle = cast(RequestResponseCycle | None, self.cycle)
        return cycle is not None and not cycle.response_complete

    @property
    def _large_head(self) -> Refusal:
        return Refusal(
            HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
            3,
            f"address and headers of a request have at most {self.limits.head_bytes} bytes and"
            f" {self.limits.headers} headers",
        )

    def _count(self, size: int) -> None:
        self._unread = 0
        self._head += size
        if self._head > self.limits.head_bytes:
            self._stop(self._large_head)

    def _stop(self, refusal: Refusal) -> None:
        self._refusal = refusal
        raise _Refused

    def _refuse(self, refusal: Refusal) -> None:
        """Close the connection, with an answer unless it would land in the middle of another one."""
        if self._awaited is Awaited.BODY:
            can_answer = self._is_answering and not self.cycle.response_started and not self.pipeline
        else:
            can_answer = not self._is_answering
        if not self.transport.is_closing():
            if can_answer:
                self.transport.write(refusal.content)
            self.transport.close()

    def _enter(self, awaited: Awaited) -> None:
        self._awaited = awaited
        self._end_wait()

    def _await_rest(self) -> None:
        """Start the time of what the client has begun to send, unless it runs."""
        if self._deadline is not None or self.transport.is_closing():
            return
        if self._awaited is Awaited.REQUEST and (
            # uvicorn's own timer runs, or the client waits for an answer.
            self.timeout_keep_alive_task is not None or self._is_answering
        ):
            return
        is_body = self._awaited is Awaited.BODY
        seconds = self.limits.body_seconds if is_body else self.limits.head_seconds
        self._deadline = self.loop.call_later(seconds, self._expire)

    def _expire(self) -> None:
        self._deadline = None
        if self._awaited is Awaited.REQUEST:
            self.transport.close()
        else:
            self._refuse(LATE)

    def _end_wait(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _end_stall(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _give_back(self) -> None:
        if self._held:
            self.clients.give_back(self._host, self._held)
            self._held = 0


def bounded(limits: Limits, is_proxy: Callable[[str], bool]) -> type[BoundedProtocol]:
    """The protocol of one server process: its connections share these limits."""
    own = {"limits": limits, "clients": Clients(limits, is_proxy)}
    return type("ProcessProtocol", (BoundedProtocol,), own)
