"""Worker processes that read commits, in order and a bounded number ahead.

Small histories are read in this process: a pool costs a second to start.
"""

from __future__ import annotations

import contextlib
import gc
import os
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process

from ingest.errors import Transient
from ingest.git.changes import ChangeReader, CommitChanges, CommitTask
from ingest.git.local import permit_extensions
from ingest.git.loose import open_git_dir
from ingest.git.objects import set_up_libgit2

CHUNK = 128
"""Commits per hand-over: neighbours read the same files, but a few of them must not fill the memory."""
AHEAD = 3
"""Chunks in hand per worker."""
ALONE_BELOW = 256
"""Commits that one process reads faster than a pool starts."""

_reader: ChangeReader | None = None


@contextlib.contextmanager
def without_collector() -> Iterator[None]:
    """No cyclic garbage collection meanwhile.

    Millions of rows are alive and none is part of a cycle; looking through them again and again took a tenth of
    the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _start_worker(path: str, verify_hashes: bool) -> None:
    global _reader  # noqa: PLW0603  # what a pool's initializer makes can be kept nowhere else
    threading.Thread(target=_die_with_parent, daemon=True).start()
    set_up_libgit2()
    permit_extensions()
    gc.disable()
    _reader = ChangeReader(open_git_dir(path), verify_hashes=verify_hashes)


def _die_with_parent() -> None:
    """A worker whose parent was killed would wait for work for ever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _read_chunk(tasks: Sequence[CommitTask]) -> list[CommitChanges]:
    assert _reader is not None
    return [_reader.read(task) for task in tasks]


def read_commits(
    path: str, tasks: Sequence[CommitTask], workers: int, *, verify_hashes: bool
) -> Iterator[CommitChanges]:
    """The changes of each task, in the order given; `verify_hashes` for objects that no fetch of ours checked.

    Raises Transient when a worker process dies.
    """
    if workers <= 1 or len(tasks) < ALONE_BELOW:
        set_up_libgit2()
        reader = ChangeReader(open_git_dir(path), verify_hashes=verify_hashes)
        yield from (reader.read(task) for task in tasks)
        return
    # Forking a process that has threads (Arrow, Dagster) can deadlock.
    context = get_context("forkserver")
    pool = ProcessPoolExecutor(workers, context, _start_worker, (path, verify_hashes))
    waiting: deque[Future[list[CommitChanges]]] = deque()
    try:
        for start in range(0, len(tasks), CHUNK):
            waiting.append(pool.submit(_read_chunk, tasks[start : start + CHUNK]))
            if len(waiting) >= workers * AHEAD:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    except BrokenProcessPool as error:
        raise Transient(
            f"{path}: a process that read its history died, most often for want of memory. Run again, or set "
            f"EAS_WORKERS to fewer than {workers}; what is committed is kept."
        ) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
