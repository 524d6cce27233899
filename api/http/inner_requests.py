"""Requests to this application from within its process, with the credential of the one who asks.

An assistant and a page of the dashboard read `/api/v1` in this way: permissions, limits and errors are those of REST.
"""

import httpx
from fastapi import Request
from starlette.types import ASGIApp, Receive, Scope, Send


def inner_client(request: Request, authorization: str) -> httpx.AsyncClient:
    """A client of the application that took `request`. It sends `authorization` with every request, unless empty."""
    transport = httpx.ASGITransport(_in_state_of(request), raise_app_exceptions=False)
    headers = {"Authorization": authorization} if authorization else {}
    return httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers)


def _in_state_of(request: Request) -> ASGIApp:
    """The application with the services of the server that took the request."""
    app, state = request.app, request.scope["state"]

    async def served(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "state": state, "client": request.scope.get("client")}, receive, send)

    return served
