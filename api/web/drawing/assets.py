"""Style sheet and scripts of the dashboard, below an address that changes with their content."""

import gzip
import hashlib
from dataclasses import dataclass
from importlib.resources import files

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import Anybody
from api.errors import NotFound
from api.web.compression import encoded, takes_gzip

router = APIRouter(include_in_schema=False)

MEDIA_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
# The address names the content, so a browser never asks for it again.
CACHING = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class Asset:
    """A file, also compressed, its address below the service, and its type."""

    address: str
    content: bytes
    compressed: bytes
    media_type: str


def _asset(name: str) -> Asset:
    content = (files("api.web") / "static" / name).read_bytes()
    stem, _, suffix = name.rpartition(".")
    digest = hashlib.sha256(content).hexdigest()[:12]
    compressed = gzip.compress(content, mtime=0)
    return Asset(f"assets/{stem}.{digest}.{suffix}", content, compressed, MEDIA_TYPES[f".{suffix}"])


STYLE, HTMX, SCRIPT = _asset("style.css"), _asset("htmx.js"), _asset("page.js")
PLOTS = (_asset("uplot.js"), _asset("touch.js"), _asset("plot.js"))
"""The scripts of charts to point at and to zoom into, in their order. page.js loads them on pages that have one."""
ASSETS = {asset.address: asset for asset in (STYLE, HTMX, SCRIPT, *PLOTS)}


@router.get("/assets/{name}")
async def asset(_: Anybody, request: Request, name: str) -> Response:
    """A file of the dashboard. Raises NotFound for a name of another release."""
    found = ASSETS.get(f"assets/{name}")
    if found is None:
        raise NotFound("the dashboard of this release has no such file; load the page again")
    headers = {"Cache-Control": CACHING, "X-Content-Type-Options": "nosniff"}
    if not takes_gzip(request.headers):
        headers["Vary"] = "Accept-Encoding"
        return Response(found.content, headers=headers, media_type=found.media_type)
    answer = Response(found.compressed, headers=headers, media_type=found.media_type)
    encoded(answer.headers, len(found.compressed))
    return answer
