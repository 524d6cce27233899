"""A reader of loose objects: libgit2 1.9 never returns from inflating a truncated file.

A crash or a full disk leaves truncated files behind. libgit2 reads packs itself and reports their damage. Keep out:
the meaning of an object (`contents`).
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from pathlib import Path

import pygit2

_KINDS = {
    b"commit": pygit2.enums.ObjectType.COMMIT,
    b"tree": pygit2.enums.ObjectType.TREE,
    b"blob": pygit2.enums.ObjectType.BLOB,
    b"tag": pygit2.enums.ObjectType.TAG,
}
_HEAD_BYTES = 256
"""Bytes read from the start of a file; more than enough for kind and size."""
_PACK_FIRST, _LOOSE_SECOND = 2, 1
_MAX_ALTERNATE_DEPTH = 5
"""Git has the same limit."""


def open_git_dir(path: str | Path, *, is_complete: bool = False) -> pygit2.Repository:
    """The repository in a git directory. Raises pygit2.GitError, as do its damaged objects.

    `is_complete` is for a reader of objects that are already there, after the refs were read: without loose objects
    it looks into the packs alone. Otherwise libgit2 asks the disk for a loose file at every read of a packed object.
    """
    repository = pygit2.Repository(str(path))
    folders = list(_object_folders(Path(repository.path) / "objects"))
    has_loose = any(_has_loose_objects(folder) for folder in folders)
    if has_loose or is_complete:
        odb = pygit2.Odb()
        for folder in folders:
            odb.add_backend(pygit2.OdbBackendPack(str(folder)), _PACK_FIRST)
            if has_loose:
                odb.add_backend(_LooseObjects(folder), _LOOSE_SECOND)
        repository.set_odb(odb)
    return repository


def _object_folders(objects: Path, depth: int = 0) -> Iterator[Path]:
    """The object folder and its alternates."""
    yield objects
    try:
        lines = (objects / "info" / "alternates").read_text(errors="surrogateescape").splitlines()
    except OSError:
        return
    for line in lines:
        if line and not line.startswith("#") and depth < _MAX_ALTERNATE_DEPTH:
            folder = objects / line
            if folder.is_dir():
                yield from _object_folders(folder, depth + 1)


def _has_loose_objects(objects: Path) -> bool:
    return any(next(folder.iterdir(), None) for folder in objects.glob("[0-9a-f][0-9a-f]") if folder.is_dir())


class _LooseObjects(pygit2.OdbBackend):
    """The loose objects of one folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = str(folder)

    def _open(self, oid: pygit2.Oid, length: int = -1) -> bytes:
        sha = str(oid)
        try:
            with (
                open(  # called per object
                    f"{self._folder}/{sha[:2]}/{sha[2:]}", "rb", opener=_without_waiting
                ) as file
            ):
                return file.read(length)
        except (FileNotFoundError, NotADirectoryError):
            raise KeyError(sha) from None
        except OSError as error:
            raise pygit2.GitError(f"its file cannot be read: {error.strerror}") from error

    def read_cb(self, oid: pygit2.Oid) -> tuple[int, bytes]:
        inflater = zlib.decompressobj()
        try:
            head, _, body = inflater.decompress(self._open(oid), _HEAD_BYTES).partition(b"\0")
            kind, size = _head(head)
            # Inflate no more than the declared size: a few bytes can be made to inflate to gigabytes.
            body += inflater.decompress(inflater.unconsumed_tail, size + 1)
        except zlib.error as error:
            raise pygit2.GitError(f"its file is damaged: {error}") from error
        if not inflater.eof or len(body) != size:
            raise pygit2.GitError("its file is cut off")
        return kind, body

    def read_header_cb(self, oid: pygit2.Oid) -> tuple[int, int]:
        try:
            head = zlib.decompressobj().decompress(self._open(oid, _HEAD_BYTES), _HEAD_BYTES)
        except zlib.error as error:
            raise pygit2.GitError(f"its file is damaged: {error}") from error
        return _head(head.partition(b"\0")[0])

    def exists_cb(self, oid: pygit2.Oid) -> bool:
        sha = str(oid)
        return Path(self._folder, sha[:2], sha[2:]).is_file()

    def read_prefix_cb(self, sha: str) -> tuple[int, bytes, pygit2.Oid]:
        """libgit2's wrapper looks whole ids up this way. The project never uses abbreviated ids."""
        oid = pygit2.Oid(hex=sha)
        return *self.read_cb(oid), oid

    def exists_prefix_cb(self, sha: str) -> pygit2.Oid:
        oid = pygit2.Oid(hex=sha)
        if not self.exists_cb(oid):
            raise KeyError(sha)
        return oid

    def refresh_cb(self) -> None:
        """Nothing to refresh: every look-up searches the files."""


def _without_waiting(path: str, flags: int) -> int:
    """Open a file; for a named pipe in its place this does not wait for a writer."""
    return os.open(path, flags | os.O_NONBLOCK)


def _head(head: bytes) -> tuple[int, int]:
    """Kind and size of an object."""
    name, _, size = head.partition(b" ")
    if name not in _KINDS or not size.isdigit():
        raise pygit2.GitError("its file is damaged: the header has no type and size")
    return _KINDS[name], int(size)
