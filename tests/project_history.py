"""The history of this project, which every complete clone contains. In a shallow clone or an unpacked archive, tests
that need it are skipped with a message.
"""

import subprocess
from pathlib import Path

import pytest

from ingest.settings import CHECKOUT

MISSING = "needs the history of this project: the checkout is a shallow clone or no Git repository"


def is_complete() -> bool:
    """Whether the checkout is a Git repository with its whole history."""
    done = _git("rev-parse", "--is-shallow-repository", check=False)
    return (
        done.returncode == 0 and done.stdout.strip() == "false" and _git("rev-parse", "HEAD").returncode == 0
    )


def need_history() -> None:
    """Skip the test where the history is not complete."""
    if not is_complete():
        pytest.skip(MISSING)


def copy_mainline(target: Path, commits: int) -> Path:
    """A bare repository with the first commits of the mainline and what they merged. Skips without a history."""
    need_history()
    mainline = _git("rev-list", "--first-parent", "--reverse", "HEAD").stdout.split()
    last = mainline[:commits][-1]
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(target)], check=True)
    _git("push", "-q", str(target), f"{last}:refs/heads/main")
    return target


def clone_last(target: Path, commits: int) -> Path:
    """A bare clone of the newest commits: the history grows, and a test should not. Skips without a history."""
    need_history()
    command = ["git", "clone", "-q", "--bare", f"--depth={commits}", f"file://{CHECKOUT}", str(target)]
    subprocess.run(command, check=True)
    return target


def _git(*arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    command = ["git", "-C", str(CHECKOUT), *arguments]
    return subprocess.run(command, check=check, capture_output=True, text=True)
