"""Servers of tests in processes of their own, and what the system knows of these processes."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from tests.api.conftest import certificates

ESTABLISHED, LISTENING = "01", "0A"
Served = tuple["subprocess.Popen[bytes]", str]
"""The first process of a server, and its address."""


@contextmanager
def started(
    data_dir: Path, processes: int, at: str | None = None, url: str | None = None, **more: str
) -> Iterator[Served]:
    """`python -m api` with its address. It ends afterwards with all its processes."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = urlsplit(at).port if at else probe.getsockname()[1]
    settings = {
        "EAS_DATA_DIR": str(data_dir),
        "EAS_API_PORT": str(port),
        "EAS_API_PROCESSES": str(processes),
        "CONTROL_DATABASE_URL": url or f"sqlite:///{data_dir}/control.db",
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "api"],
        env=os.environ | settings | more,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process, f"http://127.0.0.1:{port}"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def served_by_two(data_dir: Path, url: str | None = None, **more: str) -> Iterator[Served]:
    """Two processes that answer."""
    with started(data_dir, processes=2, url=url, **more) as (process, address):
        until(lambda: len(workers(process.pid)) == 2 and answers(address))
        yield process, address


def workers(parent: int) -> set[int]:
    """The worker processes: the children of a process, without Python's resource tracker."""
    with suppress(FileNotFoundError):
        started = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        return {int(one) for one in started if b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes()}
    return set()


def sockets_at(port: int, state: str) -> set[str]:
    """Inodes of the sockets at a port in a state of Linux's table."""
    rows = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return {row[9] for row in rows if row[1].endswith(f":{port:04X}") and row[3] == state}


def connections(parent: int, port: int) -> list[int]:
    """How many connections each process holds."""
    taken = {f"socket:[{inode}]" for inode in sockets_at(port, ESTABLISHED)}
    return [len(taken & opened_by(worker)) for worker in workers(parent)]


def opened_by(process: int) -> set[str]:
    found = set()
    for descriptor in Path(f"/proc/{process}/fd").iterdir():
        with suppress(FileNotFoundError):
            found.add(str(descriptor.readlink()))
    return found


def answers(address: str) -> bool:
    with suppress(httpx.HTTPError):
        return httpx.get(f"{address}/readyz", timeout=5, verify=certificates()).status_code == 200
    return False


def until(holds: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it does not come true"
        time.sleep(0.05)
