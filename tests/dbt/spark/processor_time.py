"""The processor seconds of this process and of those that it started: what other programs do changes them little."""

from __future__ import annotations

import os
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def used() -> float:
    """Seconds of this process, of its ended children, and of all that descend from it and still run."""
    return sum(os.times()[:4]) + sum(_seconds(pid) for pid in _descendants(os.getpid()))


def _descendants(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found += [child, *_descendants(child)]
    return found


def _seconds(pid: int) -> float:
    try:
        # The name, in brackets, may have spaces.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has ended
        return 0.0
    return sum(map(int, fields[11:15])) / TICKS
