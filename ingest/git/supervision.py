"""Reading of one source in a process of its own, with limits of memory and time.

What a repository or provider holds decides how much memory and time it takes, so a hostile one must not take the
machine. The process and its workers form a process group, which is killed at the end, at a limit, and when the caller
is interrupted. Only committed batches remain.

Add: limits on processes. Keep out: limits on content (`limits`), the work itself (`extract`,
`ingest.connection_reading`).
"""

from __future__ import annotations

import contextlib
import os
import pickle
import resource
import signal
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ingest.errors import IngestError, LimitExceeded, Transient
from ingest.git.changes.workers import END_WITHIN, Workers, die_with_parent
from ingest.git.extract import ExtractionReport, Progress, extract_repository
from ingest.git.fork_server import fork_server
from ingest.git.objects.repository import permit_extensions
from ingest.git.repository_source import RepositorySource
from ingest.lake import Lake

if TYPE_CHECKING:
    from ingest.settings import Settings

POLL_SECONDS = 0.5
SCARCE = 0.05
"""Share of the machine's memory. When less is available, the reader that uses most is ended."""


class Interrupted(Transient):
    """The caller ended all reading."""


Result = TypeVar("Result")
Send = Callable[[Any], None]
"""Tells the caller of a reading how far it is."""
Work = Callable[[Connection], Result]
"""A reading as an object that can be sent to a process: called with the connection to its caller."""


@dataclass(frozen=True)
class _Extraction:
    """The reading of a repository."""

    source: RepositorySource
    lake: Lake
    workers: int
    anew: bool

    def __call__(self, connection: Connection) -> ExtractionReport:
        workers = Workers.forked(self.workers, connection)
        threading.Thread(target=die_with_parent, daemon=True).start()
        permit_extensions()
        return extract_repository(
            self.source,
            self.lake,
            workers=workers,
            on_progress=connection.send,
            anew=self.anew,
        )


@dataclass(frozen=True)
class _Task:
    """The work of a process, its environment, and its limits. `processes` are those that may use time."""

    work: Work[Any]
    environment: Mapping[str, str]
    processes: int
    memory_bytes: int
    seconds: float


@dataclass(frozen=True)
class _Answer:
    """The end of a reading: its result or its error."""

    result: Any = None
    error: Exception | None = None


class Readers:
    """Reads repositories, each in its own process. Threads may read at the same time."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._is_ended = threading.Event()
        self._running: dict[int, BaseProcess] = {}

    def read(
        self,
        source: RepositorySource,
        *,
        workers: int,
        anew: bool = False,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> ExtractionReport:
        """`extract_repository` in a process with the limits of the settings.

        Raises what that raises, LimitExceeded at a limit, and Transient where the process died or `end` was called.
        """
        lake = Lake(self._settings.raw_root, self._settings.lake_folder)
        work = _Extraction(source, lake, workers, anew)
        return self.run(source.name, work, on_progress, processes=1 + workers)

    def run(
        self,
        name: str,
        work: Work[Result],
        on_progress: Send | None = None,
        *,
        processes: int = 1,
        max_memory_mb: int | None = None,
    ) -> Result:
        """The result of work in a process with the limits of the settings, and at most so much memory.

        Raises what the work raises, LimitExceeded at a limit, and Transient where the process died or `end` was called.
        """
        allowed = min(self._settings.read_memory_mb, max_memory_mb or self._settings.read_memory_mb)
        seconds = self._settings.read_timeout_seconds
        # The fork server has the environment of the moment when it started.
        task = _Task(work, dict(os.environ), processes, allowed * 1024 * 1024, seconds)
        context = fork_server()
        ours, theirs = context.Pipe()
        process = context.Process(target=_run, args=(theirs, task))
        process.start()
        theirs.close()
        assert process.pid is not None
        self._running[process.pid] = process
        try:
            found: Result = self._supervise(name, process, ours, on_progress)
            return found
        finally:
            del self._running[process.pid]
            _end(process)
            ours.close()

    def end(self) -> None:
        """End all reading: the calls of `read` raise Interrupted."""
        self._is_ended.set()

    def _supervise(
        self,
        name: str,
        process: BaseProcess,
        connection: Connection,
        on_progress: Send | None,
    ) -> Any:
        deadline = time.monotonic() + self._settings.read_timeout_seconds
        while True:
            if connection.poll(POLL_SECONDS):
                try:
                    answer = connection.recv()
                except EOFError:
                    process.join(END_WITHIN)
                    raise self._death(name, process.exitcode) from None
                if isinstance(answer, _Answer):
                    if answer.error is not None:
                        raise answer.error
                    return answer.result
                if on_progress is not None:
                    on_progress(answer)
            if self._is_ended.is_set():
                raise Interrupted(f"{name}: reading was interrupted. Committed batches are kept.")
            if time.monotonic() > deadline:
                raise LimitExceeded(
                    "EAS_READ_TIMEOUT_SECONDS",
                    f"{name}: reading was ended after {self._settings.read_timeout_seconds:g} seconds. Committed"
                    " batches are kept, so the next run continues; raise the limit for a very large history",
                )
            if self._is_largest_while_memory_is_scarce(process):
                raise LimitExceeded(
                    "EAS_READ_MEMORY_MB",
                    f"{name}: reading was ended because the machine's memory ran out. Run again with a lower"
                    " EAS_WORKERS, or on a machine with more memory",
                )

    def _death(self, name: str, code: int | None) -> IngestError:
        if code == -signal.SIGXCPU:
            return LimitExceeded(
                "EAS_READ_TIMEOUT_SECONDS", f"{name}: reading took more processor time than the limit"
            )
        return Transient(
            f"{name}: the process that read it died ({code}), most often because memory ran out. Run again; committed"
            " batches are kept."
        )

    def _is_largest_while_memory_is_scarce(self, process: BaseProcess) -> bool:
        memory = _machine_memory()
        if memory is None or memory[0] >= memory[1] * SCARCE:
            return False
        sizes = {pid: _group_memory(pid) for pid in list(self._running)}
        return max(sizes, key=sizes.__getitem__, default=None) == process.pid


def _run(connection: Connection, task: _Task) -> None:
    """Do the work, which sends progress, and send the result or the error."""
    os.environ.clear()
    os.environ.update(task.environment)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller ends this process
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (task.memory_bytes, task.memory_bytes))
    # A call that never returns keeps the thread from noticing that the parent is gone.
    seconds = int(task.seconds * task.processes) + 60
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 60))
    try:
        answer = _Answer(task.work(connection))
    except Exception as error:  # noqa: BLE001  # raised again in the caller
        lacks = _lacks_memory(error)
        answer = _Answer(error=_memory_limit(task.memory_bytes) if lacks else _sendable(error))
    connection.send(answer)


def _lacks_memory(error: Exception) -> bool:
    """Whether memory ran out: at the limit there is none for the stack of a new thread either."""
    return isinstance(error, MemoryError) or str(error) == "can't start new thread"


def _memory_limit(limit: int) -> LimitExceeded:
    return LimitExceeded(
        "EAS_READ_MEMORY_MB",
        f"a process needs more than {limit // 1024**2:,} MB to read it: raise the limit if the machine has more",
    )


def _sendable(error: Exception) -> Exception:
    """The error itself if it can be sent to another process; an unexpected one with its traceback as a note."""
    if not isinstance(error, IngestError):
        error.add_note(traceback.format_exc())
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # noqa: BLE001  # an error of a library, made of anything
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _end(process: BaseProcess) -> None:
    """Kill a process and its workers, which have nothing to clean up."""
    assert process.pid is not None
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    if process.is_alive():
        process.kill()
    process.join(END_WITHIN)


def _machine_memory() -> tuple[int, int] | None:
    """Available and total memory in bytes; None where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    found = {line.partition(":")[0]: int(line.split()[1]) * 1024 for line in lines if line.endswith("kB")}
    if not {"MemAvailable", "MemTotal"} <= found.keys():
        return None
    return found["MemAvailable"], found["MemTotal"]


def _group_memory(group: int) -> int:
    """Resident memory of the processes of a group, in pages."""
    total = 0
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            if os.getpgid(int(folder.name)) == group:
                total += int((folder / "statm").read_text().split()[1])
    return total
