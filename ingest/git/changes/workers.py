"""Worker processes that read commits, in order and a bounded number ahead.

Small histories are read in this process, because a pool takes a second to start. Each worker has its own connection
and shares no lock, so it can be killed at any moment without blocking the others.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import resource
import signal
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection
from multiprocessing.context import ForkContext, ForkServerContext
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from typing import NamedTuple

from ingest.errors import Transient
from ingest.git import native
from ingest.git.changes.change_reader import ChangeReader
from ingest.git.changes.commit_changes import CommitChanges, CommitTask, Describer
from ingest.git.fork_server import fork_server
from ingest.git.limits import DEFAULT_LIMITS, Limits
from ingest.git.objects.contents import set_up_libgit2
from ingest.git.objects.loose_objects import open_git_dir
from ingest.git.objects.repository import permit_extensions

CHUNK = 128
"""Commits per task list. Neighbouring commits read the same files, but one list must not fill the memory."""
AHEAD = 3
"""Chunks in progress per worker."""
ALONE_BELOW = 256
"""Below this number of commits one process is faster than starting a pool."""
WORTH_FREEZING = 5_000
"""Young objects that take longer to scan than to freeze and release."""
END_WITHIN = 10.0
"""Seconds for a killed worker to end; only a worker stuck in the kernel (a dead disk) takes longer."""


class _Worker(NamedTuple):
    process: BaseProcess
    connection: Connection


class _Setup(NamedTuple):
    """The first message to a worker: its repository, and what a process of the fork server does not inherit."""

    path: str
    verify_hashes: bool
    limits: Limits
    describer: Describer | None
    bounds: _Bounds
    engine: str


class Workers:
    """The number of processes that read commits, and those of them that are already running."""

    def __init__(self, count: int, running: Sequence[_Worker] = ()) -> None:
        self.count = count
        self._running = list(running)

    @classmethod
    def forked(cls, count: int, connection: Connection) -> Workers:
        """Copies of this process, which start in milliseconds and import nothing again.

        Only for a process without threads: copied beside one (Arrow, Dagster) that holds a lock, they wait for it for
        ever. `connection` is that of this process to its caller, which must see its end.
        """
        running: list[_Worker] = []
        for _ in range(count if count > 1 else 0):
            running.append(
                _start_worker(get_context("fork"), [connection, *(one.connection for one in running)])
            )
        return cls(count, running)

    def start(self) -> list[_Worker]:
        """All of the processes."""
        while len(self._running) < self.count:
            self._running.append(_start_worker(fork_server(), ()))
        return self._running

    def end(self) -> bool:
        """Kill the processes, which have nothing to clean up. Returns whether all ended in time."""
        running, self._running = self._running, []
        for worker in running:
            if worker.process.is_alive():
                worker.process.kill()
        for worker in running:
            worker.process.join(END_WITHIN)
        return not any(worker.process.is_alive() for worker in running)


@contextlib.contextmanager
def without_collector() -> Iterator[None]:
    """Suspend cyclic garbage collection.

    Millions of rows are alive and none is part of a cycle; scanning them repeatedly took a tenth of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            # Freezing and releasing makes all objects old, without the scan that the first new object would start. It
            # would also release objects that others froze for good. To count those takes longer than to scan a few.
            if gc.get_count()[0] > WORTH_FREEZING and not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()


class _Bounds(NamedTuple):
    """The process group and the memory limit of the parent, which a process of the fork server does not inherit."""

    group: int
    memory: tuple[int, int]

    def take(self) -> None:
        with contextlib.suppress(OSError):  # the parent is in another session, or has ended
            os.setpgid(0, self.group)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, self.memory)


def _work(connection: Connection, inherited: Sequence[Connection]) -> None:
    """Read chunk after chunk until the connection is closed."""
    for one in inherited:
        one.close()
    # A parent that ignores SIGTERM passes that on, and then only SIGKILL would end a worker.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=die_with_parent, daemon=True).start()
    with contextlib.suppress(EOFError):
        setup: _Setup = connection.recv()
        os.environ[native.ENGINE] = setup.engine
        setup.bounds.take()
        set_up_libgit2()
        permit_extensions()
        gc.disable()
        repo = open_git_dir(setup.path, is_complete=True)
        reader = ChangeReader(repo, verify_hashes=setup.verify_hashes, limits=setup.limits)
        while True:
            connection.send_bytes(_pickle(reader, connection.recv(), setup.describer))


def die_with_parent() -> None:
    """End this process when its parent dies."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _pickle(reader: ChangeReader, tasks: Sequence[CommitTask], describer: Describer | None) -> bytes:
    try:
        result: list[CommitChanges] | Exception = _read(reader, tasks, describer)
    except MemoryError:
        result = MemoryError()  # without the frames, which hold what filled the memory
    except Exception as error:  # noqa: BLE001  # raised again where the result is wanted
        result = error
    return pickle.dumps(result, pickle.HIGHEST_PROTOCOL)


def _read(
    reader: ChangeReader, tasks: Sequence[CommitTask], describer: Describer | None
) -> list[CommitChanges]:
    results = []
    for task in tasks:
        results.append(result := reader.read(task))
        if task.commit is not None and describer is not None:
            describer.describe(task.commit, result)
            result.drop_told()
    if describer is not None:
        describer.pack(results)
    return results


def read_commits(
    path: str,
    tasks: Sequence[CommitTask],
    workers: int | Workers,
    *,
    verify_hashes: bool,
    limits: Limits = DEFAULT_LIMITS,
    describer: Describer | None = None,
) -> Iterator[CommitChanges]:
    """The changes of each task, in the given order. `describer` makes the rows of tasks that have their commit.

    `verify_hashes` checks objects that our own fetch has not checked. The workers end with it. Raises LimitExceeded,
    and Transient when a worker process dies.
    """
    pool = Workers(workers) if isinstance(workers, int) else workers
    if pool.count <= 1 or len(tasks) < ALONE_BELOW:
        pool.end()
        set_up_libgit2()
        repo = open_git_dir(path, is_complete=True)
        reader = ChangeReader(repo, verify_hashes=verify_hashes, limits=limits)
        for start in range(0, len(tasks), CHUNK):
            yield from _read(reader, tasks[start : start + CHUNK], describer)
        return
    idle: SimpleQueue[_Worker] = SimpleQueue()
    threads = ThreadPoolExecutor(pool.count)
    waiting: deque[Future[bytes]] = deque()
    try:
        setup = _Setup(path, verify_hashes, limits, describer, _bounds(), _engine())
        for worker in pool.start():
            _send(worker, setup)
            idle.put(worker)
        for start in range(0, len(tasks), CHUNK):
            waiting.append(threads.submit(_ask, idle, tasks[start : start + CHUNK]))
            if len(waiting) >= pool.count * AHEAD:
                yield from _unpack(waiting.popleft().result())
        while waiting:
            yield from _unpack(waiting.popleft().result())
    except _WorkerDied as error:
        raise Transient(
            f"{path}: a process that read its history died, most often because memory ran out. Run again, or set "
            f"EAS_WORKERS to fewer than {pool.count}; committed batches are kept."
        ) from error
    finally:
        threads.shutdown(wait=pool.end(), cancel_futures=True)


def _bounds() -> _Bounds:
    return _Bounds(os.getpgrp(), resource.getrlimit(resource.RLIMIT_DATA))


def _engine() -> str:
    """A worker for which the compiled modules are gone meanwhile goes on in Python: the facts are the same."""
    return "auto" if native.engine().name == "native" else "python"


class _WorkerDied(Exception):
    """A worker ended before it answered."""


def _start_worker(context: ForkContext | ForkServerContext, inherited: Sequence[Connection]) -> _Worker:
    ours, theirs = context.Pipe()
    foreign = [ours, *inherited] if isinstance(context, ForkContext) else ()
    process = context.Process(target=_work, args=(theirs, foreign), daemon=True)
    process.start()
    theirs.close()  # otherwise the end of the worker would go unnoticed
    return _Worker(process, ours)


def _ask(idle: SimpleQueue[_Worker], tasks: Sequence[CommitTask]) -> bytes:
    """The pickled changes from an idle worker: the caller's thread unpacks them while the worker goes on."""
    worker = idle.get()
    try:
        _send(worker, tasks)
        return worker.connection.recv_bytes()
    except (EOFError, OSError) as error:
        raise _WorkerDied(f"process {worker.process.pid}") from error
    finally:
        idle.put(worker)


def _send(worker: _Worker, message: object) -> None:
    try:
        worker.connection.send(message)
    except OSError as error:
        raise _WorkerDied(f"process {worker.process.pid}") from error


def _unpack(answer: bytes) -> list[CommitChanges]:
    result: list[CommitChanges] | Exception = pickle.loads(answer)
    if isinstance(result, Exception):
        raise result
    return result
