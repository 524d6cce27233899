"""Style sheet and scripts of the dashboard, below an address that changes with their content."""

import hashlib
from dataclasses import dataclass
from importlib.resources import files

from fastapi import APIRouter
from starlette.responses import Response

from api.callers.dependencies import Anybody
from api.errors import NotFound

router = APIRouter(include_in_schema=False)

MEDIA_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
# The address names the content, so a browser never asks for it again.
CACHING = "public, max-age=31536000, immutable"


@dataclass(frozen=True, slots=True)
class Asset:
    """A file, its address below the service, and its type."""

    address: str
    content: bytes
    media_type: str


def _asset(name: str) -> Asset:
    content = (files("api.web") / "static" / name).read_bytes()
    stem, _, suffix = name.rpartition(".")
    digest = hashlib.sha256(content).hexdigest()[:12]
    return Asset(f"assets/{stem}.{digest}.{suffix}", content, MEDIA_TYPES[f".{suffix}"])


STYLE, HTMX, SCRIPT = _asset("style.css"), _asset("htmx.js"), _asset("page.js")
PLOTS = (_asset("uplot.js"), _asset("touch.js"), _asset("plot.js"))
"""The scripts of charts to point at and to zoom into, in their order. page.js loads them on pages that have one."""
ASSETS = {asset.address: asset for asset in (STYLE, HTMX, SCRIPT, *PLOTS)}


@router.get("/assets/{name}")
async def asset(_: Anybody, name: str) -> Response:
    """A file of the dashboard. Raises NotFound for a name of another release."""
    found = ASSETS.get(f"assets/{name}")
    if found is None:
        raise NotFound("the dashboard of this release has no such file; load the page again")
    headers = {"Cache-Control": CACHING, "X-Content-Type-Options": "nosniff"}
    return Response(found.content, headers=headers, media_type=found.media_type)
