"""A test that hangs ends, and says where each of its threads was."""

import re
import subprocess
import sys
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


@pytest.mark.parametrize(
    "first",
    ["pass", "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])"],
    ids=["a signal interrupts it", "no signal interrupts it"],
)
def test_a_test_that_hangs_ends_and_shows_the_stacks_of_all_threads(tmp_path: Path, first: str) -> None:
    (tmp_path / "test_hanging.py").write_text(WAITS.format(first=first))
    command = [sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(tmp_path)]
    shorter = [
        "-o",
        "timeout=2",
        "-o",
        "faulthandler_timeout=6",
        "--numprocesses",
        "1",
        "-p",
        "no:cacheprovider",
    ]
    ended = subprocess.run(
        [*command, *shorter, str(tmp_path)], timeout=300, capture_output=True, text=True, cwd=ROOT
    )
    assert ended.returncode == 1
    output = ended.stdout + ended.stderr
    assert "in wait_for_ever" in output
    assert re.search(r"thread\.join\(\)|in test_that_hangs", output)  # the code of the line, or its function
    assert "1 failed" in output


def test_every_test_has_a_limit(pytestconfig: pytest.Config) -> None:
    assert 0 < float(pytestconfig.getini("timeout")) < float(pytestconfig.getini("faulthandler_timeout"))
