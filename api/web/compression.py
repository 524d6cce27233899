"""Pages, style and scripts go compressed to browsers that take it: a page is an eighth of its size.

Keep out: answers of the interface, whose clients ask for few bytes by their parameters.
"""

import gzip
import io
from secrets import choice
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

GZIP: Final = "gzip"
PAGES: Final = "text/html"
LEAST: Final = 1_000
"""Bytes from which compression is worth its time."""
LEVEL: Final = 6
MOST_PADDING: Final = 100
SEVERAL_CODINGS: Final = "*"


class CompressedPages:
    """ASGI middleware: pages of LEAST bytes or more are compressed for browsers that take it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not takes_gzip(Headers(scope=scope)):
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
                    body = _padded(body)
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


def _is_page(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    return headers.get("content-type", "").startswith(PAGES) and "content-encoding" not in headers


def _padded(page: bytes) -> bytes:
    """The compressed page. The name in its head has a random length.

    A page has a token of the session beside text of an address: without this, the size of many answers would tell
    somebody who sees the network how much of the token a guess has (BREACH).
    """
    made = io.BytesIO()
    name = "x" * choice(range(1, MOST_PADDING))
    with gzip.GzipFile(name, "wb", LEVEL, made, mtime=0) as compressed:
        compressed.write(page)
    return made.getvalue()
