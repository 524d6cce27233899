"""A test that hangs ends, and says where each of its threads was."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WAITS = """
import signal, threading, time

def wait_for_ever():
    time.sleep(60)

def test_that_hangs():
    {first}
    thread = threading.Thread(target=wait_for_ever, daemon=True)
    thread.start()
    thread.join()
"""
FIRST = {
    "a signal interrupts it": "pass",
    "no signal interrupts it": "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])",
}
SHORTER = [
    "--override-ini=timeout=1",
    "--override-ini=faulthandler_timeout=2",
    "--numprocesses=1",
    "-p", "xdist", "-p", "pytest_timeout", "-p", "no:cacheprovider",
]  # fmt: skip


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, subprocess.Popen[str]]]:
    """A run of the tests for each kind of hanging. They wait at the same time."""
    started = {}
    for kind, first in FIRST.items():
        folder = tmp_path_factory.mktemp("hanging")
        (folder / "test_hanging.py").write_text(WAITS.format(first=first))
        command = [sys.executable, "-m", "pytest", "-c", "pyproject.toml", "--rootdir", str(folder)]
        started[kind] = subprocess.Popen(
            [*command, *SHORTER, str(folder)],
            # Importing the plugins that have no part in it takes longer than the rest.
            env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT,
        )  # fmt: skip
    yield started
    for run in started.values():
        run.kill()
        run.communicate()


@pytest.mark.parametrize("kind", FIRST)
def test_a_test_that_hangs_ends_and_shows_the_stacks_of_all_threads(
    runs: dict[str, subprocess.Popen[str]], kind: str
) -> None:
    output, _ = runs[kind].communicate(timeout=300)
    assert runs[kind].returncode == 1
    assert "in wait_for_ever" in output
    assert re.search(r"thread\.join\(\)|in test_that_hangs", output)  # the code of the line, or its function
    assert "1 failed" in output


def test_every_test_has_a_limit(pytestconfig: pytest.Config) -> None:
    assert 0 < float(pytestconfig.getini("timeout")) < float(pytestconfig.getini("faulthandler_timeout"))
