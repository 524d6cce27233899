"""Texts of summaries as JSON or, where `Accept` asks for it, as a document that people read.

Keep out: what a text says (presentation/summaries), who may see what of it (read/summaries).
"""

from collections.abc import Mapping
from typing import Any

import anyio
import anyio.to_process
from fastapi import Request
from starlette.responses import Response

from api.http.media_types import JSON, accepted
from api.http.responses import NOT_KEPT, private
from api.presentation.summaries.document import Document
from api.presentation.summaries.formats.renderers import RENDERERS, Format, render

FORMATS = {RENDERERS[one].media_type.partition(";")[0]: one for one in Format}
# Their pictures hold the interpreter, so another process draws them.
WITH_PICTURES = frozenset({Format.HTML, Format.PDF})
# Texts come from outside too: a page that a browser opens loads and runs nothing.
HEADERS = NOT_KEPT | {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox allow-popups",
    "X-Content-Type-Options": "nosniff",
    "Vary": "Accept, Authorization",
}
ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The text with its facts. `Accept` asks for Markdown, a page, plain text or PDF instead.",
        "content": {
            media_type: {"schema": {"type": "string"} | ({"format": "binary"} if one is Format.PDF else {})}
            for media_type, one in FORMATS.items()
        },
    }
}


def wanted_format(request: Request) -> Format | None:
    """The format that a request accepts best; None for JSON."""
    return FORMATS.get(accepted(request, JSON, *FORMATS))


class Printer:
    """Prints documents, those with pictures one at a time: a second process would need another 100 MB."""

    def __init__(self) -> None:
        self._limiter = anyio.CapacityLimiter(1)

    async def answer(self, request: Request, body: Mapping[str, Any], document: Document) -> Response:
        """The body as JSON, or the document in the format that the request accepts."""
        chosen = wanted_format(request)
        if chosen is not None:
            return await self.printed(document, chosen)
        answer = private(body)
        answer.headers["Vary"] = HEADERS["Vary"]
        return answer

    async def printed(self, document: Document, chosen: Format) -> Response:
        """The document in a format."""
        if chosen in WITH_PICTURES:
            content = await anyio.to_process.run_sync(render, document, chosen, limiter=self._limiter)
        else:
            content = render(document, chosen)
        return Response(content, headers=HEADERS, media_type=RENDERERS[chosen].media_type)


PRINTER = Printer()
