"""Jumps of the clock: every process that a round starts loads a library that moves its clock.

A process may have an offset of its own, and all of them share one that may change while they run.
Keep out: when the clock jumps (`accidents`, `soak`). Without a C compiler on Linux these rounds are left out.
"""

from __future__ import annotations

import mmap
import os
import shutil
import struct
import subprocess
import sys
import time
from pathlib import Path

OFFSET = "CHAOS_CLOCK_OFFSET"
SHARED = "CHAOS_CLOCK_FILE"
SOURCE = Path(__file__).with_name("clock.c")
HOUR, YEAR = 3600, 365 * 24 * 3600
JUMPS = (-YEAR, -HOUR, HOUR, YEAR)


def prepare(folder: Path) -> bool:
    """Compile the library and have every later process load it. Returns whether that works here.

    Call it before the first run.
    """
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or not sys.platform.startswith("linux"):
        return False
    library = folder / "clock.so"
    made = subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE)], check=False)
    if made.returncode:
        return False
    file = folder / "clock"
    file.write_bytes(_written(0))
    os.environ |= {"LD_PRELOAD": str(library), SHARED: str(file)}
    return _now(HOUR) - _now(0) > HOUR / 2


class SharedClock:
    """The clock of all processes after `prepare`. This process computes it, because it does not load the library."""

    def __init__(self) -> None:
        with Path(os.environ[SHARED]).open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)
        self.offset = 0

    def now(self) -> float:
        """Seconds since 1970."""
        return time.time() + self.offset

    def move_to(self, moment: float) -> None:
        """Let all processes have this time now."""
        self.offset = round(moment - time.time())
        self._map[:] = _written(self.offset)


def _written(offset: int) -> bytes:
    return struct.pack("@l", offset)


def _now(offset: int) -> float:
    answer = subprocess.run(
        [sys.executable, "-c", "import time; print(time.time())"],
        env=os.environ | {OFFSET: str(offset)},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(answer.stdout)
