"""Middleware that adds `X-Operation`: the operations that a request has started."""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.control.operations.operations import appended

# A header longer than this is refused by common proxies; the list of operations has them all.
MAX_NAMED_OPERATIONS = 50


class OperationHeader:
    """ASGI middleware that names the operations of a successful request, with commas."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self._app(scope, receive, send)
            return
        ids: list[str] = []

        async def named(message: Message) -> None:
            # A refused request has rolled back its changes.
            if message["type"] == "http.response.start" and message["status"] < 400 and ids:
                MutableHeaders(scope=message)["X-Operation"] = ", ".join(ids[:MAX_NAMED_OPERATIONS])
            await send(message)

        token = appended.set(ids)
        try:
            await self._app(scope, receive, named)
        finally:
            appended.reset(token)
