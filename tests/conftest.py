"""Surroundings of every test: an own Git identity and home, no telemetry, no settings of the machine.

They are set on import because libraries (libgit2, Dagster, dbt) read them when they are first imported.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.git_repository import GitRepository
from tests.suite.tiers import DEFAULT_EXAMPLES, IS_WHOLE, WHOLE_EXAMPLES

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

# Files are handed to the workers in this order: those with few long tests first, or one of them would run alone
# at the end.
LONG = ("end_to_end", "dbt", "validity", "api", "orchestration")
# What `--fast` (`make check`) leaves out: it builds a warehouse with dbt, analyses whole histories, runs Dagster,
# starts servers or processes, or tries hundreds of generated inputs. The rest has to fit two minutes.
SLOW_FOLDERS = frozenset(
    {
        "benchmarks", "dbt", "end_to_end", "validity", "api/auth", "api/v1", "ingest/git/bad_inputs",
        "ingest/git/incremental", "ingest/git/native", "ingest/git/repository_source", "orchestration/build",
        "orchestration/connections", "orchestration/graph", "orchestration/runtime",
    }
)  # fmt: skip
# Names of modules, in any folder.
SLOW_MODULES = frozenset(
    f"test_{name}.py"
    for name in (
        # api
        "bodies", "killed", "readiness", "republishing", "schemathesis", "sequences", "serve", "identities",
        "surviving_changes", "migrations", "team_lead_leaks", "splits", "visible_ids",
        # ingest
        "comments", "content_identity", "extract", "interrupted", "ownership", "repository", "clone", "workers",
        "nginx", "proxies",
        # orchestration, and the limit of time itself
        "account_commands", "added_over_the_api", "cli", "definitions", "doctor", "refused_start", "removal",
        "root_login_commands", "serving", "time_limit",
    )
)  # fmt: skip


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--fast", action="store_true", help="only tests that need no build (tests/conftest.py: SLOW_…)"
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what is slow before it is imported. None lets other rules decide."""
    folder = collection_path.relative_to(Path(__file__).parent).as_posix()
    is_slow = folder in SLOW_FOLDERS or collection_path.name in SLOW_MODULES
    return True if config.getoption("fast") and is_slow else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not IS_WHOLE:
        left_out = [item for item in items if item.get_closest_marker("release")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]
    items.sort(key=lambda item: _place(item.path.relative_to(Path(__file__).parent).parts[0]))


def _place(folder: str) -> int:
    return LONG.index(folder) if folder in LONG else len(LONG)


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
