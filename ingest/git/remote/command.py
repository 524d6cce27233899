"""Calls of the `git` program to remotes, with a closed environment, time limits and clean errors.

Add: features that every call needs. Keep out: the calls themselves (`clone`).
"""

import os
import re
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO

from ingest.errors import MirrorFailed, Transient
from ingest.git.remote.credentials import Credentials, environment, scrubbed
from ingest.git.remote.errors import failure
from ingest.git.remote.url import Address

Progress = Callable[[str, int, int], None]
"""Called with a stage in Git's words, the number of objects done and their total."""

ERROR_BYTES = 64 * 1024


@dataclass
class Git:
    """Runs Git against one remote, called `name` in messages. `on_start` receives the process group.

    `pinned` lists the only IP addresses that Git may connect to; None means no restriction. With `pinned`, Git
    cannot use the operator's own logins unless `has_own_logins`.

    Every call raises MirrorFailed, ForeignOwner, Transient or RateLimited. The message quotes Git without secrets,
    explains the cause and names the remedy.
    """

    name: str
    address: Address | None = None
    credentials: Credentials | None = None
    timeout_seconds: float = 7200
    on_start: Callable[[int], None] | None = None
    pinned: tuple[str, ...] | None = None
    has_own_logins: bool = False

    def run(self, *arguments: str, on_progress: Progress | None = None) -> None:
        """Run to the end."""
        for _ in self.lines(*arguments, on_progress=on_progress):
            pass

    def lines(self, *arguments: str, on_progress: Progress | None = None) -> Iterator[str]:
        """Lines of the output as Git writes them. Failures are raised after the last line."""
        process = self._start(arguments)
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            end(process.pid)

        assert process.stdout
        assert process.stderr
        errors = _Errors(process.stderr, on_progress)
        _running.add(process.pid)
        timer = threading.Timer(self.timeout_seconds, expire)
        timer.start()
        try:
            with process.stdout as output:
                for line in output:
                    yield line.decode("utf-8", "surrogateescape").rstrip("\n")
            process.wait()
        finally:
            _running.discard(process.pid)
            timer.cancel()
            if process.poll() is None:
                end(process.pid)
                process.wait()
            # An ssh connection shared with later calls may keep the pipe open after Git has ended.
            errors.join(timeout=5)
        if expired.is_set():
            raise Transient(
                f"{self.name}: Git was stopped after {self.timeout_seconds:g} seconds."
                " Try again, or raise EAS_GIT_TIMEOUT_SECONDS for a very large repository."
            )
        if process.returncode:
            has_sent_login = self.credentials is not None and self.credentials.is_bearer
            text = scrubbed(errors.text, self.credentials)
            raise failure(self.name, text, process.returncode, has_sent_login=has_sent_login)

    def _start(self, arguments: tuple[str, ...]) -> subprocess.Popen[bytes]:
        try:
            process = subprocess.Popen(
                ["git", *arguments],
                env=environment(
                    self.address, self.credentials, self.pinned, has_own_logins=self.has_own_logins
                ),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                # A session of its own: ssh has no terminal to ask on, and Git can be killed together with its
                # helpers.
                start_new_session=True,
            )
        except FileNotFoundError:
            raise MirrorFailed("The program `git` was not found: install Git 2.32 or newer.") from None
        if self.on_start:
            self.on_start(process.pid)
        return process


_running: set[int] = set()
"""Process groups of the calls that run in this process, from any thread."""


def end_all() -> None:
    """Kill every Git that this process runs. Its callers get an error."""
    for process_group in list(_running):
        end(process_group)


def end(process_group: int) -> None:
    """Kill the remaining processes of a group."""
    try:
        os.killpg(process_group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


class _Errors(threading.Thread):
    """Reads Git's error output: progress goes to the callback, the last part of the rest to `text`."""

    STEP = re.compile(r"(?:remote: )?([A-Z][a-z]+ [a-z]+):\s+\d+% \((\d+)/(\d+)\)")

    def __init__(self, stream: IO[bytes], on_progress: Progress | None) -> None:
        super().__init__(daemon=True)
        self._stream = stream
        self._on_progress = on_progress
        self._kept: list[str] = []
        self.start()

    @property
    def text(self) -> str:
        return "\n".join(self._kept)

    def run(self) -> None:
        size, rest = 0, b""
        with self._stream as stream:
            while chunk := os.read(stream.fileno(), 4096):
                *lines, rest = re.split(rb"[\r\n]", rest[-ERROR_BYTES:] + chunk)
                for line in lines:
                    size += self._take(line)
                while size > ERROR_BYTES:
                    size -= len(self._kept.pop(0))
        self._take(rest)

    def _take(self, line: bytes) -> int:
        text = line.decode("utf-8", "replace").strip()
        step = self.STEP.match(text)
        if step and self._on_progress:
            self._on_progress(step[1], int(step[2]), int(step[3]))
        if step or not text:
            return 0
        self._kept.append(text)
        return len(text)
