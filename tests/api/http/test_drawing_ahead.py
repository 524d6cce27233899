"""The process that draws pictures starts with a server, so that nobody waits for it."""

import os

import anyio
import anyio.to_process

from api.http.pictures import SMALLEST, Pictures
from api.presentation.charts.drawing import draw
from api.presentation.charts.themes import Theme


def test_the_first_picture_after_the_start_is_drawn_by_the_process_that_started() -> None:
    async def drawn() -> tuple[int, int]:
        pictures = Pictures()
        await pictures.start()
        first = await anyio.to_process.run_sync(process_id)
        assert b"<svg" in await pictures.drawn(SMALLEST, Theme.DARK)
        return first, await anyio.to_process.run_sync(process_id)

    first, second = anyio.run(drawn)
    assert first == second


def process_id() -> int:
    return os.getpid()


def test_the_smallest_picture_is_one() -> None:
    assert draw(SMALLEST, Theme.PAGE).startswith("<svg")
