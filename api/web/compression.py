"""Pages, style and scripts go compressed to browsers that take it: a page is an eighth of its size.

A page has a token of the session beside text of its address, so the size of a compressed page tells how much of the
token that text has (BREACH). Only a foreign page would try one text after the other: what it opens is sent as it is.

Keep out: answers of the interface, whose clients ask for few bytes by their parameters.
"""

import gzip
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

GZIP: Final = "gzip"
PAGES: Final = "text/html"
LEAST: Final = 1_000
"""Bytes from which compression is worth its time."""
LEVEL: Final = 6
OWN: Final = ("same-origin", "none")
"""What a browser says of a page that a page of this address opens, or the person by a bookmark or the address line."""
INTERFACE: Final = "/api/"
SEVERAL_CODINGS: Final = "*"


class CompressedPages:
    """ASGI middleware: pages of LEAST bytes or more that this address or the person opens are compressed."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _is_compressible(scope):
            await self._app(scope, receive, send)
            return
        held: Message | None = None

        async def compressing(message: Message) -> None:
            nonlocal held
            if message["type"] == "http.response.start" and _is_page(message):
                held = message
                return
            if held is not None:
                start, held = held, None
                body = message.get("body", b"")
                if len(body) >= LEAST and not message.get("more_body", False):
                    body = gzip.compress(body, LEVEL, mtime=0)
                    encoded(MutableHeaders(scope=start), len(body))
                await send(start)
                message["body"] = body
            await send(message)

        await self._app(scope, receive, compressing)


def takes_gzip(headers: Headers) -> bool:
    """Whether a client takes gzip: it names it, and with no weight of zero."""
    for part in headers.get("accept-encoding", "").lower().split(","):
        coding, _, weight = part.partition(";")
        if coding.strip() in (GZIP, SEVERAL_CODINGS):
            return weight.replace(" ", "").rstrip("0") not in ("q=", "q=0.")
    return False


def encoded(headers: MutableHeaders, size: int) -> None:
    """Say in the headers of an answer that it is compressed, and how many bytes it has."""
    headers["Content-Encoding"] = GZIP
    headers["Content-Length"] = str(size)
    headers.add_vary_header("Accept-Encoding")


def _is_compressible(scope: Scope) -> bool:
    """Whether the answer to a request may be compressed. A browser that does not say who asks gets it as it is."""
    headers = Headers(scope=scope)
    is_own = headers.get("sec-fetch-site") in OWN
    return is_own and takes_gzip(headers) and not scope["path"].startswith(INTERFACE)


def _is_page(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    return headers.get("content-type", "").startswith(PAGES) and "content-encoding" not in headers
