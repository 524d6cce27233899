"""Installs the packages that carry the descriptions."""

from __future__ import annotations

import fcntl
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.node_packages import installed

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
WHEELS = HERE / "wheels"
REQUIREMENTS = HERE / "requirements.txt"


def npm_file(pattern: str) -> Path:
    """The last file of a name below `node_modules`. Skips the test where the packages cannot be had."""
    installed(HERE)
    _drop_resolved_copies()
    return max(MODULES.glob(pattern))


def asana_description() -> dict[str, Any]:
    """Asana's OpenAPI description. Skips the test where its package cannot be had."""
    with REQUIREMENTS.open() as lock:
        # Several processes of the tests may come here at once.
        fcntl.flock(lock, fcntl.LOCK_EX)
        version = REQUIREMENTS.read_text().partition("==")[2].split()[0]
        wheel = WHEELS / f"arcade_asana_api-{version}-py3-none-any.whl"
        if not wheel.exists():
            options = ["--quiet", "--no-deps", "--require-hashes", "--only-binary", ":all:"]
            command = [
                sys.executable,
                "-m",
                "pip",
                "download",
                *options,
                "-r",
                str(REQUIREMENTS),
                "-d",
                str(WHEELS),
            ]
            done = subprocess.run(command, capture_output=True, text=True, timeout=600)
            if done.returncode:
                pytest.skip(f"pip could not download Asana's description: {done.stderr[-300:]}")
    with zipfile.ZipFile(wheel) as packed:
        description: dict[str, Any] = json.loads(packed.read("arcade_asana_api/moar/openapi.json"))
    return description


def _drop_resolved_copies() -> None:
    """Remove GitHub's descriptions with resolved references: 350 megabytes that nobody reads."""
    for copy in (MODULES / "@octokit/openapi/generated").glob("*.deref.json"):
        copy.unlink(missing_ok=True)
