"""Measures the present speed of this machine by the time that Git takes for known work.

A bar in seconds refers to a quiet machine of the kind on which it was set.
"""

import subprocess
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from tests.benchmarks.measuring import Measured, measure, median
from tests.benchmarks.reading.borrowed import find
from tests.benchmarks.reading.reference_git import ReferenceGit, environment

QUIET_SECONDS = 4.7
"""`git log --no-merges --numstat -M` over a clone of pytest-dev/pytest on the quiet machine."""
RUNS = 3
PYTEST_ROOT = "5992a8ef21424d7571305a8d7e2a3431ee7e1e23"
"""Its first commit, by which a clone is known."""
NAMES = ("pytest", "pytest.git", "pytest-dev__pytest", "pytest-dev+pytest")


def find_clone(given: Path | None, repositories: Iterable[Path]) -> ReferenceGit | None:
    """Find the given clone of pytest, else one among the measured repositories or beside them.

    Raises ValueError if the given path is no clone of pytest.
    """
    if given is not None:
        git = find(given).git
        if not _is_pytest(git):
            raise ValueError(f"{given} is no clone of pytest-dev/pytest: seconds cannot be normalized by it.")
        return git
    for path in repositories:
        # A link may stand in the folder of clones.
        folders = dict.fromkeys((path.absolute().parent, path.resolve().parent))
        for candidate in (path, *(folder / name for folder in folders for name in NAMES)):
            with suppress(ValueError):  # a folder of that name may be anything
                if candidate.is_dir() and _is_pytest(git := find(candidate).git):
                    return git
    return None


def quiet_factor(clone: ReferenceGit) -> tuple[float, list[Measured]]:
    """The factor that converts a time to a quiet machine, and the runs that it is based on."""
    command = clone.command("log", "--no-merges", "--numstat", "-M", "HEAD")
    runs = [measure(command, keep_output=False, environment=environment()) for _ in range(RUNS + 1)]
    # The first one fills the page cache.
    return QUIET_SECONDS / median(runs[1:], lambda run: run.wall), runs[1:]


def _is_pytest(git: ReferenceGit) -> bool:
    asked = git.command("cat-file", "-e", f"{PYTEST_ROOT}^{{commit}}")
    return subprocess.run(asked, capture_output=True, env=environment()).returncode == 0
