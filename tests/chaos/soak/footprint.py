"""What a deployment takes of its machine: bytes and files of its data directory, and memory and open files of its API.

Growth with the facts is right, so bars are for a day after the first ones.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

MB = 1024 * 1024
SETTLED = 4
"""Days after which caches are full. As many days after them are compared with as many at the end."""
MIN_DAYS = 3 * SETTLED
MAX_DAILY_MB, MAX_DAILY_FILES = 3.0, 60
MAX_MEMORY_MB, MAX_OPEN_FILES, MAX_PROCESSES = 60, 8, 0


@dataclass(frozen=True)
class Footprint:
    """At the end of a day. `parts` are the bytes of each folder of the data directory."""

    bytes: int
    files: int
    memory: int
    open_files: int
    processes: int
    parts: Counter[str]

    def __str__(self) -> str:
        return (
            f"{self.bytes / MB:.1f} MB in {self.files} files; API {self.memory / MB:.0f} MB,"
            f" {self.open_files} open files; {self.processes} processes"
        )


def measure(data: Path, api: int | None) -> Footprint:
    """The footprint of a data directory and of the process of its API."""
    parts: Counter[str] = Counter()
    files = 0
    for folder, _, names in os.walk(data):
        for name in names:
            path = Path(folder, name)
            parts[path.relative_to(data).parts[0]] += path.lstat().st_blocks * 512
            files += 1
    memory, opened = (_memory(api), len(list(Path(f"/proc/{api}/fd").iterdir()))) if api else (0, 0)
    return Footprint(sum(parts.values()), files, memory, opened, _processes(), parts)


def growth(days: Sequence[Footprint]) -> Iterator[str]:
    """What piled up after the first days. Nothing below MIN_DAYS, because too few would be compared with themselves."""
    if len(days) < MIN_DAYS:
        return
    early, late = days[SETTLED : 2 * SETTLED], days[-SETTLED:]
    passed = len(days) - 2 * SETTLED

    def between(name: str) -> float:
        return float(median(getattr(one, name) for one in late) - median(getattr(one, name) for one in early))

    bars = (
        ("MB on the disk each day", between("bytes") / MB / passed, MAX_DAILY_MB),
        ("files each day", between("files") / passed, MAX_DAILY_FILES),
        ("MB of the API", between("memory") / MB, MAX_MEMORY_MB),
        ("open files of the API", between("open_files"), MAX_OPEN_FILES),
        ("processes", between("processes"), MAX_PROCESSES),
    )
    for name, found, bar in bars:
        if found > bar:
            yield f"{found:.1f} more {name}, at most {bar} are right"


def _memory(process: int) -> int:
    """Bytes of a process alone, without pages that it shares."""
    text = Path(f"/proc/{process}/smaps_rollup").read_text()
    return 1024 * sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Private_"))


def _processes() -> int:
    """The processes that descend from this one."""
    found, waiting = 0, [os.getpid()]
    while waiting:
        for task in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            children = [int(child) for child in task.read_text().split()]
            found += len(children)
            waiting += children
    return found
