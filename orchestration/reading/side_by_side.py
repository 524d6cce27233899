"""Reads several connections at the same time, so that one that is slow or broken delays no other.

Each is read in a process of its own. The runs that record them find the results in `Readings`. Keep out: which
connections are due (commands/syncs.py, graph/nightly_reading.py), one reading (syncs.py).
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager

from ingest.git.supervision import Readers
from orchestration.deployment import Deployment
from orchestration.reading import syncs
from orchestration.reading.readings import Readings
from orchestration.reading.syncs import Synced
from orchestration.runtime import interrupts
from orchestration.runtime.progress import Progress
from orchestration.state.connections import KnownConnection

AT_ONCE = 8
"""Connections that are read at the same time. Each waits for its provider nearly all the time."""
LOOK_SECONDS = 1.0
"""Python looks at a signal that another thread received only when the main thread stops waiting."""


class SideBySide:
    """Readings of connections that begin together. At the end of the block, also after an error, nothing reads."""

    def __init__(
        self,
        deployment: Deployment,
        chosen: Sequence[KnownConnection],
        readings: Readings,
        progress: Progress,
        *,
        is_full: bool = False,
    ) -> None:
        self._deployment, self._chosen, self._readings = deployment, chosen, readings
        self._progress, self._is_full = progress, is_full
        self._readers = Readers(deployment.settings)
        self._running: dict[Future[Synced], KnownConnection] = {}
        self._signals = interrupts.received()

    @contextmanager
    def running(self) -> Iterator[SideBySide]:
        """Begin the readings."""
        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="connection") as threads:
            try:
                for one in self._chosen:
                    self._running[threads.submit(self._read, one)] = one
                yield self
            finally:
                self._readers.end()
                threads.shutdown(wait=False, cancel_futures=True)

    def ended(self, seconds: float | None = None) -> Iterator[KnownConnection]:
        """The connections whose readings have ended, well or not, as they end: all of them, or those that end within
        so many seconds. A later call goes on with the others.

        Raises KeyboardInterrupt after a signal, also where something else caught the one that its handler raised.
        """
        until = math.inf if seconds is None else time.monotonic() + seconds
        while self._running:
            if interrupts.received() > self._signals:
                raise KeyboardInterrupt
            left = min(until - time.monotonic(), LOOK_SECONDS)
            if left <= 0:
                return
            for reading in wait(self._running, left, FIRST_COMPLETED).done:
                one = self._running.pop(reading)
                self._readings.add_sync(one.id, reading)
                yield one

    def _read(self, one: KnownConnection) -> Synced:
        return syncs.sync(self._deployment, one, self._progress, is_full=self._is_full, readers=self._readers)
