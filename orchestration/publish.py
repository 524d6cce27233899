"""Publishing: a built warehouse becomes one new read-only file, then a pointer is flipped to it.

Add: how the file is written, checked, switched to and cleaned up. Keep out: what is in it (published_schema.py).
A reader resolves `current.json` and holds a shared `flock` on the file it reads; nothing here waits for readers.
"""

import fcntl
import json
import os
import secrets
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

import duckdb

from orchestration.published_copies import Copy
from orchestration.published_relation import FAMILIES, LIST, Relation
from orchestration.published_schema import RELATIONS

Result = TypeVar("Result")

POINTER = "current.json"
# Measured on a million rows: half the time of the default 122,880 for a page of a list, a third more file.
ROW_GROUP_SIZE = 16_384
# Page tokens name their build and are promised to work this long after it was replaced.
KEEP_REPLACED = timedelta(minutes=30)
# The lowest priority: a publish should take what the readers leave.
NICENESS = 19
MEMORY_LIMIT = "1GB"


class PublishRefused(Exception):
    """The warehouse is not fit to be published; the last good build stays current."""


@dataclass(frozen=True, slots=True)
class Published:
    """A build that readers now get: its id, its file, and the rows of each published relation."""

    build_id: str
    file: Path
    rows: dict[str, int]


def publish(
    warehouse: Path,
    published_root: Path,
    organization_id: str,
    *,
    keep_replaced: timedelta = KEEP_REPLACED,
) -> Published:
    """Copy the published relations of `warehouse` to a new file under `published_root` and make it current.

    Nobody may have the warehouse open for writing. Raises PublishRefused when a relation is missing, has other
    columns, has no rows where it must, or repeats a key; OSError or duckdb.Error when it cannot be written.
    After any error the build that was current before still is.
    """
    if not warehouse.is_file():
        raise PublishRefused(f"{warehouse} does not exist; build the warehouse first")
    folder = published_root / organization_id
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder):
        _sweep(folder, "*.writing*")
        now = datetime.now(UTC)
        build_id = f"{now:%Y%m%dT%H%M%S%fZ}-{secrets.token_hex(4)}"
        target = folder / f"{build_id}.duckdb"
        partial = folder / f"{build_id}.writing"
        try:
            rows, version = _at_low_priority(
                lambda connection: _write(connection, warehouse, partial, organization_id)
            )
            partial.chmod(0o444)
            _sync(partial)
            partial.rename(target)
        finally:
            _sweep(folder, f"{build_id}.writing*")
        replaced = _current_file(folder)
        _flip(folder, build_id, target.name, now, version)
        if replaced is not None:
            # The age of a replaced file is counted from here.
            os.utime(replaced)
        _remove_old(folder, target, keep_replaced)
    return Published(build_id, target, rows)


def remove_replaced(published_root: Path, organization_id: str) -> None:
    """Remove every build but the current one, read or not: what was removed must not be in any file.

    Who reads one at the moment reads it to the end. Page tokens of these builds end.
    """
    folder = published_root / organization_id
    if not folder.exists():
        return
    with _alone(folder):
        current = _current_file(folder)
        for file in folder.glob("*.duckdb"):
            if file != current:
                file.unlink(missing_ok=True)


def _write(
    connection: duckdb.DuckDBPyConnection, warehouse: Path, partial: Path, organization_id: str
) -> tuple[dict[str, int], str]:
    connection.execute(f"set temp_directory = {_literal(f'{partial}.spill')}")
    connection.execute("set TimeZone = 'UTC'")
    connection.execute(f"attach {_literal(warehouse)} as built (read_only)")
    # Only this release reads the file, and the newest storage takes half the time of the oldest to write.
    options = f"row_group_size {ROW_GROUP_SIZE}, storage_version 'latest'"
    connection.execute(f"attach {_literal(partial)} as published ({options})")
    rows = {}
    for relation in RELATIONS:
        _check_columns(connection, relation)
        rows[relation.name] = _count(connection, f"built.{relation.name}")
        for copy in relation.copies:
            connection.execute(copy.sql(relation.name))
            _check_copy(connection, relation, copy, rows[relation.name])
    version = _check_keys(connection, organization_id)
    connection.execute("checkpoint published")
    connection.execute("detach published")
    return rows, version


def _check_columns(connection: duckdb.DuckDBPyConnection, relation: Relation) -> None:
    found = dict(
        connection.execute(
            "select column_name, data_type from duckdb_columns() where database_name = 'built' and table_name = ?",
            [relation.name],
        ).fetchall()
    )
    if not found:
        raise PublishRefused(f"the warehouse has no {relation.name}; build all models before publishing")
    for column, family in relation.columns.items():
        if column not in found:
            raise PublishRefused(f"{relation.name} has no column {column}; the model's contract names it")
        kind = found[column]
        fits = kind.endswith("[]") if family == LIST else kind.split("(")[0] in FAMILIES[family]
        if not fits:
            raise PublishRefused(
                f"{relation.name}.{column} is {kind}, expected {family}; cast it in the model"
            )


def _check_copy(connection: duckdb.DuckDBPyConnection, relation: Relation, copy: Copy, expected: int) -> None:
    if relation.not_empty and expected == 0:
        raise PublishRefused(f"{relation.name} is empty")
    if copy.group:
        return
    written = _count(connection, f"published.{copy.name}")
    if written != expected:
        raise PublishRefused(f"{copy.name} has {written} rows, {relation.name} has {expected}")


def _check_keys(connection: duckdb.DuckDBPyConnection, organization_id: str) -> str:
    for relation in RELATIONS:
        if not relation.key:
            continue
        # Hashes instead of keys: 8 bytes a row instead of 100, and one collision in 10^6 builds of 5·10^6 rows.
        total, distinct = connection.execute(
            f"select count(*), count(distinct hash({', '.join(relation.key)})) from published.{relation.copies[0].name}"
        ).fetchall()[0]
        if total != distinct:
            raise PublishRefused(
                f"{relation.name} repeats its key ({', '.join(relation.key)}) in {total - distinct} rows"
            )
    found = connection.execute(
        "select organization_id, calculation_version from published.organizations"
    ).fetchall()
    if [row[0] for row in found] != [organization_id]:
        raise PublishRefused(
            f"the warehouse was built for {[row[0] for row in found]}, not for {organization_id}"
        )
    return str(found[0][1])


def _sweep(folder: Path, pattern: str) -> None:
    for leftover in folder.glob(pattern):
        if leftover.is_dir():
            shutil.rmtree(leftover)
        else:
            leftover.unlink()


def _count(connection: duckdb.DuckDBPyConnection, table: str) -> int:
    return int(connection.execute(f"select count(*) from {table}").fetchall()[0][0])


def _flip(folder: Path, build_id: str, file: str, now: datetime, version: str) -> None:
    _sync(folder)
    pointer = {
        "build_id": build_id,
        "file": file,
        "published_at": now.isoformat().replace("+00:00", "Z"),
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


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    with (folder / ".publishing").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _at_low_priority(work: Callable[[duckdb.DuckDBPyConnection], Result]) -> Result:
    """Run `work` on a database of its own in a thread of the lowest priority, which the database's threads inherit.

    The priority of a thread cannot be raised again without privileges, hence a thread of its own.
    """

    opened: list[duckdb.DuckDBPyConnection] = []

    def run() -> Result:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
        with duckdb.connect(config={"threads": 2, "memory_limit": MEMORY_LIMIT}) as connection:
            opened.append(connection)
            return work(connection)

    with ThreadPoolExecutor(1, thread_name_prefix="publish") as executor:
        running = executor.submit(run)
        try:
            return running.result()
        except KeyboardInterrupt:
            for connection in opened:
                connection.interrupt()
            raise


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _literal(path: Path | str) -> str:
    return "'" + str(path).replace("'", "''") + "'"
