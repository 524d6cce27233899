"""Limits of waiting that other programs on the machine do not use up: they count seconds of a quiet machine.

Keep out: what is waited for.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from tests.suite.speed import REFERENCE, known_work


class Patience:
    """So many seconds of a quiet machine. After each pause a known work says how much slower everything is now."""

    def __init__(self, seconds: float) -> None:
        self._left = seconds

    def lasts(self, pause: float, wait: Callable[[float], object] = time.sleep) -> bool:
        """Wait for a pause, unless the patience is over. Returns whether it waited."""
        if self._left <= 0:
            return False
        started = time.monotonic()
        wait(pause)
        before_work = time.monotonic()
        known_work()
        now = time.monotonic()
        slower = max(1.0, (now - before_work) / (REFERENCE / 1000))
        self._left -= (now - started) / slower
        return True
