"""Pictures as answers: the process that draws them.

Drawing holds the interpreter for 20 to 250 ms, so another process does it. That one takes seconds to start,
because the first picture compiles the drawing program.
Keep out: what a picture shows (presentation/charts).
"""

from collections.abc import Mapping
from typing import Any

import anyio
import anyio.to_process

from api.presentation.charts.drawing import draw
from api.presentation.charts.themes import Theme

SVG = "image/svg+xml"
# A picture that is opened as a page loads and runs nothing.
HEADERS = {"Content-Security-Policy": "default-src 'none'; sandbox", "X-Content-Type-Options": "nosniff"}


SMALLEST: Mapping[str, Any] = {
    "usermeta": {"title": ""},
    "description": "",
    "data": {"values": [{"x": 1}]},
    "mark": "bar",
    "encoding": {"x": {"field": "x", "type": "quantitative"}},
}


class Pictures:
    """Draws specifications, one at a time: a second process would need another 100 MB."""

    def __init__(self) -> None:
        self._limiter = anyio.CapacityLimiter(1)

    async def start(self) -> None:
        """Start the process with a picture that nobody sees."""
        await self.drawn(SMALLEST, Theme.LIGHT)

    async def drawn(self, specification: Mapping[str, Any], theme: Theme) -> bytes:
        """The picture as SVG."""
        svg = await anyio.to_process.run_sync(draw, specification, theme, limiter=self._limiter)
        return svg.encode()
