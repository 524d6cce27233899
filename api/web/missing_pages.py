"""The page at an address that no route has. Programs get the error of every other path (http/error_handlers.py)."""

from fastapi import Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from api.http.error_handlers import render_http_exception
from api.http.media_types import wants_page
from api.services import services
from api.web.drawing.rendering import page
from api.web.frame import root_of


async def render_missing(request: Request, error: Exception) -> Response:
    """Handler of errors that Starlette raises itself: a page for a browser at an unknown path."""
    assert isinstance(error, HTTPException)
    is_page = error.status_code == 404 and request.method == "GET" and wants_page(request)
    if not is_page or request.url.path.startswith("/api/"):
        return await render_http_exception(request, error)
    made = page("missing.html", 404, title="There is no such page", root=root_of(services(request)))
    made.headers["Vary"] = "Accept"
    return made
