"""Pictures as answers: who asks for one, and the process that draws.

Drawing holds the interpreter for 20 to 250 ms, so another process does it; that one starts with the first picture.
Keep out: what a picture shows (presentation/charts).
"""

import re
from collections.abc import Mapping
from typing import Any

import anyio
import anyio.to_process
from fastapi import Request

from api.presentation.charts.drawing import draw
from api.presentation.charts.themes import Theme

SVG = "image/svg+xml"
# A picture that is opened as a page loads and runs nothing.
HEADERS = {"Content-Security-Policy": "default-src 'none'; sandbox", "X-Content-Type-Options": "nosniff"}
_WEIGHT = re.compile(r";\s*q=([01](?:\.\d{0,3})?)\s*(?:;|$)", re.IGNORECASE)


class Pictures:
    """Draws specifications, one at a time: a second process would need another 100 MB."""

    def __init__(self) -> None:
        self._limiter = anyio.CapacityLimiter(1)

    async def drawn(self, specification: Mapping[str, Any], theme: Theme) -> bytes:
        """The picture as SVG."""
        svg = await anyio.to_process.run_sync(draw, specification, theme, limiter=self._limiter)
        return svg.encode()


def wants_picture(request: Request) -> bool:
    """Whether `Accept` names SVG, and not JSON with the same weight."""
    weights = {}
    for accepted in ",".join(request.headers.getlist("accept")).split(","):
        found = _WEIGHT.search(accepted)
        weights[accepted.partition(";")[0].strip().lower()] = float(found[1]) if found else 1.0
    return weights.get(SVG, 0) > weights.get("application/json", 0)
