"""The published builds of every organization of a deployment.

Keep out: opening and swapping the builds of one (builds.py).
"""

import contextlib
import threading
from pathlib import Path

import duckdb

from api.errors import NothingPublished, Unavailable
from api.snapshot import pointers
from api.snapshot.builds import Builds

OPENED_AHEAD = 4
"""Organizations whose builds a server opens at its start; those of others are opened by their first reader."""


def _published_at(folder: Path) -> int:
    """When the newest build of a folder was published, in nanoseconds; 0 without one."""
    try:
        return (folder / pointers.POINTER).stat().st_mtime_ns
    except OSError:
        return 0


class Warehouse:
    """The published builds of every organization."""

    def __init__(self, root: Path, memory_mb: int) -> None:
        self.root = root
        self._memory_mb = memory_mb
        # A process that has not opened a build yet still tells a lost one from none.
        self._published_at_start = {file.parent.name for file in root.glob(f"*/{pointers.POINTER}")}
        self._organizations: dict[str, Builds] = {}
        self._mutex = threading.Lock()
        self._closed = False

    def of(self, organization_id: str) -> Builds:
        """Builds of an organization; its id must come from the control database, never from a request."""
        builds = self._organizations.get(organization_id)
        if builds is None:
            with self._mutex:
                builds = self._organizations.setdefault(
                    organization_id,
                    Builds(
                        self.root / organization_id,
                        self._memory_mb,
                        was_published=organization_id in self._published_at_start,
                    ),
                )
        return builds

    def open_newest(self) -> None:
        """Open the newest builds before somebody waits for one. The log says which cannot be opened.

        It may outlive the service: what it opens after `close` is closed at once.
        """
        newest = sorted(
            ((stamp, folder.name) for folder in self.root.glob("*") if (stamp := _published_at(folder))),
            reverse=True,
        )
        for _, organization_id in newest[:OPENED_AHEAD]:
            builds = self.of(organization_id)
            with contextlib.suppress(NothingPublished, Unavailable, OSError, duckdb.Error):
                builds.release(builds.lease_current())
            if self._closed:
                builds.close()
                return

    def close(self) -> None:
        """Close everything that is open."""
        self._closed = True
        # A reader of another organization may add its builds meanwhile.
        for builds in list(self._organizations.values()):
            builds.close()
