"""Publishing: the published tables of a build become one new read-only file, then a pointer is flipped to it.

Add: how the file is checked, switched to and cleaned up. Keep out: what is in it (dbt_project/models/marts/published).
A reader resolves `current.json` and holds a shared `flock` on the file it reads; nothing here waits for readers.
"""

import errno
import fcntl
import json
import os
import secrets
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb

from ingest.locks import locked

POINTER = "current.json"
LOCK = ".publishing"
# Page tokens name their build and are promised to work this long after it was replaced.
KEEP_REPLACED = timedelta(minutes=30)
CONFIG: dict[str, str | bool | int | float | list[str]] = {"threads": 2, "memory_limit": "1GB"}


class PublishRefused(Exception):
    """The tables are not fit to be published; the last good build stays current."""


@dataclass(frozen=True, slots=True)
class Published:
    """A build that readers now get: its id, its file, and the rows of each table."""

    build_id: str
    file: Path
    rows: dict[str, int]


def new_build_id() -> str:
    """An id that sorts by the time (UTC) at which it was made and never repeats."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}-{secrets.token_hex(4)}"


def publish(
    tables: Path,
    published_root: Path,
    organization_id: str,
    build_id: str,
    *,
    keep_replaced: timedelta = KEEP_REPLACED,
) -> Published:
    """Move the file of published tables below `published_root` and make it current.

    Repeating it for a build that was moved already goes on where it stopped. Nobody may have the file open. Raises
    PublishRefused when the file is missing or belongs to another organization; OSError or duckdb.Error when it cannot
    be read or moved. After any error the build that was current before still is.
    """
    folder = published_root / organization_id
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{build_id}.duckdb"
    with locked(folder / LOCK):
        _sweep(folder)
        if not target.exists():
            if not tables.is_file():
                raise PublishRefused(f"{tables} does not exist; build the warehouse first")
            _check(tables, organization_id)
            _move(tables, target)
        target.chmod(0o444)
        _sync(target)
        rows, version = _content(target)
        replaced = _current_file(folder)
        if replaced != target:
            _flip(folder, build_id, target.name, version)
            if replaced is not None:
                # The age of a replaced file is counted from here.
                os.utime(replaced)
        _remove_old(folder, target, keep_replaced)
    return Published(build_id, target, rows)


def current_file(published_root: Path, organization_id: str) -> Path | None:
    """The file that readers get; None before the first publish."""
    return _current_file(published_root / organization_id)


def remove_replaced(published_root: Path, organization_id: str) -> None:
    """Remove every build but the current one, read or not: what was removed must not be in any file.

    Who reads one at the moment reads it to the end. Page tokens of these builds end.
    """
    folder = published_root / organization_id
    if not folder.exists():
        return
    with locked(folder / LOCK):
        current = _current_file(folder)
        for file in folder.glob("*.duckdb"):
            if file != current:
                file.unlink(missing_ok=True)


def _check(tables: Path, organization_id: str) -> None:
    """Put everything that was written into the file itself, and look at whose it is."""
    with duckdb.connect(str(tables), config=CONFIG) as connection:
        connection.execute("checkpoint")
        try:
            found = connection.execute("select organization_id from organizations").fetchall()
        except duckdb.CatalogException as error:
            raise PublishRefused(
                f"{tables} has no organizations; build all models before publishing"
            ) from error
    if [row[0] for row in found] != [organization_id]:
        raise PublishRefused(f"{tables} was built for {[row[0] for row in found]}, not for {organization_id}")


def _move(tables: Path, target: Path) -> None:
    try:
        tables.rename(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        # Published files are on another file system: a copy first, so that no reader meets half of it.
        partial = target.with_name(f"{target.name}.writing")
        shutil.copyfile(tables, partial)
        _sync(partial)
        partial.rename(target)
        tables.unlink()


def _content(file: Path) -> tuple[dict[str, int], str]:
    """Rows by table, and the calculation version."""
    with duckdb.connect(str(file), read_only=True, config=CONFIG) as connection:
        names = connection.execute("select table_name from duckdb_tables() order by table_name").fetchall()
        rows = {name: _only(connection, f'select count(*) from "{name}"') for (name,) in names}
        return rows, str(_only(connection, "select calculation_version from organizations"))


def _only(connection: duckdb.DuckDBPyConnection, query: str) -> Any:
    return connection.execute(query).fetchall()[0][0]


def _sweep(folder: Path) -> None:
    """Remove what a killed publisher left."""
    for leftover in folder.glob("*.writing*"):
        if leftover.is_dir():
            shutil.rmtree(leftover)
        else:
            leftover.unlink()


def _flip(folder: Path, build_id: str, file: str, version: str) -> None:
    _sync(folder)
    pointer = {
        "build_id": build_id,
        "file": file,
        "published_at": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
        "calculation_version": version,
    }
    partial = folder / f"{POINTER}.writing"
    partial.write_text(json.dumps(pointer) + "\n")
    _sync(partial)
    partial.replace(folder / POINTER)
    _sync(folder)


def _current_file(folder: Path) -> Path | None:
    try:
        file = folder / json.loads((folder / POINTER).read_text())["file"]
    except (FileNotFoundError, ValueError, KeyError):
        return None
    return file if file.is_file() else None


def _remove_old(folder: Path, current: Path, keep: timedelta) -> None:
    oldest_kept = datetime.now(UTC).timestamp() - keep.total_seconds()
    for file in folder.glob("*.duckdb"):
        if file == current or file.stat().st_mtime > oldest_kept:
            continue
        with file.open("rb") as held:
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue  # a reader of this machine has it open; a later publish removes it
            file.unlink()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
