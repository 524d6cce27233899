"""Files of the raw lake: their paths, their atomic replacement, and the locks around them.

Keep out: batches and states (`source`), the list of sources (`lake`).
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from pathlib import Path
from typing import Any, Self

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq

from ingest.errors import Transient
from ingest.lake.listing import Listing
from ingest.lake.merging import GROUP_ROWS
from ingest.locks import locked
from ingest.schemas import source_column

CHUNK = 1 << 20
_ASKERS = 16
"""Folders that a store lists at the same time: each answer waits for the network."""

Written = tuple[int, str]
"""Size in bytes and sha256 of a file."""


class LakeFiles:
    """Files below a local path or any fsspec URL (`s3://bucket/raw`).

    `here` is the folder of this machine for locks and copies of a lake that is elsewhere. All processes that use the
    lake have the same one.
    """

    def __init__(self, root: str | Path, here: Path | None = None) -> None:
        # No cache of listings: on object stores it would hide new files of other processes.
        self.fs, self.root = fsspec.core.url_to_fs(str(root), use_listings_cache=False)
        self.is_local = "file" in self.fs.protocol
        self._listing: Listing | None = None
        self.here = here or _default_folder(str(root))
        self._locks = Path(self.root) / "_state" / "locks" if self.is_local else self.here / "locks"

    def drafts(self) -> Self:
        """The same below `_drafts`, which builds do not read: for facts that will replace others all at once."""
        drafts = copy(self)
        drafts.root = f"{self.root}/_drafts"
        return drafts

    def partition(self, noun: str, table: str, organization_id: str, source_id: str) -> str:
        """The folder of one table of one source."""
        source = f"{source_column(noun)}={source_id}"
        return f"{self.root}/{noun}/{table}/organization_id={organization_id}/{source}"

    def state_path(self, noun: str, organization_id: str, source_id: str) -> str:
        """The file that lists the committed files of a source."""
        return f"{self.root}/_state/{noun}/{organization_id}/{source_id}.json"

    def write_parquet(self, path: str, schema: pa.Schema, parts: Iterable[pa.Table]) -> Written:
        """Write one row group or more for each part under a staging name, fsync, rename."""
        with (
            self._replacing(path) as sink,
            pq.ParquetWriter(sink, schema, compression="zstd") as writer,
        ):
            for part in parts:
                writer.write_table(part, row_group_size=GROUP_ROWS)
        return sink.written()

    def write_bytes(self, path: str, content: bytes) -> Written:
        """Write under a staging name, fsync, rename."""
        with self._replacing(path) as sink:
            sink.write(content)
        return sink.written()

    def copy_file(self, source: str, target: str) -> Written:
        """Copy a file of the lake: staging name, fsync, rename."""
        with self.fs.open(source, "rb") as content, self._replacing(target) as sink:
            shutil.copyfileobj(content, sink, CHUNK)
        return sink.written()

    def read_bytes(self, path: str) -> bytes:
        """The content of a small file. Raises OSError, also for what is no file: reading a named pipe never ends."""
        if self.is_local and self.fs.lexists(path) and not self.fs.isfile(path):
            raise OSError(errno.EINVAL, "it is no file", path)
        known = None if self._listing is None else self._listing.content(path)
        return bytes(self.fs.cat_file(path)) if known is None else known

    def listed(self, folders: Sequence[str], read_in: Sequence[str], ending: str) -> Self:
        """The same lake with a listing of all these folders, and with the contents of files in those of `read_in` with
        such an ending.

        Others may change files meanwhile, unless a lock keeps them from it. A local lake is returned as it is.
        """
        if self.is_local or self._listing is not None:
            return self
        found = copy(self)
        with ThreadPoolExecutor(_ASKERS) as askers:
            listed = askers.map(lambda one: self.fs.find(one, detail=True), (*read_in, *folders))
            sizes = {path: int(entry["size"]) for one in listed for path, entry in one.items()}
        wanted = {path for path in sizes if path.endswith(ending) and _folder_of(path) in read_in}
        # A file that has gone since is none; another error is raised below.
        contents = self.fs.cat(sorted(wanted), on_error="return") if wanted else {}
        for content in contents.values():
            if isinstance(content, Exception) and not isinstance(content, FileNotFoundError):
                raise content
        read = {path: content for path, content in contents.items() if isinstance(content, bytes)}
        found._listing = Listing(
            {path: size for path, size in sizes.items() if path in read or path not in wanted}, read
        )
        return found

    def refuse_unreachable(self, error: Exception) -> None:
        """Raise Transient where a store could not be read, which says nothing about its files."""
        if not self.is_local and isinstance(error, OSError) and not isinstance(error, FileNotFoundError):
            raise Transient(
                f"The object store of the raw lake could not be read ({error}). Check its address and credentials, and "
                "run again."
            ) from error

    def exists(self, path: str) -> bool:
        """Whether a file or folder is at a path."""
        return self._listing.exists(path) if self._listing is not None else bool(self.fs.exists(path))

    def size(self, path: str) -> int:
        """Bytes of a file. Raises OSError."""
        return self._listing.size(path) if self._listing is not None else int(self.fs.size(path))

    def names(self, folder: str) -> list[str]:
        """Names of the files and folders in a folder; none where it is missing."""
        if self._listing is not None:
            return self._listing.names(folder)
        return (
            [Path(str(path)).name for path in self.fs.ls(folder, detail=False)]
            if self.fs.exists(folder)
            else []
        )

    def remove(self, path: str) -> None:
        """Delete a file, a folder with its content, or a link, if it exists."""
        if self.is_local and Path(path).is_symlink():
            Path(path).unlink()
        elif self.exists(path):
            self._forget(path)
            self.fs.rm(path, recursive=True)

    def checksum(self, path: str) -> Written:
        """Size and checksum of a stored file. Raises OSError."""
        digest, size = hashlib.sha256(), 0
        with self.fs.open(path, "rb") as content:
            while chunk := content.read(CHUNK):
                digest.update(chunk)
                size += len(chunk)
        return size, digest.hexdigest()

    def make_rename_durable(self, path: str) -> None:
        """Fsync the folder of a renamed file where the lake is on this machine."""
        if self.is_local:
            _fsync_folder(_folder_of(path))

    def _forget(self, path: str) -> None:
        if self._listing is not None:
            self._listing.forget(path)

    @contextlib.contextmanager
    def _replacing(self, path: str) -> Iterator[_HashingSink]:
        self._forget(path)
        # There it would make a bucket of a mistyped name; other stores need the folder.
        if "s3" not in self.fs.protocol:
            self.fs.makedirs(_folder_of(path), exist_ok=True)
        with self.fs.open(f"{path}.partial", "wb") as sink:
            yield _HashingSink(sink)
            _fsync(sink)
        if self.is_local and Path(path).is_dir():
            self.remove(path)  # the file would be moved into it
        self.fs.mv(f"{path}.partial", path)

    @contextlib.contextmanager
    def lock(self, name: str, *, exclusive: bool, wait: bool = True) -> Iterator[None]:
        """An advisory lock. Raises BlockingIOError when `wait` is False and another process holds it."""
        with locked(self._locks / f"{name}.lock", exclusive=exclusive, wait=wait):
            yield


class _HashingSink:
    """A file that is written, with the size and checksum of what passed."""

    def __init__(self, sink: Any) -> None:
        self._sink = sink
        self._digest = hashlib.sha256()
        self._bytes = 0

    def write(self, content: Any) -> int:
        self._digest.update(content)
        self._bytes += len(content)
        return int(self._sink.write(content))

    def written(self) -> Written:
        """Size and checksum of everything written."""
        return self._bytes, self._digest.hexdigest()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sink, name)


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0]


def _default_folder(url: str) -> Path:
    return Path(tempfile.gettempdir()) / f"eas-lake-{hashlib.sha256(url.encode()).hexdigest()[:16]}"


def _fsync_folder(path: str) -> None:
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _fsync(sink: Any) -> None:
    sink.flush()
    with contextlib.suppress(AttributeError, OSError):
        os.fsync(sink.fileno())
