"""`/mcp`: the Model Context Protocol over HTTP without sessions, in every revision that the SDK speaks.

Keep out: what the server offers (protocol.py, tools.py).
"""

import asyncio
from functools import cache
from importlib import import_module
from typing import Any

import httpx
from fastapi import APIRouter, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from api.callers.dependencies import Assistant
from api.http.inner_requests import inner_transport
from api.http.parameters import NoQuery
from api.mcp.reading import Reader
from api.services import services

router = APIRouter(tags=["mcp"], include_in_schema=False)


@router.post("/mcp", summary="Ask as an assistant", response_class=Response)
async def ask(assistant: Assistant, request: Request, _: NoQuery) -> Response:
    """Take one message of JSON-RPC. There is no session and no stream, so GET and DELETE are refused."""
    protocol = await asyncio.to_thread(_protocol)
    # A key has one membership: that of its organization.
    (membership,) = assistant.memberships
    app_url = services(request).app_url.rstrip("/")
    transport = inner_transport(request.app, request.scope["state"], request.scope.get("client"))
    client = httpx.AsyncClient(
        transport=transport,
        base_url="http://localhost",
        headers={"Authorization": request.headers["authorization"]},
    )
    return _Answered(protocol, Reader(client, membership.organization_id, app_url))


@cache
def _protocol() -> Any:
    """The module that imports the SDK. It takes most of a second, so only servers that are asked import it."""
    return import_module("api.mcp.protocol")


class _Answered(Response):
    """The answer that the SDK makes of the request."""

    def __init__(self, protocol: Any, reader: Reader) -> None:
        super().__init__()
        self._protocol = protocol
        self._reader = reader

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._protocol.answer(self._reader, scope, receive, send)
