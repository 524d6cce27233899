"""SIGTERM while Dagster, which gives it the handler of SIGINT, executes a run, and while connections are read."""

import subprocess
import sys
from pathlib import Path

import pytest

from ingest.settings import CHECKOUT

PROGRAM = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN if sys.argv[1] == "background" else signal.default_int_handler)
from orchestration.runtime import interrupts
interrupts.watch()
try:
    with interrupts.passed_on():
        signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGINT))
        os.kill(os.getpid(), getattr(signal, sys.argv[2]))
        print("the run ends")
    print("went on")
except KeyboardInterrupt:
    print("interrupted", interrupts.exit_code())
"""

WAITING = """
import os, signal, sys, threading
from pathlib import Path
from ingest.settings import Settings
from orchestration.deployment import Deployment
from orchestration.reading.readings import Readings
from orchestration.reading.side_by_side import SideBySide
from orchestration.runtime import interrupts

interrupts.watch()
signal.signal(signal.SIGTERM, lambda *_: None)  # as if something had caught what the handler raised
released = threading.Event()
SideBySide._read = lambda self, one: released.wait(30)
reading = SideBySide(Deployment(Settings(data_dir=Path(sys.argv[1]))), ["a connection"], Readings(), None)
reading._readers.end = released.set
try:
    with reading.running() as connected:
        os.kill(os.getpid(), signal.SIGTERM)
        print("read", *connected.ended())
except KeyboardInterrupt:
    print("interrupted", interrupts.exit_code())
"""


def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The program, ended."""
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], cwd=CHECKOUT, capture_output=True, text=True, timeout=60
    )


def test_waiting_for_connections_ends_although_something_caught_the_interrupt(tmp_path: Path) -> None:
    ended = run(WAITING, str(tmp_path))
    assert ended.stdout.splitlines() == ["interrupted 143"], ended.stderr


@pytest.mark.parametrize(
    ("start", "number", "said"),
    [
        ("background", "SIGTERM", ["the run ends", "interrupted 143"]),
        # A script that was started in the terminal passes Ctrl-C on to its commands in the background too.
        ("background", "SIGINT", ["the run ends", "went on"]),
        ("foreground", "SIGTERM", ["interrupted 143"]),
        ("foreground", "SIGINT", ["interrupted 130"]),
    ],
)
def test_a_signal_during_a_run_ends_a_command_that_does_not_ignore_it(
    start: str, number: str, said: list[str]
) -> None:
    ended = run(PROGRAM, start, number)
    assert ended.stdout.splitlines() == said, ended.stderr
