"""Installs npm packages that tests need, by the lock file of their folder."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest

MIN_NODE = 18


def installed(folder: Path) -> str:
    """Node, with the packages of a folder installed. Skips the test where they cannot be had."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip(f"node and npm are not installed, with which {folder.name} runs")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    if int(version.strip().lstrip("v").partition(".")[0]) < MIN_NODE:
        pytest.skip(f"{folder.name} needs Node {MIN_NODE}, and here is {version.strip()}")
    with (folder / "package-lock.json").open() as lock:
        # Several processes of the tests may come here at once.
        fcntl.flock(lock, fcntl.LOCK_EX)
        mark = folder / "node_modules" / ".package-lock.json"
        if not mark.exists() or mark.stat().st_mtime < (folder / "package-lock.json").stat().st_mtime:
            done = subprocess.run(
                [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=600,
                env={**os.environ, "CI": "true"},
            )
            if done.returncode:
                pytest.skip(f"npm could not install the packages of {folder.name}: {done.stderr[-300:]}")
            os.utime(mark)
    return node
