"""Asana's connector against a server that its official OpenAPI description drives (Prism).

The server checks each request and answers with the description's examples. It holds no state, so it always names a
next page, which the test takes out. Lists have short examples: the test puts those of single entities in their place.
"""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from ingest.trackers.asana import Asana
from tests.ingest.trackers.graphql_server import FOLDER
from tests.ingest.trackers.syncing import Synced

START_SECONDS = 120


@pytest.fixture(scope="module")
def described() -> Iterator[str]:
    """The address of the server."""
    folder = Path(os.environ.get(FOLDER, "/nowhere"))
    description, local = folder / "asana.yaml", folder / "node_modules/.bin/prism"
    prism = str(local) if local.exists() else shutil.which("prism")
    if not description.is_file() or prism is None:
        pytest.skip(f"{FOLDER} names no folder with asana.yaml, or Prism is missing (docs/CONTRIBUTING.md)")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [prism, "mock", "--errors", "--port", str(port), str(description)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            _wait(port, process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    ends = time.monotonic() + START_SECONDS
    while time.monotonic() < ends and process.poll() is None:
        try:
            with socket.create_connection(("127.0.0.1", port), 1):
                return
        except OSError:
            time.sleep(0.5)
    raise AssertionError("the server does not start")


def test_every_request_fits_the_description_and_its_examples_become_items(
    described: str, tmp_path: Path
) -> None:
    asked: set[str] = set()
    with httpx.Client(base_url=described, headers={"Authorization": "Bearer token"}, timeout=60) as plain:

        def handle(request: httpx.Request) -> httpx.Response:
            path = request.url.path.removeprefix("/api/1.0")
            asked.add(path)
            answer = plain.get(f"{path}?{request.url.query.decode()}")
            body = answer.json()
            noun = "tasks" if path.endswith("/subtasks") else path.removeprefix("/")
            if answer.is_success and noun in ("goals", "portfolios", "projects", "tasks"):
                body["data"] = [plain.get(f"/{noun}/{one['gid']}").json()["data"] for one in body["data"]]
            body.pop("next_page", None)
            return httpx.Response(answer.status_code, json=body)

        run = Synced(tmp_path, Asana(), handle, "https://app.asana.com")
        with run.client() as client:
            assert run.tracker.check(client, run.connection).warnings == ()
        report = run.run()
    assert (report.failures, report.unread_reasons, report.notes) == ({}, {}, {})
    assert report.rows["items"] >= 1
    assert {path.split("/")[1] for path in asked} >= {
        "users", "workspaces", "goals", "goal_relationships", "portfolios", "projects", "tasks"
    }  # fmt: skip
