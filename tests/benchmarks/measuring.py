"""Wall time, CPU time and peak memory of a command with all the processes that it starts.

Memory is the sum of proportional set sizes over the process tree, so that pages which workers share count
once.
"""

import contextlib
import os
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

SAMPLE_SECONDS = 0.2
GIGABYTE = 1 << 30


@dataclass(frozen=True)
class Measured:
    """One run. `load` is the machine's load average of the minute before; `peak` is 0 when not sampled."""

    wall: float
    cpu: float
    peak: int
    load: float
    output: str


class CommandError(Exception):
    """A measured command ended with another status than 0."""


def pin(cores: int = 2) -> int:
    """Keep this process and those it starts on the first `cores` cores that it may use; returns how many."""
    chosen = sorted(os.sched_getaffinity(0))[:cores]
    os.sched_setaffinity(0, chosen)
    return len(chosen)


def measure(
    command: Sequence[str],
    *,
    stdin: str = "",
    keep_output: bool = True,
    memory: bool = False,
    environment: dict[str, str] | None = None,
) -> Measured:
    """Run to the end. Raises CommandError with the last lines that it wrote to its standard error."""
    load = os.getloadavg()[0]
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as kept,
        tempfile.TemporaryFile() as errors,
    ):
        given.write(stdin.encode())
        given.seek(0)
        started = time.monotonic()
        sink = kept if keep_output else subprocess.DEVNULL
        process = subprocess.Popen(command, stdin=given, stdout=sink, stderr=errors, env=environment)
        with _Memory(process.pid) if memory else contextlib.nullcontext() as sampled:
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.monotonic() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            tail = errors.read().decode("utf-8", "replace").strip().splitlines()[-8:]
            raise CommandError(
                f"{' '.join(command[:4])} … ended with {process.returncode}: {' | '.join(tail)}"
            )
        kept.seek(0)
        output = kept.read().decode("utf-8", "replace")
    cpu = usage.ru_utime + usage.ru_stime
    return Measured(wall, cpu, sampled.peak if sampled else 0, load, output)


def in_turn(runs: Sequence[Callable[[], Measured]], times: int) -> list[list[Measured]]:
    """Each run `times` times, one after the other, so that a busy minute strikes all of them."""
    rounds = [[run() for run in runs] for _ in range(times)]
    return [list(column) for column in zip(*rounds, strict=True)]


def median(measured: Sequence[Measured], of: Callable[[Measured], float]) -> float:
    return statistics.median(of(one) for one in measured)


class _Memory:
    """Samples the tree below a process until the block ends."""

    def __init__(self, root: int) -> None:
        self.root = root
        self.peak = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "_Memory":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(SAMPLE_SECONDS):
            self.peak = max(self.peak, sum(map(_proportional_bytes, _tree(self.root))))


def _tree(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):  # noqa: PTH208 - a Path per process would be most of the sampler's cost
        if entry.isdigit():
            with contextlib.suppress(OSError):
                # The name in parentheses may hold spaces and parentheses of its own.
                parent = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[1]
                children.setdefault(int(parent), []).append(int(entry))
    found = [root]
    for process in found:
        found += children.get(process, [])
    return found


def _proportional_bytes(process: int) -> int:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0
