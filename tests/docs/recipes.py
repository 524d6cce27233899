"""Performs a recipe of docs/recipes.md in a copy of the project: changes its files and runs its commands, as written.

A step names its file first. The lines of a change stand in a `diff` block, whose parts are separated by `@@` and are
found by their text; commands stand in an indented block and begin with `.venv/bin/`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

from tests.docs.links import CHECKOUT

COPIED = ("api", "dbt_project", "docs", "ingest", "orchestration", "tests", "pyproject.toml", "dagster.yaml")
MADE = shutil.ignore_patterns("__pycache__", "target", "logs", "*.duckdb", "node_modules")


def steps(title: str) -> list[str]:
    """The numbered steps of a recipe, by the beginning of its title."""
    page = (CHECKOUT / "docs" / "recipes.md").read_text(encoding="utf-8")
    recipe = next(part for part in page.split("\n## ") if part.startswith(title))
    return re.split(r"(?m)^\d+\. ", recipe)[1:]


def copied(folder: Path) -> Path:
    """A copy of the project with the environment of this one."""
    for name in COPIED:
        source = CHECKOUT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=MADE)
        else:
            shutil.copy(source, folder / name)
    (folder / ".venv").symlink_to(sys.prefix)
    return folder


def perform(step: str, copy: Path) -> str:
    """Change the file that the step names and run its commands. Returns what they print."""
    for change in re.findall(r"(?ms)^   ```diff\n(.*?)^   ```", step):
        apply(textwrap.dedent(change), copy / step.split("`")[1])
    return "".join(run(command, copy) for command in re.findall(r"(?m)^ {7}(\.venv/bin/.*)", step))


def apply(change: str, file: Path) -> None:
    """Replace the lines of each part, which stand in the file exactly once."""
    text = file.read_text(encoding="utf-8")
    for part in re.split(r"(?m)^@@\n", change):
        lines = [(line[:1], line[1:]) for line in part.splitlines()]
        before, after = (
            "\n".join(line for sign, line in lines if sign in (" ", kept)) for kept in ("-", "+")
        )
        assert text.count(before) == 1, f"{file}: {text.count(before)} times\n{before}"
        text = text.replace(before, after)
    file.write_text(text, encoding="utf-8")


def run(command: str, copy: Path) -> str:
    """Run a command in the copy. Raises AssertionError with its output if it fails."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("EAS_", "PYTEST_"))
    }
    done = subprocess.run(
        command,
        shell=True,
        cwd=copy,
        env=environment | {"PYTHONPATH": str(copy)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}"
    return done.stdout
