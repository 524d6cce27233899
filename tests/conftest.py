"""Surroundings of every test: an own Git identity and home, no telemetry, no settings of the machine.

They are set on import because libraries (libgit2, Dagster, dbt) read them when they are first imported.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.git_repository import GitRepository

HOME = Path(tempfile.mkdtemp(prefix="eas-tests-"))
# A checkout may belong to another user than the one who runs the tests (containers).
CONFIG = """
[user]
    name = Test
    email = test@example.org
[init]
    defaultBranch = main
[safe]
    directory = *
"""
(HOME / ".gitconfig").write_text(CONFIG)

for name in [n for n in os.environ if n.startswith(("GIT_", "EAS_", "DAGSTER_", "DBT_"))]:
    del os.environ[name]
for name in ("RAW_DIR", "CONTROL_DATABASE_URL"):
    os.environ.pop(name, None)
os.environ |= {
    "HOME": str(HOME),
    "XDG_CONFIG_HOME": str(HOME / ".config"),
    "GIT_CONFIG_GLOBAL": str(HOME / ".gitconfig"),
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "DO_NOT_TRACK": "1",
    "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
    "DAGSTER_DISABLE_TELEMETRY": "yes",
    # Wide enough that no table of the command line is cut, wherever the tests run.
    "COLUMNS": "200",
    "TERM": "dumb",
}


def pytest_unconfigure() -> None:
    shutil.rmtree(HOME, ignore_errors=True)


@pytest.fixture
def new_repository(tmp_path: Path) -> Callable[..., GitRepository]:
    """Makes repositories below the test's folder: `new_repository("name", bare=True)`."""

    def make(name: str = "repository", **options: object) -> GitRepository:
        return GitRepository(tmp_path / name, **options)  # type: ignore[arg-type]

    return make


@pytest.fixture
def repository(new_repository: Callable[..., GitRepository]) -> GitRepository:
    """An empty repository with the default branch `main`."""
    return new_repository()
