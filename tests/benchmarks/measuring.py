"""Wall time, CPU time and peak memory of a command with all its child processes.

Memory is the sum of proportional set sizes over the process tree, so shared pages count once.
"""

import contextlib
import os
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
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
    """Pin this process and its children to the first `cores` allowed cores. Returns the number of cores."""
    chosen = sorted(os.sched_getaffinity(0))[:cores]
    os.sched_setaffinity(0, chosen)
    return len(chosen)


def measure(
    command: Sequence[str],
    *,
    stdin: str = "",
    keep_output: bool = True,
    sample: bool = False,
    environment: dict[str, str] | None = None,
) -> Measured:
    """Run a command to its end. Raises CommandError with the last lines of its standard error."""
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
        with _Sampler(process.pid) if sample else contextlib.nullcontext() as sampled:
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
    if sampled:
        # The usage omits processes that no parent waits for, such as servers of worker pools.
        cpu = max(cpu, sampled.cpu)
    return Measured(wall, cpu, sampled.peak if sampled else 0, load, output)


def in_turn(runs: Sequence[Callable[[], Measured]], times: int) -> list[list[Measured]]:
    """Run all commands `times` times in turn, so that a busy minute affects all of them."""
    rounds = [[run() for run in runs] for _ in range(times)]
    return [list(column) for column in zip(*rounds, strict=True)]


def median(measured: Sequence[Measured], of: Callable[[Measured], float]) -> float:
    return statistics.median(of(one) for one in measured)


class _Sampler:
    """Samples the process tree until the block ends: peak memory, and CPU time of every process."""

    def __init__(self, root: int) -> None:
        self.root = root
        self.peak = 0
        self._ticks: dict[int, int] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    @property
    def cpu(self) -> float:
        """CPU seconds, without the time of a process after its last sample."""
        return sum(self._ticks.values()) / os.sysconf("SC_CLK_TCK")

    def __enter__(self) -> "_Sampler":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._ended.wait(SAMPLE_SECONDS):
            tree = _tree(self.root)
            self._ticks |= tree
            self.peak = max(self.peak, sum(map(_proportional_bytes, tree)))


@contextlib.contextmanager
def sampled_peak(process_id: int) -> Iterator[list[int]]:
    """Watch the memory of a running process and those below it. The peak in bytes is known after the block."""
    peak: list[int] = []
    with _Sampler(process_id) as sampler:
        yield peak
    peak.append(sampler.peak)


def _tree(root: int) -> dict[int, int]:
    """The processes at and below `root`, each with its CPU clock ticks."""
    children: dict[int, list[int]] = {}
    ticks = {}
    for entry in os.listdir("/proc"):  # noqa: PTH208 - a Path per process would be most of the sampler's cost
        if entry.isdigit():
            with contextlib.suppress(OSError):
                # The name in parentheses may hold spaces and parentheses of its own.
                fields = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
                children.setdefault(int(fields[1]), []).append(int(entry))
                ticks[int(entry)] = int(fields[11]) + int(fields[12])
    found = [root]
    for process in found:
        found += children.get(process, [])
    return {process: ticks[process] for process in found if process in ticks}


def _proportional_bytes(process: int) -> int:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    return 0
