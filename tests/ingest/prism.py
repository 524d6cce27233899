"""A server that an official OpenAPI description drives: Prism checks each request and answers with the examples.

`OFFICIAL_SCHEMAS` names a folder with `node_modules` of Prism (docs/CONTRIBUTING.md).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

FOLDER = "OFFICIAL_SCHEMAS"
START_SECONDS = 300
"""GitHub's description has 13 megabytes."""


def description_of(pattern: str) -> Path:
    """The newest description of a name in the folder. Skips the test where it is absent."""
    found = sorted(Path(os.environ.get(FOLDER, "/nowhere")).glob(pattern))
    if not found:
        pytest.skip(f"{FOLDER} names no folder with {pattern} (docs/CONTRIBUTING.md)")
    return found[-1]


@contextlib.contextmanager
def described_by(description: Path) -> Iterator[str]:
    """The address of a server that a description drives. Skips the test without Prism."""
    local = Path(os.environ.get(FOLDER, "/nowhere")) / "node_modules/.bin/prism"
    prism = str(local) if local.exists() else shutil.which("prism")
    if prism is None:
        pytest.skip("Prism is missing (docs/CONTRIBUTING.md)")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [prism, "mock", "--errors", "--port", str(port), str(description)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait(port, process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    ends = time.monotonic() + START_SECONDS
    while time.monotonic() < ends and process.poll() is None:
        try:
            with socket.create_connection(("127.0.0.1", port), 1):
                return
        except OSError:
            time.sleep(0.5)
    raise AssertionError("the server does not start")
