"""Jumps of the clock: every process that a round starts loads a library that moves its clock.

Keep out: when the clock jumps (`accidents`). Without a C compiler on Linux these rounds are left out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

OFFSET = "CHAOS_CLOCK_OFFSET"
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
    os.environ["LD_PRELOAD"] = str(library)
    return _now(HOUR) - _now(0) > HOUR / 2


def _now(offset: int) -> float:
    answer = subprocess.run(
        [sys.executable, "-c", "import time; print(time.time())"],
        env=os.environ | {OFFSET: str(offset)},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(answer.stdout)
