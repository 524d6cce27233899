"""Readers of the API during a round: every answer is one of an undisturbed server, or 503 with its reason.

Keep out: accidents.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import httpx

from tests.chaos import runs
from tests.chaos.patience import Patience
from tests.chaos.stage import AFTER, BASE, Stage

DAYS = "startDate=2023-01-01&endDate=2026-01-01"
PATHS = (
    "repositories?pageSize=100",
    "developers?pageSize=100",
    f"commits?pageSize=100&{DAYS}",
    f"zeroReasons?{DAYS}",
    f"movements?{DAYS}",
)
READERS = 2
# Of a quiet machine.
SECONDS_TO_START = 60
# What differs between two builds of the same figures.
OF_BUILD = frozenset({"nextPageToken", "asOf", "buildId", "updateTime", "lastAnalyzedTime", "publishTime"})


@dataclass
class Reads:
    """What readers got. `problems` are wrong answers."""

    answers: int = 0
    refused: int = 0
    problems: set[str] = field(default_factory=set)


_known: dict[str, set[str]] = {}


@contextmanager
def readers(stage: Stage, data: Path) -> Iterator[Reads]:
    """Serve a data directory and read it without pause during the block."""
    if not _known:
        for number in (BASE, AFTER):
            with served(stage.data[number]) as server, client_of(server.address, stage.key) as client:
                for path in PATHS:
                    answer = client.get(path)
                    if answer.status_code != 200:
                        raise SystemExit(f"an undisturbed server answered {path}: {answer.text}")
                    _known.setdefault(path, set()).add(_content(answer))
    reads, is_over = Reads(), threading.Event()
    with served(data) as server:
        threads = [
            threading.Thread(target=_read, args=(server.address, stage.key, reads, is_over))
            for _ in range(READERS)
        ]
        for thread in threads:
            thread.start()
        try:
            yield reads
        finally:
            is_over.set()
            for thread in threads:
                thread.join()
            said = runs.log_file("api").read_text(errors="replace")
            if "Traceback" in said:
                reads.problems.add(f"the server's log: {said}")


def _read(address: str, key: str, reads: Reads, is_over: threading.Event) -> None:
    with client_of(address, key) as client:
        while not is_over.is_set():
            for path in PATHS:
                try:
                    answer = client.get(path)
                except httpx.HTTPError as error:
                    reads.problems.add(f"{path}: {error!r}")
                    continue
                if answer.status_code == 503:
                    reads.refused += 1
                elif answer.status_code != 200:
                    reads.problems.add(f"{path}: {answer.status_code} {answer.text[:300]}")
                elif _content(answer) not in _known[path]:
                    reads.problems.add(f"{path}: wrong figures {answer.text[:300]}")
                reads.answers += 1
            # Readers compete with the run for the cores of a small machine.
            time.sleep(0.1)


def client_of(address: str, key: str) -> httpx.Client:
    """A client of the organization of a deployment."""
    return httpx.Client(
        base_url=f"{address}/api/v1/organizations/local/",
        headers={"Authorization": f"Bearer {key}"},
        # An answer that takes longer hangs, on a busy machine too.
        timeout=runs.MAX_SECONDS,
        trust_env=False,
    )


def _content(answer: httpx.Response) -> str:
    return json.dumps(without_build(answer.json()), sort_keys=True)


def without_build(value: Any) -> Any:
    """An answer without what differs between two builds of the same figures."""
    if isinstance(value, dict):
        return {name: without_build(one) for name, one in value.items() if name not in OF_BUILD}
    return [without_build(one) for one in value] if isinstance(value, list) else value


@dataclass(frozen=True)
class Served:
    """A server that answers at an address."""

    address: str
    process: BaseProcess


@contextmanager
def served(data: Path) -> Iterator[Served]:
    """Serve a data directory until the block ends, however the server ended before."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = runs.log_file("api")
    log.unlink(missing_ok=True)
    process = runs.start(_serve, str(data), port, str(log))
    address = f"http://127.0.0.1:{port}"
    patience = Patience(SECONDS_TO_START)
    while process.is_alive() and not _answers(address) and patience.lasts(0.2):
        pass
    try:
        yield Served(address, process)
    finally:
        process.kill()
        process.join()


def _answers(address: str) -> bool:
    try:
        httpx.get(f"{address}/healthz", trust_env=False)
    except httpx.HTTPError:
        return False
    return True


def _serve(data: str, port: int, log: str) -> None:
    from api import serve

    os.environ |= {
        "EAS_DATA_DIR": data, "EAS_API_PORT": str(port), "EAS_API_HOST": "127.0.0.1", "EAS_API_PROCESSES": "1",
    }  # fmt: skip
    runs.write_to(Path(log))
    serve.serve()
