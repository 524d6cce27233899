"""Publishes a build: moves its published tables to a new read-only file and switches a pointer to that file.

Add: how the file is checked, made current and removed. Keep out: its content (dbt_project/models/marts/published).
A reader resolves `current.json` and holds a shared `flock` on its file. Publishing never waits for readers.
"""

import errno
import fcntl
import os
import secrets
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb

from ingest.locks import locked
from orchestration.runtime.explanations import Explained
from orchestration.state import snapshot_files
from orchestration.state.snapshot_files import POINTER, Pointer

LOCK = ".publishing"
# A page token names its build and stays valid for this time after the build was replaced.
KEEP_REPLACED = timedelta(minutes=30)
CONFIG: dict[str, str | bool | int | float | list[str]] = {"threads": 2, "memory_limit": "1GB"}


class PublishRefused(Explained):
    """The tables cannot be published. The last published build stays current."""


@dataclass(frozen=True, slots=True)
class Published:
    """A published build: its id, its file, and the number of rows by table."""

    build_id: str
    file: Path
    rows: dict[str, int]


def new_build_id() -> str:
    """A unique id that sorts by its time of creation (UTC)."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}-{secrets.token_hex(4)}"


def publish(
    tables: Path,
    published_root: Path,
    organization_id: str,
    build_id: str,
    *,
    written: Sequence[int | str] | None = None,
    keep_replaced: timedelta = KEEP_REPLACED,
) -> Published:
    """Move the file of published tables below `published_root` and make it current.

    `written` has the size and the checksum of the file as its build wrote it. A repeated call for the same build
    continues after the last completed step. No process may have the file open.
    Raises PublishRefused if the file is missing, differs from `written` or belongs to another organization, OSError or
    duckdb.Error if it cannot be read or moved. After an error the previous build stays current.
    """
    folder = published_root / organization_id
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{build_id}.duckdb"
    with locked(folder / LOCK):
        _remove_leftovers(folder)
        if not target.exists():
            if not tables.is_file():
                raise PublishRefused(f"{tables} does not exist; build the warehouse first")
            _check(tables, organization_id)
            _move(tables, target)
        target.chmod(0o444)
        _sync(target)
        size, digest = target.stat().st_size, snapshot_files.checksum(target)
        if written is not None and [size, digest] != list(written):
            # Deleted, so that a repeated call does not publish it. The next build writes a new file.
            target.unlink()
            raise PublishRefused(
                f"{target} differs from the tables that the build wrote; run `eas analyze` again"
            )
        rows, version = _content(target)
        replaced = snapshot_files.current_file(folder)
        if replaced != target:
            pointer = Pointer(build_id, target.name, "", version, size, digest)
            _switch_pointer(folder, pointer)
            if replaced is not None:
                # The age of a replaced file starts now.
                os.utime(replaced)
        _remove_old(folder, target, keep_replaced)
    return Published(build_id, target, rows)


def current_file(published_root: Path, organization_id: str) -> Path | None:
    """The current file; None before the first publish."""
    return snapshot_files.current_file(published_root / organization_id)


def remove_replaced(published_root: Path, organization_id: str) -> None:
    """Remove every build except the current one, so that no file holds data of a removed repository.

    A reader that has a file open can still read it to the end. Page tokens of these builds become invalid.
    """
    folder = published_root / organization_id
    if not folder.exists():
        return
    with locked(folder / LOCK):
        current = snapshot_files.current_file(folder)
        for file in folder.glob("*.duckdb"):
            if file != current:
                file.unlink(missing_ok=True)


def _check(tables: Path, organization_id: str) -> None:
    """Write the write-ahead log into the file, and check its organization."""
    with duckdb.connect(str(tables), config=CONFIG) as connection:
        connection.execute("checkpoint")
        try:
            found = connection.execute("select organization_id from organizations").fetchall()
        except duckdb.CatalogException as error:
            raise PublishRefused(
                f"{tables} has no organizations; build all models before publishing"
            ) from error
    if [row[0] for row in found] != [organization_id]:
        raise PublishRefused(
            f"{tables} has the organization {[row[0] for row in found]} instead of {organization_id}; "
            "build this organization again"
        )


def _move(tables: Path, target: Path) -> None:
    try:
        tables.rename(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        # The target is on another file system, so copy first: a rename there is atomic for readers.
        partial = target.with_name(f"{target.name}.writing")
        shutil.copyfile(tables, partial)
        _sync(partial)
        partial.rename(target)
        tables.unlink()


def _content(file: Path) -> tuple[dict[str, int], str]:
    """Number of rows by table, and the calculation version."""
    with duckdb.connect(str(file), read_only=True, config=CONFIG) as connection:
        names = connection.execute("select table_name from duckdb_tables() order by table_name").fetchall()
        rows = {name: _scalar(connection, f'select count(*) from "{name}"') for (name,) in names}
        return rows, str(_scalar(connection, "select calculation_version from organizations"))


def _scalar(connection: duckdb.DuckDBPyConnection, query: str) -> Any:
    return connection.execute(query).fetchall()[0][0]


def _remove_leftovers(folder: Path) -> None:
    """Remove partial files of a killed process."""
    for leftover in folder.glob("*.writing*"):
        if leftover.is_dir():
            shutil.rmtree(leftover)
        else:
            leftover.unlink()


def _switch_pointer(folder: Path, pointer: Pointer) -> None:
    _sync(folder)
    pointer = replace(pointer, published_at=datetime.now(UTC).isoformat().replace("+00:00", "Z"))
    partial = folder / f"{POINTER}.writing"
    partial.write_text(snapshot_files.pointer_text(pointer, folder.name))
    _sync(partial)
    partial.replace(folder / POINTER)
    _sync(folder)


def _remove_old(folder: Path, current: Path, keep: timedelta) -> None:
    oldest_kept = datetime.now(UTC).timestamp() - keep.total_seconds()
    for file in folder.glob("*.duckdb"):
        if file == current or file.stat().st_mtime > oldest_kept:
            continue
        with file.open("rb") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue  # a reader has the file open; a later publish removes it
            file.unlink()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
