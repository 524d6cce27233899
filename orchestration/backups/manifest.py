"""The manifest of a backup: what it holds, with size and checksum of each file.

It is written last, so a folder without one is no backup. Keep out: copying (`backup`, `restoration`).
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from orchestration.runtime import sealed
from orchestration.runtime.explanations import Explained

FILE = "manifest.json"
FORMAT = 1
SQLITE, POSTGRESQL = "control.db", "control.dump"
KEY = "secret.key"
FOLDERS = ("raw", "published", "run_state", "telemetry")
_OWNER = "backup"
_CHUNK = 1 << 20


class BackupRefused(Explained):
    """The backup or the restore cannot be made. Nothing was changed."""


class FileEntry(BaseModel):
    """Size in bytes and sha256 of a file."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    bytes: int
    sha256: str


class Manifest(BaseModel):
    """The content of `manifest.json`.

    `created_at` is RFC 3339 in UTC. `revision` is that of the control database's schema. `key` says where the key of
    tokens is: in the backup, left out, in `EAS_SECRET_KEY`, or nowhere because no token needs one. `files` has the path
    of each file below the folder of the backup.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    format: int = FORMAT
    release: str
    created_at: str
    revision: str
    key: Literal["here", "left out", "variable", "none"]
    organizations: list[str]
    files: dict[str, FileEntry]

    @property
    def control(self) -> str:
        """The name of the file with the control database."""
        return POSTGRESQL if POSTGRESQL in self.files else SQLITE

    @property
    def bytes(self) -> int:
        """Size of all files."""
        return sum(entry.bytes for entry in self.files.values())


def write(folder: Path, manifest: Manifest) -> None:
    """Write the manifest of a folder that has all its files."""
    file = folder / FILE
    with file.open("x") as handle:
        os.fchmod(handle.fileno(), 0o600)
        handle.write(sealed.seal(manifest.model_dump(), _OWNER))
        handle.flush()
        os.fsync(handle.fileno())


def read(folder: Path) -> Manifest:
    """The manifest of a backup. Raises BackupRefused, which says why the folder is no complete backup."""
    file = folder / FILE
    if not file.is_file():
        raise BackupRefused(
            f"{folder} has no {FILE}, so it is no complete backup: name the folder that `eas backup` made. If a backup"
            " was stopped before its end, take another one"
        )
    try:
        text = file.read_bytes()
        found = json.loads(text)
        if not isinstance(found, dict) or sealed.CHECKSUM not in found:
            raise ValueError("it has no checksum")
        version = found.get("format")
        content = sealed.unseal(text, _OWNER)
    except ValueError as error:
        raise BackupRefused(f"{file} is damaged ({error}): use another backup") from error
    if version != FORMAT:
        raise BackupRefused(
            f"{folder} has the format {version}, and this release reads {FORMAT}: restore it with the release"
            f" {content.get('release')}"
        )
    try:
        manifest = Manifest.model_validate(content)
    except ValidationError as error:
        raise BackupRefused(
            f"{file} is damaged ({error.error_count()} wrong fields): use another backup"
        ) from error
    for path in manifest.files:
        if not _is_expected(path):
            raise BackupRefused(f"{file} names {path!r}, which no backup has: use another backup")
    if sum(name in manifest.files for name in (SQLITE, POSTGRESQL)) != 1:
        raise BackupRefused(f"{file} names no control database, or two: use another backup")
    return manifest


def copy(source: BinaryIO, target: Path) -> FileEntry:
    """Write a file that only its owner can read, with folders. The caller makes it durable."""
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    digest, size = hashlib.sha256(), 0
    with open(target, "xb", opener=_for_owner) as sink:
        while chunk := source.read(_CHUNK):
            digest.update(chunk)
            size += sink.write(chunk)
    return FileEntry(bytes=size, sha256=digest.hexdigest())


def entry_of(file: Path) -> FileEntry:
    """Size and checksum of a file."""
    with file.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    return FileEntry(bytes=file.stat().st_size, sha256=digest)


def _for_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _is_expected(path: str) -> bool:
    parts = PurePosixPath(path).parts
    if path != "/".join(parts) or ".." in parts or "\0" in path or "\\" in path:
        return False
    return path in {SQLITE, POSTGRESQL, KEY} or (len(parts) > 1 and parts[0] in FOLDERS)
