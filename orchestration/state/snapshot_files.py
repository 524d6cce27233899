"""The pointer to the published snapshot, and the comparison of the snapshot with it.

Keep out: publishing (publishing/snapshot.py), queries.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import duckdb

from orchestration.runtime import sealed

POINTER = "current.json"


@dataclass(frozen=True, slots=True)
class Pointer:
    """The content of `current.json`. Pointers of earlier releases name neither size nor checksum of the file."""

    build_id: str
    file: str
    published_at: str = ""
    calculation_version: str = ""
    bytes: int | None = None
    sha256: str | None = None


def read_pointer(folder: Path) -> Pointer:
    """The pointer of an organization's folder. Raises FileNotFoundError, or ValueError for a damaged one."""
    try:
        content = sealed.read(folder / POINTER, folder.name)
        pointer = Pointer(**content)
    except TypeError as error:
        raise ValueError(str(error)) from error
    if Path(pointer.file).name != pointer.file:
        raise ValueError(f"{pointer.file!r} is no file of the folder")
    return pointer


def pointer_text(pointer: Pointer, organization_id: str) -> str:
    """The text of `current.json`."""
    return sealed.seal(asdict(pointer), organization_id)


def current_file(folder: Path) -> Path | None:
    """The current file; None without a readable pointer or without its file."""
    try:
        file = folder / read_pointer(folder).file
    except (OSError, ValueError):
        return None
    return file if file.is_file() else None


def checksum(file: Path) -> str:
    """The sha256 of a file."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def written(file: Path) -> list[int | str] | None:
    """Size and checksum of a complete database, for the record of its build; None without a file."""
    if not file.is_file():
        return None
    # The write-ahead log of the last connection becomes part of the file.
    duckdb.connect(str(file)).close()
    return [file.stat().st_size, checksum(file)]


def difference(file: Path, expected: Sequence[int | str] | None, *, thorough: bool = True) -> str | None:
    """The difference of a file from size and checksum of `written`, or None. `thorough` reads the whole file.

    Without `expected` the file need only exist. Earlier releases recorded a time instead of a checksum.
    """
    if not file.is_file():
        return "is missing"
    if expected is None:
        return None
    size, digest = expected
    if (found := file.stat().st_size) != size:
        return f"has {found:,} bytes instead of {size:,}"
    if thorough and isinstance(digest, str) and checksum(file) != digest:
        return "has another content than was written"
    return None


def problem(file: Path, pointer: Pointer, *, thorough: bool) -> str | None:
    """The damage of the snapshot that a pointer names, or None. `thorough` reads the whole file."""
    if pointer.bytes is None or pointer.sha256 is None:
        return difference(file, None) or _unreadable(file)
    return difference(file, [pointer.bytes, pointer.sha256], thorough=thorough)


def _unreadable(file: Path) -> str | None:
    try:
        duckdb.connect(str(file), read_only=True).close()
    except duckdb.Error as error:
        return f"cannot be opened ({error})"
    return None
