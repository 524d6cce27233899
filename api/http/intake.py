"""The intake of telemetry of one process: its spool, its threads, and how much each ingest token may send.

Keep out: paths and answers (api/otlp), what telemetry means (ingest/telemetry).
"""

import asyncio
import time
from collections import OrderedDict
from pathlib import Path

import anyio

from api.errors import ResourceExhausted
from api.instruments import ACKNOWLEDGEMENT_ERRORS, ACKNOWLEDGEMENT_SECONDS, timed
from ingest.telemetry.accept import Spool

# Of each token in each process. A thousand developers who work at once send 220 in a second with one token.
BATCHES_PER_SECOND = 500
BURST = 2_000
# Bodies are decoded at once; each may take a hundred megabytes while it is.
DECODED_AT_ONCE = 2
MAX_TOKENS = 10_000


class Intake:
    """The intake of one process. `close` writes what waits."""

    def __init__(self, folder: Path, *, rate: float = BATCHES_PER_SECOND, burst: float = BURST) -> None:
        self.decoding = anyio.CapacityLimiter(DECODED_AT_ONCE)
        self._spool = Spool(folder)
        self._rate, self._burst = rate, burst
        # By token: what it had left, and when.
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def count(self, token_id: str) -> None:
        """Count a batch of a token. Raises ResourceExhausted."""
        now = time.monotonic()
        left, at = self._left.pop(token_id, (self._burst, now))
        left = min(self._burst, left + (now - at) * self._rate)
        is_allowed = left >= 1
        self._left[token_id] = (left - is_allowed, now)
        if len(self._left) > MAX_TOKENS:
            self._left.popitem(last=False)
        if not is_allowed:
            problem = (
                f"this ingest token sends more than {self._rate:g} batches a second; send larger batches"
            )
            raise ResourceExhausted(problem, (1 - left) / self._rate)

    async def keep(self, organization_id: str, line: bytes) -> None:
        """Wait until a line is on the disk. Raises OSError where it cannot be written."""
        with timed(ACKNOWLEDGEMENT_SECONDS, ACKNOWLEDGEMENT_ERRORS):
            await asyncio.wrap_future(self._spool.append(organization_id, line))

    def close(self) -> None:
        """Write what waits."""
        self._spool.close()
