"""Measures how fast this machine is while the tests run, and how busy.

Seconds of two runs are comparable if both had the same number of workers, on equally fast cores, and nothing else ran.
"""

from __future__ import annotations

import os
import statistics
import threading
import time
from dataclasses import dataclass, field

SAMPLE_EVERY = 10.0
"""Seconds between two samples. A sample takes 20 milliseconds."""
REFERENCE = 12.5
"""Processor milliseconds for the known work on the machine of reference, of which the recorded seconds are."""
MAX_SLOWER = 1.15
"""A machine that takes this much longer for the known work is no longer as fast as the recorded one."""
MAX_MORE_LOAD = 0.6
"""Runnable processes above the recorded load, from which on something else uses the cores."""


@dataclass(frozen=True)
class Speed:
    """Processor milliseconds of the known work, the mean number of runnable processes, and the workers of the run."""

    milliseconds: float
    load: float
    workers: int

    def difference(self, recorded: Speed) -> str | None:
        """Why seconds of this run cannot be judged by the recorded ones; None if they can."""
        if self.workers != recorded.workers:
            return f"{self.workers} workers instead of {recorded.workers}"
        if self.milliseconds > recorded.milliseconds * MAX_SLOWER:
            return (
                f"this machine takes {self.milliseconds / recorded.milliseconds:.2f} times the processor time"
            )
        if self.load > recorded.load + MAX_MORE_LOAD:
            return f"the mean load was {self.load:.1f}, and {recorded.load:.1f} in the recorded run"
        return None


@dataclass
class SpeedSamples:
    """Samples of a run, taken by a thread from `start` to `stop`."""

    milliseconds: list[float] = field(default_factory=list)
    loads: list[float] = field(default_factory=list)
    _ended: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def start(self) -> None:
        self._thread = threading.Thread(target=self._sample, name="speed", daemon=True)
        self._thread.start()

    def stop(self, workers: int) -> Speed:
        """The median speed and the mean load."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        loads = self.loads or [os.getloadavg()[0]]
        samples = self.milliseconds or [known_work()]
        return Speed(round(statistics.median(samples), 2), round(statistics.fmean(loads), 2), workers)

    def _sample(self) -> None:
        while not self._ended.wait(SAMPLE_EVERY):
            self.milliseconds.append(known_work())
            self.loads.append(os.getloadavg()[0])


def known_work() -> float:
    """Processor milliseconds of this thread for a fixed piece of work."""
    started = time.thread_time()
    numbers = {str(number): number for number in range(40_000)}
    sum(numbers[str(number)] % 7 for number in range(40_000))
    return (time.thread_time() - started) * 1000
