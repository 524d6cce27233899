"""Middleware that refuses large request bodies: by their declared size, else as soon as they exceed the limit."""

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.statuses import status_response

# Bytes. Nothing that is sent here is a file.
MAX_BYTES = 1_000_000
REFUSED = f"the body has more than {MAX_BYTES} bytes; split the request"


class BodySize:
    """ASGI middleware: 413 as google.rpc.Status, where the framework's own limit answers plain text."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if length.isdigit() and int(length) > MAX_BYTES:
            await status_response(413, 3, REFUSED)(scope, receive, send)
            return
        read = 0

        async def counted() -> Message:
            nonlocal read
            message = await receive()
            read += len(message.get("body", b""))
            if read > MAX_BYTES:
                raise HTTPException(413, REFUSED)
            return message

        await self._app(scope, counted, send)
