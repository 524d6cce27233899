"""Surroundings of every test: an own Git identity and home, no telemetry, no settings of the machine.

They are set on import because libraries (libgit2, Dagster, dbt) read them when they are first imported.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dbt_common.tests import enable_test_caching
from hypothesis import settings

from tests.git_repository import GitRepository
from tests.suite.templates import keep_compiled_templates
from tests.suite.tiers import DEFAULT_EXAMPLES, IS_WHOLE, WHOLE_EXAMPLES

pytest_plugins = ["tests.suite.garbage", "tests.suite.order", "tests.suite.reporting"]

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
# Tests start some hundred programs. Where a container forbids bytecode, each compiles five hundred modules anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
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
# dbt parses its own six hundred macros, which takes three seconds, once in each process instead of for each project.
enable_test_caching()
keep_compiled_templates()
# An example that takes longer on a busy machine is no failure; the time limit of the test holds all the same.
settings.register_profile("test", deadline=None, max_examples=DEFAULT_EXAMPLES)
settings.register_profile("test-all", deadline=None, max_examples=WHOLE_EXAMPLES)
settings.load_profile("test-all" if IS_WHOLE else "test")
# Nothing of a test has to survive a power cut: its files are in memory where there is room for those of a whole run,
# about two gigabytes, beside the programs.
IN_MEMORY = Path("/dev/shm")
BYTES_NEEDED = 6 << 30
if "PYTEST_DEBUG_TEMPROOT" not in os.environ and os.access(IN_MEMORY, os.W_OK):
    available = re.search(r"MemAvailable: +(\d+) kB", Path("/proc/meminfo").read_text())
    room = min(shutil.disk_usage(IN_MEMORY).free, int(available[1]) * 1024 if available else 0)
    if room > BYTES_NEEDED:
        os.environ["PYTEST_DEBUG_TEMPROOT"] = str(IN_MEMORY)


def pytest_unconfigure() -> None:
    shutil.rmtree(HOME, ignore_errors=True)


@pytest.fixture
def new_repository(tmp_path: Path) -> Callable[..., GitRepository]:
    """Makes repositories below the test's folder: `new_repository("name", bare=True)`."""

    def make(name: str = "repository", **options: Any) -> GitRepository:
        return GitRepository(tmp_path / name, **options)

    return make


@pytest.fixture
def repository(new_repository: Callable[..., GitRepository]) -> GitRepository:
    """An empty repository with the default branch `main`."""
    return new_repository()
