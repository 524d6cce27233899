"""The spool: what the service has acknowledged and the lake does not have yet.

A process appends to segments of its own, one per organization, and answers a request when its line is on the disk.
Requests that arrive together share one fsync. A reader takes a segment away by renaming it under its lock; the process
then begins another. Every line has a checksum, and a line without an end was never acknowledged.
Keep out: the content of lines (`accept`), the lake (`loading`).
"""

from __future__ import annotations

import fcntl
import itertools
import os
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from queue import SimpleQueue

import xxhash

from ingest.locks import locked

MAX_SEGMENT = 16 * 1024**2
"""Bytes after which a process begins another segment: a reader holds one segment in memory."""
MAX_PENDING = 64 * 1024**2
"""Bytes that wait for the disk; more are refused."""
MAX_OPEN = 64
OPEN, TAKEN, DAMAGED = ".open", ".taken", ".damaged"
_DIGEST = 16


class SpoolFull(OSError):
    """More waits for the disk than may."""


@dataclass(slots=True)
class _Waiting:
    organization_id: str
    line: bytes
    written: Future[None]


@dataclass(slots=True)
class _Segment:
    path: Path
    descriptor: int
    size: int = 0


class _Answering:
    """A block whose end or error is that of all these futures: no request may wait for ever."""

    def __init__(self, waiting: Sequence[Future[None]]) -> None:
        self._waiting = waiting

    def __enter__(self) -> None:
        """Nothing begins here."""

    def __exit__(self, _: object, error: BaseException | None, __: object) -> bool:
        for one in self._waiting:
            if error is None:
                one.set_result(None)
            else:
                one.set_exception(error)
        return True


class Spool:
    """The writing side, one of a process. `close` writes what waits."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._queue: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._pending = 0
        self._mutex = threading.Lock()
        self._segments: dict[str, _Segment] = {}
        self._numbers = itertools.count()
        self._thread = threading.Thread(target=self._write_all, name="telemetry-spool", daemon=True)
        self._is_started = False

    def append(self, organization_id: str, content: bytes) -> Future[None]:
        """Append one line. The result is there when the line is on the disk; OSError where it cannot be written."""
        waiting = _Waiting(organization_id, _line(content), Future())
        with self._mutex:
            if self._pending + len(waiting.line) > MAX_PENDING:
                waiting.written.set_exception(SpoolFull("too much waits for the disk"))
                return waiting.written
            self._pending += len(waiting.line)
            if not self._is_started:
                self._thread.start()
                self._is_started = True
        self._queue.put(waiting)
        return waiting.written

    def close(self) -> None:
        """Write what waits and end."""
        if self._is_started:
            self._queue.put(None)
            self._thread.join()

    def _write_all(self) -> None:
        is_open = True
        while is_open:
            group = [self._queue.get()]
            while not self._queue.empty():
                group.append(self._queue.get())
            is_open = None not in group
            by_organization: dict[str, list[_Waiting]] = {}
            for one in group:
                if one is not None:
                    by_organization.setdefault(one.organization_id, []).append(one)
            for organization_id, waiting in by_organization.items():
                self._write_group(organization_id, waiting)
        for segment in self._segments.values():
            os.close(segment.descriptor)
        self._segments.clear()

    def _write_group(self, organization_id: str, waiting: Sequence[_Waiting]) -> None:
        content = b"".join(one.line for one in waiting)
        with _Answering([one.written for one in waiting]):
            self._write(organization_id, content)
        with self._mutex:
            self._pending -= len(content)

    def _write(self, organization_id: str, content: bytes) -> None:
        segment = self._held(organization_id)
        try:
            written = 0
            while written < len(content):
                written += os.write(segment.descriptor, content[written:])
            os.fdatasync(segment.descriptor)
            segment.size += len(content)
        except OSError:
            # No sender got an answer for these bytes. A segment that cannot be shortened is not used again.
            self._forget(organization_id, shorten=True)
            raise
        finally:
            with suppress(OSError):
                fcntl.flock(segment.descriptor, fcntl.LOCK_UN)

    def _held(self, organization_id: str) -> _Segment:
        """The locked segment of an organization: the present one unless a reader took it or it is large."""
        segment = self._segments.get(organization_id)
        if segment is not None:
            fcntl.flock(segment.descriptor, fcntl.LOCK_EX)
            if segment.size < MAX_SEGMENT and segment.path.exists():
                return segment
            self._forget(organization_id)
        if len(self._segments) >= MAX_OPEN:
            self._forget(next(iter(self._segments)))
        folder = self._folder / organization_id
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{time.time_ns():020d}-{os.getpid()}-{next(self._numbers)}{OPEN}"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        segment = self._segments[organization_id] = _Segment(path, descriptor)
        if not path.exists():  # a reader took it before it was locked
            self._forget(organization_id)
            return self._held(organization_id)
        for parent in (folder, self._folder):
            fsync_folder(parent)
        return segment

    def _forget(self, organization_id: str, *, shorten: bool = False) -> None:
        segment = self._segments.pop(organization_id, None)
        if segment is not None:
            if shorten:
                with suppress(OSError):
                    os.ftruncate(segment.descriptor, segment.size)
            with suppress(OSError):
                os.close(segment.descriptor)


def take(folder: Path) -> list[Path]:
    """Take all segments of an organization's folder away from the processes that write them, oldest first."""
    if not folder.is_dir():
        return []
    for path in folder.glob(f"*{OPEN}"):
        # The process that writes holds the lock for one group of lines, and a killed one no longer.
        with locked(path):
            path.rename(path.with_suffix(TAKEN))
    fsync_folder(folder)
    return sorted(folder.glob(f"*{TAKEN}"))


def lines(path: Path) -> Iterator[bytes | None]:
    """The lines of a segment; None for each that is not as it was written. A last line without an end is left out."""
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                content = line[_DIGEST + 1 : -1]
                is_whole = line[:_DIGEST].decode("latin-1") == xxhash.xxh3_64_hexdigest(content)
                yield content if is_whole else None


def pending(folder: Path) -> list[Path]:
    """The segments that wait, without taking them."""
    return [path for suffix in (OPEN, TAKEN) for path in folder.glob(f"*{suffix}")]


def stored(folder: Path) -> list[Path]:
    """All segments, oldest first, also those that were set aside."""
    return sorted(path for suffix in (OPEN, TAKEN, DAMAGED) for path in folder.glob(f"*{suffix}"))


def waiting_since(folder: Path) -> datetime | None:
    """The begin of the oldest segment that waits; None where none does."""
    begins = [int(path.name.partition("-")[0]) for path in pending(folder)]
    return datetime.fromtimestamp(min(begins) / 1e9, UTC) if begins else None


def damaged(folder: Path) -> list[Path]:
    """The segments that were set aside because a line of theirs was damaged."""
    return sorted(folder.glob(f"*{DAMAGED}"))


def fsync_folder(path: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _line(content: bytes) -> bytes:
    return xxhash.xxh3_64_hexdigest(content).encode() + b" " + content + b"\n"
