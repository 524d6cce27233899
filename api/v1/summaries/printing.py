"""Texts of summaries as JSON or, where `Accept` asks for it, as a document that people read.

Keep out: what a text says (presentation/summaries), who may see what of it (read/summaries).
"""

from collections.abc import Callable, Mapping
from typing import Any

from fastapi import Request
from starlette.responses import Response

from api.http.media_types import JSON, accepted
from api.http.responses import NOT_KEPT, private
from api.presentation.summaries.document import Document
from api.presentation.summaries.formats.markdown import to_markdown
from api.presentation.summaries.formats.plain_text import to_text

MARKDOWN, TEXT = "text/markdown", "text/plain"
QUICK: Mapping[str, Callable[[Document], str]] = {MARKDOWN: to_markdown, TEXT: to_text}
# Texts come from outside too: a page that a browser opens loads and runs nothing.
HEADERS = NOT_KEPT | {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Vary": "Accept, Authorization",
}
FORMATS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The text with its facts. `Accept` asks for Markdown or plain text instead.",
        "content": {
            MARKDOWN: {"schema": {"type": "string"}},
            TEXT: {"schema": {"type": "string"}},
        },
    }
}


async def answer_text(request: Request, body: Mapping[str, Any], document: Document) -> Response:
    """The body as JSON, or the document in the format that the request accepts."""
    wanted = accepted(request, JSON, *QUICK)
    if wanted == JSON:
        answer = private(body)
        answer.headers["Vary"] = HEADERS["Vary"]
        return answer
    return Response(QUICK[wanted](document), headers=HEADERS, media_type=wanted)
