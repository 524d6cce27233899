"""Requests to this application from within its process, with the credential of the one who asks.

An assistant, a page of the dashboard and a method of gRPC ask in this way: permissions, limits and errors are those of
REST.
"""

from collections.abc import Mapping
from typing import Any

import httpx
from fastapi import Request
from starlette.types import ASGIApp, Receive, Scope, Send

INNER = "eas_inner"
"""Key of a scope whose request comes from within the process."""


def inner_client(request: Request, authorization: str) -> httpx.AsyncClient:
    """A client of the application that took `request`. It sends `authorization` with every request, unless empty."""
    transport = inner_transport(request.app, request.scope["state"], request.scope.get("client"))
    headers = {"Authorization": authorization} if authorization else {}
    return httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers)


def inner_transport(
    app: ASGIApp, state: Mapping[str, Any], client: tuple[str, int] | None
) -> httpx.ASGITransport:
    """Requests to an application with the services of its server, on behalf of the client with this address."""

    async def served(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "state": state, "client": client, INNER: True}, receive, send)

    return httpx.ASGITransport(served, raise_app_exceptions=False)
