"""The raw lake: the only writer of raw Parquet.

Layout: `<root>/<noun>/<table>/organization_id=<o>/repository_id=<s>/<batch>.parquet`; what is committed is
listed in `<root>/_state/<noun>/<o>/<s>.json`, whose replacement is the commit point of a batch.
Keep out: what the rows mean (`ingest.schemas`), where they come from (connectors).

A run killed anywhere leaves files that no state lists; they are removed before the next extraction of the
source and before the next build. Builds hold `Lake.reading`, commits wait for it, so no build sees a part of
a batch. Locks are advisory file locks of one machine.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq

from ingest.lake_source import EMPTY, Source
from ingest.schemas import TABLES


class Lake:
    """A lake at a local path or any fsspec URL (`s3://bucket/raw`)."""

    def __init__(self, root: str | Path, lock_dir: Path | None = None) -> None:
        # What another process wrote meanwhile must be seen: object stores would remember their listings.
        self.fs, self.root = fsspec.core.url_to_fs(str(root), use_listings_cache=False)
        self.is_local = "file" in self.fs.protocol
        default = Path(self.root) / "_state" / "locks" if self.is_local else _remote_locks(str(root))
        self._locks = lock_dir or default

    def prepare(self, organization_id: str) -> None:
        """Write one empty, typed file per table, so that a noun without a source is an empty relation."""
        for noun, table in TABLES:
            path = f"{self.partition(noun, table, organization_id, '_')}/{EMPTY}"
            schema = TABLES[noun, table]
            if not self.fs.exists(path) or not self._read_schema(path).equals(schema):
                self.write_parquet(path, schema.empty_table())

    def source(self, noun: str, organization_id: str, source_id: str) -> Source:
        return Source(self, noun, organization_id, source_id)

    def sources(self, noun: str, organization_id: str) -> list[str]:
        """Ids of the sources that have committed at least one batch."""
        folder = f"{self.root}/_state/{noun}/{organization_id}"
        if not self.fs.exists(folder):
            return []
        names = [Path(str(p)).name for p in self.fs.ls(folder, detail=False)]
        return sorted(n.removesuffix(".json") for n in names if n.endswith(".json"))

    @contextlib.contextmanager
    def reading(self, organization_id: str) -> Iterator[None]:
        """Hold while a build reads: uncommitted leavings go first, no batch becomes visible meanwhile.

        One build of an organization at a time. Raises LakeCorrupt.
        """
        # Not two locks, one for the cleaning and one for the reading: a run could die in between.
        with self.lock(f"org-{organization_id}", exclusive=True):
            for noun in sorted({noun for noun, _ in TABLES}):
                for source_id in self._stored_sources(noun, organization_id):
                    self.source(noun, organization_id, source_id).remove_uncommitted()
            yield

    def drafts(self) -> Lake:
        """A lake inside this one that builds do not see, for facts that are to replace others at once."""
        drafts = copy(self)
        drafts.root = f"{self.root}/_drafts"
        return drafts

    def partition(self, noun: str, table: str, organization_id: str, source_id: str) -> str:
        return f"{self.root}/{noun}/{table}/organization_id={organization_id}/repository_id={source_id}"

    def write_parquet(self, path: str, table: pa.Table) -> None:
        """Write under a staging name, fsync, rename."""
        with self._replacing(path) as sink:
            pq.write_table(table, sink, compression="zstd", row_group_size=131_072)

    def write_bytes(self, path: str, content: bytes) -> None:
        """Write under a staging name, fsync, rename."""
        with self._replacing(path) as sink:
            sink.write(content)

    def copy_file(self, source: str, target: str) -> None:
        """Copy a file of the lake: staging name, fsync, rename."""
        with self.fs.open(source, "rb") as content, self._replacing(target) as sink:
            shutil.copyfileobj(content, sink, 1 << 20)

    def make_rename_durable(self, path: str) -> None:
        """See that a file stays under its new name, where the lake is on this machine."""
        if self.is_local:
            _fsync_folder(_folder_of(path))

    @contextlib.contextmanager
    def _replacing(self, path: str) -> Iterator[Any]:
        self.fs.makedirs(_folder_of(path), exist_ok=True)
        with self.fs.open(f"{path}.partial", "wb") as sink:
            yield sink
            _fsync(sink)
        self.fs.mv(f"{path}.partial", path)

    @contextlib.contextmanager
    def lock(self, name: str, *, exclusive: bool, wait: bool = True) -> Iterator[None]:
        """An advisory lock. Raises BlockingIOError when `wait` is False and another process holds it."""
        self._locks.mkdir(parents=True, exist_ok=True)
        mode = (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | (0 if wait else fcntl.LOCK_NB)
        with (self._locks / f"{name}.lock").open("a") as handle:
            fcntl.flock(handle, mode)
            yield

    def state_path(self, noun: str, organization_id: str, source_id: str) -> str:
        """The file that lists what is committed of a source."""
        return f"{self.root}/_state/{noun}/{organization_id}/{source_id}.json"

    def _stored_sources(self, noun: str, organization_id: str) -> list[str]:
        """Sources with files, committed or not."""
        found = set(self.sources(noun, organization_id))
        for name in [table for n, table in TABLES if n == noun]:
            folder = f"{self.root}/{noun}/{name}/organization_id={organization_id}"
            if self.fs.exists(folder):
                entries = self.fs.ls(folder, detail=False)
                found |= {Path(str(p)).name.removeprefix("repository_id=") for p in entries}
        return sorted(found)

    def _read_schema(self, path: str) -> pa.Schema:
        with self.fs.open(path, "rb") as handle:
            return pq.read_schema(handle)


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0]


def _remote_locks(root: str) -> Path:
    return Path(tempfile.gettempdir()) / f"eas-locks-{hashlib.sha256(root.encode()).hexdigest()[:16]}"


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
