"""`eas connect` at a real terminal: the prompt for the token, and what the terminal shows of it."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import termios
import time

from api.control.connections.usable import usable_connections
from orchestration.deployment import Deployment
from tests.end_to_end.eas import PROGRAM
from tests.orchestration.connections.places import KEY, LinearPlace

SECONDS = 60.0
# Their place in what termios gives.
LOCAL_FLAGS = 3
# Makes standard input the terminal of the session, so that Ctrl-C reaches the program. A shell that runs the tests in
# the background passes on that it ignores Ctrl-C.
AT_TERMINAL = (
    "import fcntl, os, signal, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    " signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
)


class Terminal:
    """A command whose input and output are a terminal, and everything that the terminal has shown."""

    def __init__(self, *arguments: str) -> None:
        # This process holds the program's end too: what it shows last could be lost when the last holder closes it.
        self._own, self._other = pty.openpty()
        self._process = subprocess.Popen(
            [sys.executable, "-c", AT_TERMINAL, PROGRAM, *arguments],
            stdin=self._other,
            stdout=self._other,
            stderr=self._other,
            start_new_session=True,
        )
        self.shown = ""

    def wait_for(self, text: str) -> None:
        until = time.monotonic() + SECONDS
        while text not in self.shown:
            assert time.monotonic() < until, self.shown
            assert self._process.poll() is None, self.shown
            self._read(min(until, time.monotonic() + 0.1))

    def type_hidden(self, text: str) -> None:
        """Type as soon as the terminal no longer shows what is typed. What came earlier is thrown away."""
        until = time.monotonic() + SECONDS
        while termios.tcgetattr(self._own)[LOCAL_FLAGS] & termios.ECHO:
            assert time.monotonic() < until, "the terminal shows what is typed"
            time.sleep(0.01)
        os.write(self._own, text.encode())

    def interrupt(self) -> int:
        """Type Ctrl-C until the program ends: one just before it begins to read counts only with the next."""
        until = time.monotonic() + SECONDS
        while self._process.poll() is None:
            os.write(self._own, b"\x03")
            again = time.monotonic() + 2
            while self._process.poll() is None and time.monotonic() < again:
                self._read(time.monotonic() + 0.1)
            assert time.monotonic() < until, self.shown
        return self.end()

    def end(self) -> int:
        """The exit code, after everything was shown."""
        until = time.monotonic() + SECONDS
        while self._process.poll() is None:
            self._read(min(until, time.monotonic() + 0.1))
            assert time.monotonic() < until, self.shown
        while self._read(time.monotonic() + 0.5):
            pass
        os.close(self._own)
        os.close(self._other)
        return self._process.returncode

    def _read(self, until: float) -> bool:
        ready, _, _ = select.select([self._own], [], [], max(0.0, until - time.monotonic()))
        found = os.read(self._own, 4096) if ready else b""
        self.shown += found.decode()
        return bool(found)


def test_the_prompt_hides_the_token_and_stores_it(deployment: Deployment, tracker: LinearPlace) -> None:
    terminal = Terminal("connect", "linear", tracker.address, "--name", "Plans")
    terminal.wait_for(f"Token for Linear at {tracker.address}:")
    terminal.type_hidden(f"{KEY}\n")
    assert terminal.end() == 0, terminal.shown
    assert "Connected Plans as ann@acme.example" in terminal.shown
    assert KEY not in terminal.shown
    with deployment.control() as control:
        assert [one.secret for one in usable_connections(control)] == [KEY]


def test_an_interrupt_at_the_prompt_stores_nothing(deployment: Deployment, tracker: LinearPlace) -> None:
    terminal = Terminal("connect", "linear", tracker.address)
    terminal.wait_for("Token for Linear")
    terminal.type_hidden("lin_api_half")
    assert terminal.interrupt() in (1, 130)
    assert "Aborted" in terminal.shown or "Interrupted" in terminal.shown
    assert "Traceback" not in terminal.shown
    assert "lin_api_half" not in terminal.shown
    with deployment.control() as control:
        assert usable_connections(control) == []
