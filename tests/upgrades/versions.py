"""Versions of the service: earlier ones from Git's history, run with the packages of today, and the present one."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from ingest.settings import CHECKOUT
from orchestration.deployment import LOCAL_ORGANIZATION

COMMITS = {
    "0.1.0": "24e952164e3093e1e5464f93c24c57c04b57e0e9",
    "0.2.0": "2686b2f64c00cb79e747d071aca48687063ba9f2",
    "0.3.0": "dd8b1856357e91728b2f2974d9054fde72538eba",
    "0.4.0": "530d35d75f5a6c366955a243de7eef1c6a5e3eb3",
}
"""The last commit of each earlier version."""
COMMAND = "from orchestration.cli import main; main()"
PACKAGE = "engineering_analytics_service"


@dataclass(frozen=True)
class Version:
    """The code of a version over a data directory."""

    code: Path
    data: Path

    def run(self, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Run `eas` with an input."""
        return subprocess.run(
            [sys.executable, "-c", COMMAND, *arguments],
            cwd=self.code, env=self._environment(), input=given, capture_output=True, text=True,
        )  # fmt: skip

    def succeed(self, *arguments: str, given: str = "") -> str:
        """The output of a command that must succeed."""
        done = self.run(*arguments, given=given)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    @contextmanager
    def served(self, key: str) -> Iterator[Organization]:
        """The API over the directory, as the owner of a key reads it."""
        with socket.create_server(("127.0.0.1", 0)) as probe:
            port = probe.getsockname()[1]
        settings = {"EAS_API_PORT": f"{port}", "EAS_API_PROCESSES": "1"}
        process = subprocess.Popen(
            [sys.executable, "-m", "api"], cwd=self.code, env=self._environment() | settings
        )
        try:
            address = f"http://127.0.0.1:{port}"
            _wait(process, address)
            with httpx.Client(
                base_url=f"{address}/api/v1/organizations/{LOCAL_ORGANIZATION}",
                headers={"Authorization": f"Bearer {key}"},
                timeout=60,
            ) as client:
                yield Organization(client)
        finally:
            process.terminate()
            process.wait()

    def _environment(self) -> dict[str, str]:
        own = {"PYTHONPATH": str(self.code), "EAS_DATA_DIR": str(self.data), "EAS_WORKERS": "1"}
        return {name: value for name, value in os.environ.items() if name != "CONTROL_DATABASE_URL"} | own


@dataclass(frozen=True)
class Organization:
    """The organization of the command line over HTTP."""

    client: httpx.Client

    def get(self, path: str) -> dict[str, Any]:
        """What a path has."""
        return self._answer(self.client.get(path))

    def post(self, path: str, **body: Any) -> dict[str, Any]:
        """The answer to a decision, which must be taken."""
        return self._answer(self.client.post(path, json=body))

    def _answer(self, answer: httpx.Response) -> dict[str, Any]:
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found


def earlier(version: str, folder: Path, data: Path) -> Version:
    """An earlier version, whose code is written to the folder. Skips the test without Git's history."""
    archive = subprocess.run(
        ["git", "archive", COMMITS[version]], cwd=CHECKOUT, capture_output=True, check=False
    )
    if archive.returncode:
        pytest.skip("earlier versions are not in Git's history here")
    folder.mkdir()
    subprocess.run(["tar", "--extract"], cwd=folder, input=archive.stdout, check=True)
    # The service tells its version by the package, and the installed one is of today.
    described = folder / f"{PACKAGE}-{version}.dist-info" / "METADATA"
    described.parent.mkdir()
    described.write_text(f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: {version}\n")
    return Version(folder, data)


def present(data: Path) -> Version:
    """The present version."""
    return Version(CHECKOUT, data)


def _wait(process: subprocess.Popen[bytes], address: str) -> None:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        assert process.poll() is None, "the API ended"
        try:
            if httpx.get(f"{address}/healthz").is_success:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    raise AssertionError("the API does not answer")
