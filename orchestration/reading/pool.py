"""Opens and reads several repositories at once, with one bound on the processes of all of them.

At most `EAS_WORKERS` repositories are fetched at the same time, and at most so many processes read. A repository that
hangs holds one place; the others go on. Small histories come first, so a long one that is left gets all processes.

Add: order and share of repositories. Keep out: which of them are due (commands/analysis.py,
graph/nightly_reading.py), the reading itself (`ingest.git.supervision`).
"""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from queue import PriorityQueue, SimpleQueue
from typing import TypeVar

from ingest.errors import SourceBusy
from ingest.git.remote.command import end_all
from ingest.git.repository_source import RepositorySource
from ingest.git.supervision import Readers
from orchestration.deployment import Deployment
from orchestration.reading.extraction import Reading, read
from orchestration.runtime.progress import Progress

LOOK_SECONDS = 1.0
"""Time between two looks at whether another process still works on a repository."""
GATHER_SECONDS = 2.0
"""Readers wait so long for all repositories to be opened, which gives their number. A fetch may take much longer."""

Result = TypeVar("Result")
# Size of the history, order of arrival, repository and its future reading. No repository means the end.
_Waiting = tuple[float, int, RepositorySource | None, Future[Reading]]


def in_turn(work: Callable[[], Result], on_wait: Callable[[], None]) -> Result:
    """The result of work on a repository, after the work of another process on it. `on_wait` is called once if so."""
    is_waiting = False
    while True:
        try:
            return work()
        except SourceBusy:
            if not is_waiting:
                on_wait()
            is_waiting = True
            time.sleep(LOOK_SECONDS)


class Pool:
    """Threads that open repositories, and threads that each supervise the reading of one repository.

    `open_one` opens the target of a number and returns the repository if it has to be read. Errors are its own to keep.
    `workers` is the bound, by default EAS_WORKERS. With `on_wait` a reading waits for another process that reads the
    same repository, and `on_wait` is called with its name; without, it raises SourceBusy.
    """

    def __init__(
        self,
        deployment: Deployment,
        progress: Progress,
        count: int,
        open_one: Callable[[int], RepositorySource | None],
        *,
        workers: int | None = None,
        on_wait: Callable[[str], None] | None = None,
    ) -> None:
        self._deployment, self._progress, self._open_one = deployment, progress, open_one
        self._on_wait = on_wait
        self._readers = Readers(deployment.settings)
        self._targets = iter(range(count))
        self._waiting: PriorityQueue[_Waiting] = PriorityQueue()
        self._ended: SimpleQueue[tuple[RepositorySource, Future[Reading]] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._arrivals = itertools.count()
        self._unopened = self._unfinished = count
        self._all_opened, self._is_decided = threading.Event(), threading.Event()
        self._has_work = False
        self._defect: BaseException | None = None
        self._workers = workers or deployment.settings.workers
        self._places = min(self._workers, count)
        self._threads = [
            threading.Thread(target=work, daemon=True)
            for work in (self._open_targets, self._read_waiting)
            for _ in range(self._places)
        ]

    @contextmanager
    def running(self) -> Iterator[Pool]:
        """Open and read during the block. At its end, also after an error, nothing reads any more."""
        for thread in self._threads:
            thread.start()
        if not self._threads:
            self._is_decided.set()
            self._ended.put(None)
        try:
            yield self
        finally:
            self._readers.end()
            end_all()
            with self._lock:
                self._targets = iter(())
            for _ in range(self._places):
                self._waiting.put((-1.0, next(self._arrivals), None, Future()))

    def has_work(self) -> bool:
        """Whether a repository has to be read, as soon as that is known."""
        self._is_decided.wait()
        self._raise_defect()
        return self._has_work

    def _raise_defect(self) -> None:
        if self._defect is not None:
            raise self._defect

    def ended(self) -> Iterator[tuple[RepositorySource, Future[Reading]]]:
        """The repositories that had to be read, in the order in which their readings end."""
        while (found := self._ended.get()) is not None:
            yield found
        self._raise_defect()

    def _open_targets(self) -> None:
        while True:
            with self._lock:
                number = next(self._targets, None)
            if number is None:
                return
            try:
                source = self._open_one(number)
            except BaseException as error:  # noqa: BLE001  # raised again in the caller's thread
                self._defect, source = error, None
            if source is not None:
                reading: Future[Reading] = Future()
                self._has_work = True
                self._is_decided.set()
                self._waiting.put((_size(source), next(self._arrivals), source, reading))
            else:
                self._finish_one()
            with self._lock:
                self._unopened -= 1
                is_last = self._unopened == 0
            if is_last:
                self._all_opened.set()
                self._is_decided.set()
                for _ in range(self._places):
                    self._waiting.put((math.inf, next(self._arrivals), None, Future()))

    def _finish_one(self) -> None:
        with self._lock:
            self._unfinished -= 1
            is_last = self._unfinished == 0
        if is_last:
            self._ended.put(None)

    def _read_waiting(self) -> None:
        self._all_opened.wait(GATHER_SECONDS)
        while True:
            _, _, source, reading = self._waiting.get()
            if source is None:
                return
            with self._lock:
                workers = max(1, self._workers // self._unfinished)
            try:
                reading.set_result(self._read(source, workers))
            except BaseException as error:  # noqa: BLE001  # raised again where the reading is wanted
                reading.set_exception(error)
            self._ended.put((source, reading))
            self._finish_one()

    def _read(self, source: RepositorySource, workers: int) -> Reading:
        def work() -> Reading:
            return read(self._deployment, self._readers, source, self._progress, workers=workers)

        tell = self._on_wait
        return work() if tell is None else in_turn(work, lambda: tell(source.name))


def _size(source: RepositorySource) -> float:
    """Bytes of the packs of a repository, as a measure of its history."""
    try:
        return float(sum(pack.stat().st_size for pack in (source.path / "objects" / "pack").glob("*.pack")))
    except OSError:
        return 0.0  # Git repacks it at this moment
