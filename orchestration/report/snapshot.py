"""Opens the published snapshot of an organization for one report.

Keep out: queries (figures.py). Publishing does not remove a file that a reader holds with a shared lock.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from orchestration.state.snapshot_files import read_pointer

# A replaced build may be removed after the pointer is read and before its file is opened.
ATTEMPTS = 3


class NothingPublished(Exception):
    """The organization has no published build."""


@dataclass(frozen=True)
class Snapshot:
    """An open snapshot."""

    build_id: str
    file: Path
    connection: duckdb.DuckDBPyConnection

    def rows(self, query: str, *parameters: object) -> list[tuple[Any, ...]]:
        """Return all rows of a query."""
        return self.connection.execute(query, list(parameters)).fetchall()


@contextmanager
def opened(published: Path, organization_id: str) -> Iterator[Snapshot]:
    """Open the current build; its time zone is UTC. Raises NothingPublished."""
    folder = published / organization_id
    for attempt in range(ATTEMPTS):
        try:
            pointer = read_pointer(folder)
            if not (folder / pointer.file).is_file():
                raise FileNotFoundError(pointer.file)  # opening a named pipe would wait for ever
            lock = (folder / pointer.file).open("rb")
        except (FileNotFoundError, ValueError) as error:
            if attempt + 1 < ATTEMPTS:
                continue
            raise NothingPublished(
                f"{folder} contains no published build; run `eas analyze` first"
            ) from error
        break
    with lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        file = folder / pointer.file
        with duckdb.connect(str(file), read_only=True, config={"threads": 2}) as connection:
            connection.execute("set TimeZone = 'UTC'")
            yield Snapshot(pointer.build_id, file, connection)
