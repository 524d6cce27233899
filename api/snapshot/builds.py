"""Published builds: one read-only database per build, leased to requests.

Add: finding, opening, swapping and closing builds. Keep out: queries (read/).
Publisher and readers never wait for each other: a pointer names the current file, a shared `flock` tells the publisher
which files are in use, and a request keeps its leased build until it ends.
"""

import logging
import re
import threading
import time
from pathlib import Path

import duckdb

from api.errors import NothingPublished, Unavailable
from api.snapshot import pointers
from api.snapshot.build import Build

logger = logging.getLogger(__name__)

BUILD_ID = re.compile(r"[0-9A-Za-z-]{1,64}")
# Each open build has a memory limit of its own, so of those that were replaced only the last stays open idle;
# page tokens open others again.
REPLACED_KEPT_OPEN = 1
RETRIES = 3
PATIENCE = 2.0
"""Seconds that a request waits for a new build while the one before can be read. To compare a file with its checksum
takes a second a gigabyte, and many times that while other programs read or the file is not in memory.
"""
LOOKS_EVERY = 0.1
"""Seconds after which a request that waits for a new build looks whether the file before is still there."""
# What DuckDB raises where a block of an open file is gone or fails its checksum, and ever after.
DAMAGED = (duckdb.IOException, duckdb.FatalException)


class BuildGone(Exception):
    """The build was removed after it was replaced."""


class Builds:
    """The builds of one organization."""

    def __init__(self, folder: Path, memory_mb: int, *, was_published: bool = False) -> None:
        self.folder = folder
        self._was_published = was_published
        self._pointer_file = folder / pointers.POINTER
        self._memory_mb = memory_mb
        self._mutex = threading.Lock()
        self._opening = threading.Lock()
        self._closings = 0
        self._pointer: tuple[int, int] | None = None
        self._current: Build | None = None
        # The build that goes on because the published one cannot be opened.
        self._kept: Build | None = None
        self._open: dict[str, Build] = {}
        self._broken: list[Build] = []
        self._refused: tuple[tuple[int, int] | None, int] | None = None

    def lease_current(self) -> Build:
        """The current build; give it back with `release`.

        Raises NothingPublished before the first publish, Unavailable for a damaged pointer or build.
        """
        stamp = self._stamp()
        if stamp is None and not self._is_expected():
            raise NothingPublished(
                "this organization has no published build yet; add a repository and wait for its analysis"
            )
        # Without a pointer the open build goes on: no step of the service deletes a pointer.
        if stamp is not None and not self._is_read(stamp):
            self._swap(stamp)
        with self._mutex:
            build = self._current
            if build is None:
                raise Unavailable("the published build cannot be opened; see the server's log")
            build.leases += 1
            return build

    def lease_unchanged(self) -> Build | None:
        """The current build if the pointer has not moved: never opens a file, so it is fit for an event loop."""
        stamp = self._stamp()
        if stamp is None or not self._is_read(stamp):
            return None
        with self._mutex:
            if self._current is not None:
                self._current.leases += 1
            return self._current

    @property
    def is_open(self) -> bool:
        """Whether this process has a build open that it can serve."""
        return self._current is not None

    def is_current(self, build_id: str) -> bool:
        """Whether this build is the one that is published at this moment, whichever is open here."""
        try:
            return pointers.read(self.folder).build_id == build_id
        except (OSError, ValueError):
            return False

    def lease(self, build_id: str) -> Build:
        """The build of this id, current or replaced. Raises BuildGone."""
        with self._mutex:
            build = self._open.get(build_id)
            # A deleted file must not be read again, even while it is open here.
            if build is not None and build.path.exists():
                build.leases += 1
                return build
        if build is not None:
            raise BuildGone(build_id)
        if not BUILD_ID.fullmatch(build_id):
            raise BuildGone(build_id)
        with self._opening:
            with self._mutex:
                build = self._open.get(build_id)
                if build is not None:
                    build.leases += 1
                    return build
            try:
                opened = Build(build_id, self.folder / f"{build_id}.duckdb", self._memory_mb)
            except (OSError, ValueError, duckdb.Error) as error:
                raise BuildGone(build_id) from error
            with self._mutex:
                # Leased at once, because a release of another build closes unused ones.
                opened.leases += 1
                self._open[build_id] = opened
            return opened

    def exchange(self, leased: Build, build_id: str) -> Build:
        """The build of this id instead of the leased one, which is given back; the leased one if that id is gone."""
        try:
            build = self.lease(build_id)
        except BuildGone:
            return leased
        self.release(leased)
        return build

    def release(self, build: Build) -> None:
        """Give a lease back; replaced builds beyond the few kept for page tokens are closed by their last reader."""
        with self._mutex:
            build.leases -= 1
            closing = self._surplus()
        for old in closing:
            old.close()

    def discard(self, build: Build) -> None:
        """Serve a build no longer, because its file turned out to be damaged; the next lease looks at the pointer."""
        with self._mutex:
            if self._open.get(build.id) is build:
                del self._open[build.id]
                self._broken.append(build)
            if self._current is build:
                self._current, self._pointer = None, None

    def close(self) -> None:
        """Close every build. Requests must have ended."""
        with self._mutex:
            self._closings += 1
            closing = [*self._open.values(), *self._broken]
            self._open.clear()
            self._broken.clear()
            self._current, self._pointer = None, None
        for build in closing:
            build.close()

    def _stamp(self) -> tuple[int, int] | None:
        try:
            status = self._pointer_file.stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return status.st_mtime_ns, status.st_ino

    def _is_expected(self) -> bool:
        """Whether there is or was a build, although the pointer is gone."""
        if self._was_published or self._current is not None:
            return True
        return any(self.folder.glob("*.duckdb")) or self.folder.is_file()

    def _is_read(self, stamp: tuple[int, int]) -> bool:
        """Whether this process has read the pointer of this stamp, and the file of a build that it kept then exists."""
        kept = self._kept
        return stamp == self._pointer and (kept is None or kept.path.exists())

    def _swap(self, stamp: tuple[int, int]) -> None:
        """Open the published build. While it opens, requests read the one before.

        Where the file before is gone, rows may have had to leave it: every request waits for the new build then.
        """
        closings, before = self._closings, self._current
        if before is None or not before.path.exists():
            self._opening.acquire()
            self._open_new(stamp, closings)
            return
        if not self._opening.acquire(blocking=False):
            return
        opening = threading.Thread(
            target=self._open_new, args=(stamp, closings), name="opening a build", daemon=True
        )
        try:
            opening.start()
        except BaseException:
            self._opening.release()
            raise
        ends = time.monotonic() + PATIENCE
        while opening.is_alive() and (time.monotonic() < ends or not before.path.exists()):
            opening.join(LOOKS_EVERY)

    def _open_new(self, stamp: tuple[int, int], closings: int) -> None:
        """Open the published build and make it the current one. Gives back `_opening`, which the caller holds.

        `closings` is their number when the caller began.
        """
        closing = list[Build]()
        try:
            if self._is_read(stamp):
                return
            build = self._open_current()
            with self._mutex:
                if closings != self._closings:
                    # The service ended meanwhile.
                    closing = [build] if build is not None and build.leases == 0 else []
                    return
                if build is not None:
                    self._open[build.id] = build
                    self._current = build
                if self._current is not None and not self._current.path.exists():
                    self._current, self._pointer = None, None
                self._kept = self._current if build is None else None
                if self._current is not None:
                    # A pointer that cannot be opened is tried once, and the build before goes on while its file exists.
                    self._pointer = stamp
                closing = self._surplus()
        finally:
            self._opening.release()
            for old in closing:
                old.close()

    def _open_current(self) -> Build | None:
        looked_at: tuple[tuple[int, int] | None, int] | None = None
        for _ in range(RETRIES):
            try:
                pointer = pointers.read(self.folder)
                known = self._open.get(pointer.build_id)
                if known is not None and known.path.exists():
                    return known
                looked_at = (self._stamp(), pointer.file.stat().st_mtime_ns)
                if looked_at == self._refused:
                    return None  # its content is not compared again for each request
                pointer.verify()
                return Build(pointer.build_id, pointer.file, self._memory_mb)
            except (ValueError, *DAMAGED) as error:
                logger.warning("refusing the published build in %s: %s", self.folder, error)
                self._refused = looked_at
                return None
            except (OSError, duckdb.Error) as error:
                # Published again and cleaned up between reading the pointer and opening its file.
                logger.warning("cannot open the published build in %s: %s", self.folder, error)
        return None

    def _surplus(self) -> list[Build]:
        idle = [b for b in self._open.values() if b.leases == 0 and b is not self._current]
        gone = [b for b in idle if not b.path.exists()]
        kept = sorted((b for b in idle if b not in gone), key=lambda b: b.id)
        closing = gone + kept[: max(0, len(kept) - REPLACED_KEPT_OPEN)]
        for build in closing:
            del self._open[build.id]
        closing += [build for build in self._broken if build.leases == 0]
        self._broken = [build for build in self._broken if build.leases]
        return closing
