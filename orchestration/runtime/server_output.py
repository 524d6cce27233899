"""The output of the servers, for operators: a line per event, without stacks and notices for developers.

Add: a line that says nothing to an operator, or a shorter form of one. Unknown lines pass unchanged. Keep out: starting
and stopping servers (commands/serving.py), levels of logs (dagster.yaml). The stack of a failed run is on its page in
the UI.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_COLORS = re.compile(r"\x1b\[[0-9;]*m")
# Uvicorn's steps of starting and stopping, once per process; `eas serve` itself says when a server is ready.
_TIME = r"(\d{4}-\d{2}-\d{2}T[\d:]{8}Z )?"
_UVICORN_STEPS = re.compile(
    rf"{_TIME}INFO:\s+(Uvicorn running on |Started (server|parent) process"
    r"|Waiting for (application|connections|background)|Application (startup|shutdown) complete"
    r"|Shutting down|Finished server process|Stopping parent process)"
)
_RECORD = re.compile(
    r"(?P<at>[\d-]{10} [\d:]{8}) [+-]\d{4} - dagster[\w.]* - (?P<level>[A-Z]+) - (?P<text>.*)"
)
_OF_RUN = re.compile(
    r"(?P<job>\w+) - (?P<run>[0-9a-f]{8}-[0-9a-f-]{27}) - (\d+ - )?((?![A-Z_]{4,} - )[\w\[\]]+ - )?"
    r"((?P<event>[A-Z_]{4,}) - )?(?P<text>.*)"
)
_NOTICES = re.compile(
    # The copy of dagster.yaml in the data directory is in use, as intended.
    r"Found a dagster instance configuration value \(dagster\.yaml\)"
    # The first start of a deployment, which has no events.
    r"|No cursor for event type"
    # A build leaves out models of connections without rows, or has nothing left to build.
    r"|(op '\w+' )?did not (yield or return|fire) (expected )?outputs"
    r"|Skipping step \w+ due to skipped dependencies"
)
_FAILURES = ("STEP_FAILURE", "RUN_FAILURE")
# What Dagster puts before the error of a step that raised something else than its Failure.
_WRAPPED = re.compile(r"Error occurred while executing op ")
_OF_STACK = re.compile(r"$|\s|Stack Trace:|The above exception ")
MAX_REMEMBERED = 1_000


class Lines:
    """Turns the lines of a server, one after the other, into those that are shown."""

    def __init__(self) -> None:
        self._failed: dict[str, None] = {}
        self._failure: re.Match[str] | None = None
        self._at = ""
        self._has_reason = False

    def shown(self, line: str) -> Iterator[str]:
        """The lines to show for the next line of the output."""
        text = _COLORS.sub("", line).rstrip()
        record = _RECORD.match(text)
        if record is None and not _is_of_uvicorn(text):
            yield from self._continued(text)
            return
        yield from self._without_reason()
        if record is None:
            if not _UVICORN_STEPS.match(text):
                yield text
            return
        run = _OF_RUN.fullmatch(record["text"])
        if run is not None and run["event"] in _FAILURES:
            self._failure, self._at, self._has_reason = run, record["at"], run["run"] in self._failed
        elif not _NOTICES.match(run["text"] if run is not None else record["text"]):
            yield text if run is None else f"{record['at']} {run['job']}: {run['text']}"

    def end(self) -> Iterator[str]:
        """The lines to show at the end of the output."""
        yield from self._without_reason()

    def _continued(self, text: str) -> Iterator[str]:
        """A line that begins no record: the reason or the stack of a failed run, or anything else."""
        if self._failure is None:
            yield text
        elif not self._has_reason and not _OF_STACK.match(text):
            reason = text.partition(": ")[2] or text
            if not _WRAPPED.match(reason):
                yield self._told(reason if _is_failure(text) else text)

    def _without_reason(self) -> Iterator[str]:
        """At the next record: tell a failure whose reason did not follow."""
        if self._failure is not None and not self._has_reason:
            yield self._told(self._failure["text"])
        self._failure = None

    def _told(self, reason: str) -> str:
        assert self._failure is not None
        self._has_reason = True
        self._failed[self._failure["run"]] = None
        while len(self._failed) > MAX_REMEMBERED:
            del self._failed[next(iter(self._failed))]
        run = f"run {self._failure['run'][:8]} in the Dagster UI has its log"
        return f"{self._at} {self._failure['job']} failed: {reason.rstrip('.')} ({run})"


def _is_of_uvicorn(text: str) -> bool:
    return re.match(rf"{_TIME}(INFO|WARNING|ERROR|CRITICAL):\s", text) is not None


def _is_failure(text: str) -> bool:
    """Whether a reason is of Dagster's Failure, with which the project tells errors in sentences."""
    return text.startswith("dagster._core.definitions.events.Failure: ")
