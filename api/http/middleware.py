"""Middleware of every request: it refuses large bodies, and names the started operations in `X-Operation`."""

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.control.operations.operations import appended
from api.http.statuses import status_response

# Bytes. Nothing that is sent here is a file.
MAX_BYTES = 1_000_000
REFUSED = f"the body has more than {MAX_BYTES} bytes; split the request"
# Their receivers have limits of their own, and errors of their own protocols.
LIMITED_THEMSELVES = ("/otlp/v1/", "/scim/v2/")
# A header longer than this is refused by common proxies; the list of operations has them all.
MAX_NAMED_OPERATIONS = 50


class BodySize:
    """ASGI middleware: 413 as google.rpc.Status, where the framework's own limit answers plain text.

    It refuses a body by its declared size, else as soon as it exceeds the limit. The receivers of
    telemetry and of directories have limits of their own.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(LIMITED_THEMSELVES):
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
