"""Requests to this application from within its process, with the credential of the one who asks.

An assistant, a page of the dashboard and a method of gRPC ask in this way: permissions, limits and errors are those of
REST.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from json import dumps
from typing import Any
from urllib.parse import unquote, urlencode

import httpx
import orjson
from fastapi import Request
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.media_types import JSON
from api.snapshot.common_build import reading_together

HOST = (b"host", b"localhost")
Query = Mapping[str, Any] | Sequence[tuple[str, Any]]

INNER = "eas_inner"
"""Key of a scope whose request comes from within the process."""


@dataclass(frozen=True, slots=True)
class InnerAnswer:
    """What the application answered."""

    status_code: int
    headers: Headers
    content: bytes

    @property
    def is_error(self) -> bool:
        """Whether the request was refused or failed."""
        return self.status_code >= 400

    @property
    def text(self) -> str:
        """The body as text."""
        return self.content.decode()

    def json(self) -> Any:
        """The body as JSON."""
        return orjson.loads(self.content)


@dataclass(frozen=True, slots=True)
class InnerClient:
    """Asks an application within its process.

    A page asks five to twelve times. A client of HTTP took a third of their processor time to make and read requests
    that never leave the process.
    """

    app: ASGIApp
    state: Mapping[str, Any]
    client: tuple[str, int] | None
    authorization: str
    """Sent with every request, unless empty."""
    builds: dict[str, str] = field(default_factory=dict)
    """By organization, the build of the first answer. Later ones come from it too, as long as it can be read."""

    async def get(
        self, path: str, params: Query = (), headers: Mapping[str, str] | None = None
    ) -> InnerAnswer:
        """The answer of `GET path`. `path` is percent-encoded and has no query."""
        return await self.request("GET", path, params=params, headers=headers)

    async def request(
        self,
        method: str,
        path: str,
        *,
        params: Query = (),
        json: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> InnerAnswer:
        """The answer of a request. Raises UnicodeEncodeError for a text that is none, such as half a character, and
        ValueError for a path with a query: `params` has that.
        """
        if "?" in path:
            raise ValueError("the path of an inner request has a query; give it as params")
        sent = {"accept": JSON} | {name.lower(): value for name, value in (headers or {}).items()}
        body = b"" if json is None else dumps(json, ensure_ascii=False, separators=(",", ":")).encode()
        if json is not None:
            sent |= {"content-type": JSON, "content-length": str(len(body))}
        if self.authorization:
            sent["authorization"] = self.authorization
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": urlencode(params, doseq=True).encode(),
            "headers": [HOST, *((name.encode(), value.encode("latin-1")) for name, value in sent.items())],
            "server": ("localhost", 80),
            "client": self.client,
            "state": dict(self.state),
            INNER: True,
        }
        exchange = _Exchange(body)
        try:
            with reading_together(self.builds):
                await self.app(scope, exchange.receive, exchange.send)
        except Exception:  # the application has logged it and answered 500
            if exchange.status is None:
                raise
        return InnerAnswer(exchange.status or 500, Headers(raw=exchange.headers), b"".join(exchange.pieces))


@dataclass(slots=True)
class _Exchange:
    """The two directions of a request."""

    body: bytes
    is_sent: bool = False
    status: int | None = None
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    pieces: list[bytes] = field(default_factory=list)

    async def receive(self) -> Message:
        """The body, and then nothing: nobody hangs up."""
        if self.is_sent:
            await asyncio.get_running_loop().create_future()
        self.is_sent = True
        return {"type": "http.request", "body": self.body, "more_body": False}

    async def send(self, message: Message) -> None:
        """Take a part of the answer."""
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], list(message.get("headers", ()))
        else:
            self.pieces.append(message.get("body", b""))


def inner_client(request: Request, authorization: str) -> InnerClient:
    """A client of the application that took `request`. It sends `authorization` with every request, unless empty."""
    return InnerClient(request.app, request.scope["state"], request.scope.get("client"), authorization)


def inner_transport(
    app: ASGIApp, state: Mapping[str, Any], client: tuple[str, int] | None
) -> httpx.ASGITransport:
    """Requests to an application with the services of its server, on behalf of the client with this address.

    All reads of one transport answer from the builds that its first ones took, as long as these can be read.
    """
    builds: dict[str, str] = {}

    async def served(scope: Scope, receive: Receive, send: Send) -> None:
        with reading_together(builds):
            await app({**scope, "state": state, "client": client, INNER: True}, receive, send)

    return httpx.ASGITransport(served, raise_app_exceptions=False)
