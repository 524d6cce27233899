"""Pictures of servers in this process, each drawn once.

A server of the product draws in a process of its own (tests/api/http/test_drawing_ahead.py). That of each server of the
tests would take a second to start, and many servers show the same facts.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import anyio
import anyio.to_thread
import orjson
import pytest

from api.http import pictures
from api.presentation.charts.drawing import draw
from api.presentation.charts.themes import Theme

_drawn: dict[tuple[bytes, Theme], bytes] = {}


class PicturesDrawnOnce(pictures.Pictures):
    """Draws in a thread what was not drawn before."""

    async def drawn(self, specification: Mapping[str, Any], theme: Theme) -> bytes:
        """The picture as SVG."""
        key = orjson.dumps(specification), theme
        if key not in _drawn:
            svg = await anyio.to_thread.run_sync(draw, specification, theme, limiter=self._limiter)
            _drawn[key] = svg.encode()
        return _drawn[key]


@contextmanager
def drawing_once() -> Iterator[None]:
    """Within it, new servers draw so."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pictures, "Pictures", PicturesDrawnOnce)
        yield
