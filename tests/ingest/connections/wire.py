"""An invented server behind a real socket on loopback, with a network that fails where a plan says."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx

from ingest.connections.sync import Sync, SyncReport
from ingest.errors import Transient
from ingest.http.client import Client
from ingest.lake import Source
from tests.ingest.connections.cases import Case
from tests.ingest.connections.running import Handler
from tests.ingest.http import scripted_server
from tests.ingest.http.scripted_server import Step

TARGET = "x-invented-target"
READ_SECONDS = 0.5
PAGE = b"<!doctype html><html><body><h1>502 Bad Gateway</h1></body></html>"
Fault = Callable[["Wire", httpx.Response], Step]


def whole(answer: httpx.Response) -> Step:
    """The answer as it is."""
    headers = {
        name: value
        for name, value in answer.headers.items()
        if name not in ("content-length", "content-type")
    }
    kind = answer.headers.get("content-type", "application/json")
    return scripted_server.answer(answer.content, answer.status_code, headers, content_type=kind)


def timeout(wire: Wire, _: httpx.Response) -> Step:
    return scripted_server.hang(wire.held)


def reset(_: Wire, __: httpx.Response) -> Step:
    return scripted_server.reset


def cut(_: Wire, answer: httpx.Response) -> Step:
    """Half of the body, then a reset."""
    return scripted_server.cut(answer.content)


def bad_gateway(_: Wire, __: httpx.Response) -> Step:
    return scripted_server.answer(PAGE, 502, content_type="text/html")


def unavailable(_: Wire, __: httpx.Response) -> Step:
    return scripted_server.answer({"message": "busy"}, 503)


def limited(wire: Wire, _: httpx.Response) -> Step:
    """A limit that ends in two seconds, by the server's own clock."""
    now = datetime.now(UTC) + wire.skew
    headers = {
        "Retry-After": format_datetime(now + timedelta(seconds=2), usegmt=True),
        "Date": format_datetime(now, usegmt=True),
    }
    return scripted_server.answer(b"Retry later\n", 429, headers, content_type="text/plain")


@dataclass
class Wire:
    """The network of a client. `plan` names the fault of a request by its number over all runs, or None.

    `sleeps` are the pauses of the client, which do not take place; `skew` is how far the server's clock is ahead.
    """

    handler: Handler
    plan: Callable[[int], Fault | None] = lambda _: None
    skew: timedelta = timedelta()
    sleeps: list[float] = field(default_factory=list)
    held: list[socket.socket] = field(default_factory=list)
    faults: int = 0
    requests: int = 0

    @contextlib.contextmanager
    def transport(self) -> Iterator[httpx.BaseTransport]:
        """A transport that leads every request to the invented server over loopback."""

        def choose(line: str, headers: dict[str, str], body: bytes) -> Step:
            self.requests += 1
            method, path, _ = line.split(" ", 2)
            answer = self.handler(
                httpx.Request(method, headers[TARGET] + path, headers=headers, content=body)
            )
            answer.headers["date"] = format_datetime(datetime.now(UTC) + self.skew, usegmt=True)
            fault = self.plan(self.requests)
            if fault is None:
                return whole(answer)
            self.faults += 1
            return fault(self, answer)

        with scripted_server.serving(choose) as server, _Loopback(server.port) as transport:
            yield transport
        for one in self.held:
            one.close()


class _Loopback(httpx.BaseTransport):
    def __init__(self, port: int) -> None:
        self._port, self._inner = port, httpx.HTTPTransport()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        headers = dict(request.headers) | {TARGET: f"{url.scheme}://{url.netloc.decode()}"}
        sent = httpx.Request(
            request.method,
            url.copy_with(scheme="http", host="127.0.0.1", port=self._port),
            headers=headers,
            stream=request.stream,
            extensions={"timeout": {"connect": 5, "read": READ_SECONDS, "write": 5, "pool": 5}},
        )
        return self._inner.handle_request(sent)

    def close(self) -> None:
        self._inner.close()


def run_until_complete(source: Source, case: Case, wire: Wire, most: int = 12) -> tuple[SyncReport, int]:
    """Runs until one completes, as a sensor would start them. Returns its report and how many broke before."""
    for broken in range(most):
        with wire.transport() as transport:
            client = Client(
                case.provider.login(case.connection),
                case.provider.rate_limits,
                transport=transport,
                sleep=wire.sleeps.append,
            )
            try:
                with client, source.extracting():
                    return Sync(source, case.connection, case.provider, client, case.wanted).run(), broken
            except Transient:
                continue
    raise AssertionError("no run completes")
