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
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from typing import NamedTuple

from ingest.errors import Transient
from ingest.git import native
from ingest.git.changes.change_reader import ChangeReader
from ingest.git.changes.commit_changes import CommitChanges, CommitTask, Describer
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
END_WITHIN = 10.0
"""Seconds for a killed worker to end; only a worker stuck in the kernel (a dead disk) takes longer."""


class _Worker(NamedTuple):
    process: BaseProcess
    connection: Connection


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


def _work(
    connection: Connection,
    path: str,
    verify_hashes: bool,
    limits: Limits,
    describer: Describer | None,
    bounds: _Bounds,
    engine: str,
) -> None:
    """Read chunk after chunk until the connection is closed."""
    # The fork server has the environment of the moment when it started.
    os.environ[native.ENGINE] = engine
    # A parent that ignores SIGTERM passes that on, and then only SIGKILL would end a worker.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    bounds.take()
    threading.Thread(target=die_with_parent, daemon=True).start()
    set_up_libgit2()
    permit_extensions()
    gc.disable()
    reader = ChangeReader(open_git_dir(path), verify_hashes=verify_hashes, limits=limits)
    with contextlib.suppress(EOFError):
        while True:
            connection.send_bytes(_pickle(reader, connection.recv(), describer))


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
    workers: int,
    *,
    verify_hashes: bool,
    limits: Limits = DEFAULT_LIMITS,
    describer: Describer | None = None,
) -> Iterator[CommitChanges]:
    """The changes of each task, in the given order. `describer` makes the rows of tasks that have their commit.

    `verify_hashes` checks objects that our own fetch has not checked. Raises LimitExceeded, and Transient when a
    worker process dies.
    """
    if workers <= 1 or len(tasks) < ALONE_BELOW:
        set_up_libgit2()
        reader = ChangeReader(open_git_dir(path), verify_hashes=verify_hashes, limits=limits)
        for start in range(0, len(tasks), CHUNK):
            yield from _read(reader, tasks[start : start + CHUNK], describer)
        return
    started: list[_Worker] = []
    idle: SimpleQueue[_Worker] = SimpleQueue()
    threads = ThreadPoolExecutor(workers)
    waiting: deque[Future[bytes]] = deque()
    try:
        for _ in range(workers):
            started.append(_start_worker(path, verify_hashes, limits, describer))
            idle.put(started[-1])
        for start in range(0, len(tasks), CHUNK):
            waiting.append(threads.submit(_ask, idle, tasks[start : start + CHUNK]))
            if len(waiting) >= workers * AHEAD:
                yield from _unpack(waiting.popleft().result())
        while waiting:
            yield from _unpack(waiting.popleft().result())
    except _WorkerDied as error:
        raise Transient(
            f"{path}: a process that read its history died, most often because memory ran out. Run again, or set "
            f"EAS_WORKERS to fewer than {workers}; committed batches are kept."
        ) from error
    finally:
        threads.shutdown(wait=_kill(started), cancel_futures=True)


class _WorkerDied(Exception):
    """A worker ended before it answered."""


def _start_worker(path: str, verify_hashes: bool, limits: Limits, describer: Describer | None) -> _Worker:
    # Forking a process that has threads (Arrow, Dagster) can deadlock.
    context = get_context("forkserver")
    ours, theirs = context.Pipe()
    bounds = _Bounds(os.getpgrp(), resource.getrlimit(resource.RLIMIT_DATA))
    # A worker for which the compiled modules are gone meanwhile goes on in Python: the facts are the same.
    engine = "auto" if native.engine().name == "native" else "python"
    arguments = (theirs, path, verify_hashes, limits, describer, bounds, engine)
    process = context.Process(target=_work, args=arguments, daemon=True)
    process.start()
    theirs.close()  # otherwise the end of the worker would go unnoticed
    return _Worker(process, ours)


def _ask(idle: SimpleQueue[_Worker], tasks: Sequence[CommitTask]) -> bytes:
    """The pickled changes from an idle worker: the caller's thread unpacks them while the worker goes on."""
    worker = idle.get()
    try:
        worker.connection.send(tasks)
        return worker.connection.recv_bytes()
    except (EOFError, OSError) as error:
        raise _WorkerDied(f"process {worker.process.pid}") from error
    finally:
        idle.put(worker)


def _unpack(answer: bytes) -> list[CommitChanges]:
    result: list[CommitChanges] | Exception = pickle.loads(answer)
    if isinstance(result, Exception):
        raise result
    return result


def _kill(workers: Sequence[_Worker]) -> bool:
    """Kill the workers, which have nothing to clean up. Returns whether all ended in time."""
    for worker in workers:
        if worker.process.is_alive():
            worker.process.kill()
    for worker in workers:
        worker.process.join(END_WITHIN)
    return not any(worker.process.is_alive() for worker in workers)
