"""Runs tests on a copy of the project that has one fault.

The copy is a temporary worktree of Git, so neither the checkout nor its compiled modules change. Keep out: the list of
faults (`mutation`), the page with the results (`results`).
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.mutations.mutation import Mutation, path_of

NATIVE = "ingest/git/native"
TEST_SECONDS = 600
"""A fault may make a test wait for ever: it then counts as failed."""
NOT_FOUND, FOUND, COLLECTION_FAILED = 0, 1, 2
_FAILED = re.compile(r"^(?:FAILED|ERROR) (tests/.*?)(?: - .*)?$", re.MULTILINE)


class CannotRun(Exception):
    """The tests did not run, so that they say nothing about the fault."""


@dataclass(frozen=True, slots=True)
class Result:
    """`found_by` is the id of the first test that failed; None where all passed."""

    name: str
    found_by: str | None
    seconds: float


class Copy:
    """A worktree of a suite's commit, with its compiled modules."""

    def __init__(self, suite: Path, folder: Path) -> None:
        self._suite, self._folder = suite, folder
        self._process: subprocess.Popen[str] | None = None
        self._is_ended = False

    def prepare(self) -> None:
        """Take over the compiled modules, and compile what is missing."""
        for built in _built(self._suite / NATIVE):
            shutil.copy2(built, self._folder / NATIVE / built.name)
        self._run([sys.executable, "-m", "ingest.git.native.build"])
        # By times alone, Python could take a module for the one before: a fault lasts seconds and may have its size.
        by_content = ["compileall", "-q", "--invalidation-mode", "checked-hash"]
        self._run([sys.executable, "-m", *by_content, "ingest", "api", "orchestration", "dbt_project"])

    def try_on(self, mutation: Mutation) -> Result:
        """Run the targets of a mutation one after the other, up to the first test that fails. Raises CannotRun."""
        started = time.monotonic()
        file = self._folder / mutation.file
        original = file.read_text()
        compiled = _built(self._folder / NATIVE) if mutation.is_compiled else []
        kept = {path: path.read_bytes() for path in compiled}
        file.write_text(mutation.mutated(self._folder))
        try:
            if mutation.is_compiled:
                self._run([sys.executable, "-m", "ingest.git.native.build"])
            found = self._first_failure(mutation.targets)
        finally:
            file.write_text(original)
            for path, content in kept.items():
                path.write_bytes(content)
        return Result(mutation.name, found, time.monotonic() - started)

    def _first_failure(self, targets: Sequence[str]) -> str | None:
        there = [target for target in targets if (self._folder / path_of(target)).exists()]
        if not there:
            raise CannotRun(f"{self._suite} has none of {', '.join(targets)}")
        for target in there:
            code, said = self._run(
                [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", f"--timeout={TEST_SECONDS}", target]
            )
            if code in (FOUND, COLLECTION_FAILED) and (failed := _FAILED.search(said)):
                return failed[1]
            if code != NOT_FOUND:
                raise CannotRun(f"{target}: pytest ends with {code}\n{said[-2000:]}")
        return None

    def _run(self, command: Sequence[str]) -> tuple[int, str]:
        """Run a command in the copy, whose modules go before those of the environment."""
        if self._is_ended:
            raise CannotRun("the run was interrupted")
        self._process = subprocess.Popen(
            command,
            cwd=self._folder,
            env=os.environ | {"PYTHONPATH": str(self._folder)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        said, _ = self._process.communicate()
        return self._process.returncode, said

    def end(self) -> None:
        """Kill the tests that run, with everything that they started, and start no more."""
        self._is_ended = True
        if self._process is not None and self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


@contextmanager
def copy_of(suite: Path) -> Iterator[Copy]:
    """A copy of the commit that is checked out in `suite`. It is gone at the end, also after an interrupt."""
    with tempfile.TemporaryDirectory(prefix="eas-mutation-") as folder:
        place = Path(folder) / "project"
        _git(suite, "worktree", "add", "--quiet", "--detach", str(place), "HEAD")
        copy = Copy(suite, place)
        try:
            copy.prepare()
            yield copy
        finally:
            copy.end()
            _git(suite, "worktree", "remove", "--force", str(place))


def commit_of(suite: Path) -> str:
    """The short id of the commit that is checked out."""
    return _git(suite, "rev-parse", "--short=8", "HEAD").strip()


def _git(suite: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(suite), *arguments], check=True, capture_output=True, text=True)
    return done.stdout


def _built(folder: Path) -> list[Path]:
    return [*folder.glob("*.so"), *folder.glob("_build.json")]
