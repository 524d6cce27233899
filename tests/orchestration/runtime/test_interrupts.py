"""SIGTERM while Dagster, which gives it the handler of SIGINT, executes a run."""

import subprocess
import sys

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
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, start, number],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.stdout.splitlines() == said, ended.stderr
