"""Runs the API in a separate process under load, and computes figures of the load.

Keep out: requests and bars (bench_api.py, bench_lists.py, bench_pages.py).
"""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.latency.http_load import Outcome

# Seconds that a reader waits before each request.
PAUSE = (0.2, 1.0)


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured figure against its bar."""

    name: str
    value: float
    bar: float
    unit: str
    at_least: bool = False

    @property
    def holds(self) -> bool:
        """Whether the bar is met."""
        return self.value >= self.bar if self.at_least else self.value <= self.bar

    def __str__(self) -> str:
        sign = "≥" if self.at_least else "≤"
        verdict = "ok" if self.holds else "MISSED"
        return f"{self.name:58} {self.value:9.1f} {self.unit:6} bar {sign} {self.bar:.1f}  {verdict}"


@dataclass(frozen=True, slots=True)
class Server:
    """A running server: its port, and the id of its process."""

    port: int
    process_id: int


@contextmanager
def server(folder: Path, *, keeps_answers: bool = False) -> Iterator[Server]:
    """Run a server on a free port of this machine for the block. It reads the databases for every request, unless it
    `keeps_answers` as the service does.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    settings = {"EAS_DATA_DIR": str(folder), "EAS_API_PORT": str(port)}
    if not keeps_answers:
        settings["EAS_API_RESPONSE_CACHE_MB"] = "0"
    process = subprocess.Popen([sys.executable, "-m", "api"], env=os.environ | settings)
    try:
        for _ in range(1200):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield Server(port, process.pid)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=20)


def processor_seconds(process_id: int) -> float:
    """Seconds of processor time that a process and those below it have used, those that ended included."""
    used = 0.0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            # The name of the program may have spaces and parentheses; state and parent follow its last one.
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(folder.name) == process_id:
            used += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
        elif int(fields[1]) == process_id:
            used += processor_seconds(int(folder.name))
    return used


def show(outcome: Outcome) -> None:
    """One line of detail about a load."""
    routes = ", ".join(
        f"{name} {sorted(times)[len(times) // 2] * 1000:.1f}"
        for name, times in sorted(outcome.by_route.items())
    )
    print(
        f"  {len(outcome.seconds)} requests, {outcome.rate:.0f}/s, p50 {outcome.percentile(0.5):.1f} ms, "
        f"p99 {outcome.percentile(0.99):.1f} ms, worst {outcome.percentile(1):.1f} ms (p50: {routes}), "
        f"load {os.getloadavg()[0]:.1f}"
    )
