"""One source of the raw lake and its batches, each of which becomes visible as a whole.

Keep out: files and locks of the lake (`files`), the meaning of rows (`ingest.schemas`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.erasure import rows as erased_rows
from ingest.errors import LakeCorrupt, SourceBusy
from ingest.lake import erased, manifest
from ingest.lake.files import LakeFiles, Written
from ingest.lake.manifest import Damage
from ingest.lake.merging import conformed, parts_of, row_groups
from ingest.lake.state import SIDE_FOLDER, SourceState, from_bytes, to_bytes
from ingest.schemas import TABLES

MAX_FILES = 24
"""Files of one table and source; more are merged. A build opens every file, about a millisecond each."""
_WRITERS = 4
"""Files written at the same time. Arrow compresses without Python's lock, and each file waits for the disk."""
EMPTY = "empty.parquet"
"""The file that gives a table its column types even without rows."""


class Source:
    """One source in a lake, for example a repository. `noun` is its kind, for example `git`."""

    def __init__(self, lake: LakeFiles, noun: str, organization_id: str, source_id: str) -> None:
        self.lake = lake
        self.noun = noun
        self.organization_id = organization_id
        self.source_id = source_id
        self._path = lake.state_path(noun, organization_id, source_id)
        self._side_folder = self._path.removesuffix(".json")
        self._mark = f"{self._side_folder}.damaged"
        self._owner = f"{noun}/{organization_id}/{source_id}"

    def state(self) -> SourceState:
        """The committed state; the empty state before the first batch. Raises LakeCorrupt."""
        try:
            return from_bytes(self.lake.read_bytes(self._path), self._owner)
        except (FileNotFoundError, NotADirectoryError):
            return SourceState()
        except (OSError, ValueError, TypeError) as error:
            raise self._corrupt(self._path, error) from error

    def damage(self, *, thorough: bool = True) -> list[Damage]:
        """Committed files that are missing or changed, and an earlier finding; without `thorough` only by size.

        A build compares the contents of an object store when it copies them. Raises Transient where that is not read.
        """
        thorough = thorough and self.lake.is_local
        try:
            state = self.state()
        except LakeCorrupt as error:
            return [Damage(self._path, f"cannot be read ({error.__cause__})")]
        found = list(manifest.damages(self.lake, state, self.location, thorough=thorough))
        if not found and self.lake.exists(self._mark):
            found = [Damage(self._path, self.lake.read_bytes(self._mark).decode(errors="replace"))]
        return found

    def records(self) -> list[str]:
        """Paths of the state and, where there is one, of the mark of damage."""
        return [path for path in (self._path, self._mark) if self.lake.exists(path)]

    def mark_damaged(self, reason: str) -> None:
        """Have the next run extract everything from the start, and no build read it until then."""
        self.lake.write_bytes(self._mark, reason.encode())

    def _corrupt(self, path: str, error: Exception) -> LakeCorrupt:
        self.lake.refuse_unreachable(error)
        return LakeCorrupt(
            f"{path} cannot be read ({type(error).__name__}: {error}). "
            f"The next run extracts {self.noun} source {self.source_id} from the start."
        )

    @contextlib.contextmanager
    def extracting(self) -> Iterator[None]:
        """Exclusive right to extract this source, damaged or not. Raises SourceBusy while another process has it."""
        with self._alone():
            with self.visible(), contextlib.suppress(LakeCorrupt):
                self.remove_uncommitted()
            yield

    def is_busy(self) -> bool:
        """Whether a process extracts or removes this source at this moment."""
        with contextlib.suppress(SourceBusy), self._alone():
            return False
        return True

    def remove(self) -> None:
        """Delete everything of this source, even if its state is unreadable; repeatable. Raises SourceBusy."""
        with self._alone():
            Source(self.lake.drafts(), self.noun, self.organization_id, self.source_id).clear()
            self.clear()

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        name = f"{self.noun}-{self.organization_id}-{self.source_id}"
        try:
            stack = contextlib.ExitStack()
            stack.enter_context(self.lake.lock(name, exclusive=True, wait=False))
        except BlockingIOError:
            raise SourceBusy(
                f"Another process is extracting {self.noun} source {self.source_id}; wait until it ends."
            ) from None
        with stack:
            yield

    def commit(
        self,
        appended: Mapping[str, pa.Table],
        replaced: Mapping[str, pa.Table],
        extra: Mapping[str, Any],
        files: Mapping[str, bytes] | None = None,
    ) -> SourceState:
        """Make one batch visible as a whole. Returns the new state.

        `appended` tables gain a file; `replaced` tables keep only this file. `files` are the connector's own
        (checkpoints): they are stored beside the state and replace the previous ones.
        """
        before = self.state()
        name = f"{before.batch + 1:06d}-{before.digest()}"
        tables = {t: list(paths) for t, paths in before.tables.items()}
        rows, written = dict(before.rows), dict(before.files)
        with self.visible(), ThreadPoolExecutor(_WRITERS) as writers:
            writing: dict[str, tuple[Future[Written], int]] = {}
            for table, content in {**appended, **replaced}.items():
                kept = [] if table in replaced else tables.get(table, [])
                merged = kept if len(kept) >= MAX_FILES else []
                kept = [] if merged else kept
                before_it = rows.get(table, 0) if kept or merged else 0
                rows[table] = before_it + content.num_rows
                tables[table] = kept
                if merged or content.num_rows:
                    count = content.num_rows + (before_it if merged else 0)
                    writing[table] = writers.submit(self._write, table, name, merged, content), count
                    tables[table] = [*kept, f"{name}.parquet"]
            for table, (file, count) in writing.items():
                written[f"{table}/{name}.parquet"] = _entry(file.result(), count)
            for side, payload in (files or {}).items():
                stored = self.lake.write_bytes(self._side_file(f"{name}-{side}"), payload)
                written[f"{SIDE_FOLDER}/{name}-{side}"] = _entry(stored)
            kept_files = {f: f"{name}-{f}" for f in files} if files else before.extra.get("files", {})
            extra = {**extra, "files": kept_files}
            return self.conclude(SourceState(before.batch + 1, tables, rows, extra, written))

    def conclude(self, after: SourceState) -> SourceState:
        """Commit a batch after all its files are written. Call only under `visible`."""
        listed = set(after.names())
        entries = {name: entry for name, entry in after.files.items() if name in listed}
        after = replace(after, files=entries, schema=manifest.schema_version(self.noun))
        self.lake.write_bytes(self._path, to_bytes(after, self._owner))
        self.lake.make_rename_durable(self._path)  # before the files of the previous state are deleted
        self.remove_uncommitted()
        return after

    def adopt(self) -> None:
        """Write the manifest of a state from before manifests. Call only under `extracting` or `Lake.reading`."""
        state = self.state()
        if not state.batch or state.files:
            return
        entries = {}
        for name in state.names():
            path = self.location(name)
            rows = 0 if name.startswith(f"{SIDE_FOLDER}/") else manifest.count_rows(self.lake, path)
            entries[name] = _entry(self.lake.checksum(path), rows)
        if entries:
            self.lake.write_bytes(self._path, to_bytes(replace(state, files=entries), self._owner))

    def read(self, table: str, columns: list[str] | None = None) -> pa.Table:
        """Every committed row of one table, in batch order. Raises LakeCorrupt."""
        return self._load(table, self.state().tables.get(table, []), columns)

    def rows_where(self, table: str, column: str, value: str) -> list[dict[str, Any]]:
        """The committed rows with this value in a column, in batch order, without loading the others."""
        rows: list[dict[str, Any]] = []
        for name in self.state().tables.get(table, []):
            path = f"{self._folder(table)}/{name}"
            try:
                with self.lake.fs.open(path, "rb") as handle:
                    found = pq.read_table(handle, filters=[(column, "==", value)], partitioning=None)
            except (OSError, pa.ArrowInvalid) as error:
                raise self._corrupt(path, error) from error
            rows += found.to_pylist()
        return rows

    def read_file(self, name: str) -> bytes | None:
        """One of the connector's own files as of the last batch, or None. Raises LakeCorrupt."""
        stored = self.state().extra.get("files", {}).get(name)
        if not stored:
            return None
        try:
            return self.lake.read_bytes(self._side_file(stored))
        except OSError as error:
            raise self._corrupt(self._side_file(stored), error) from error

    def take_over(self, draft: Source) -> SourceState:
        """Replace everything of this source by the content of a source of `Lake.drafts`, in one batch."""
        drafted = draft.state()
        try:
            before = self.state()
        except LakeCorrupt:
            before = SourceState()
        name = f"{before.batch + 1:06d}-{before.digest()}"
        copies: dict[str, str] = {}
        tables: dict[str, list[str]] = {}
        for table, names in drafted.tables.items():
            tables[table] = [f"{name}-{i:03d}.parquet" for i in range(len(names))]
            for old, new in zip(names, tables[table], strict=True):
                copies[f"{table}/{old}"] = f"{table}/{new}"
        files = {file: f"{name}-{file}" for file in drafted.extra.get("files", {})}
        for file, new in files.items():
            copies[f"{SIDE_FOLDER}/{drafted.extra['files'][file]}"] = f"{SIDE_FOLDER}/{new}"
        with self.visible():
            for old, new in copies.items():
                size, digest = self.lake.copy_file(draft.location(old), self.location(new))
                if (size, digest) != (drafted.files[old]["bytes"], drafted.files[old]["sha256"]):
                    raise LakeCorrupt(f"{draft.location(old)} changed while it was copied; run again.")
            written = {new: drafted.files[old] for old, new in copies.items()}
            extra = {**drafted.extra, "files": files}
            after = self.conclude(SourceState(before.batch + 1, tables, drafted.rows, extra, written))
            self.lake.remove(self._mark)
            return after

    def clear(self) -> None:
        """Delete everything of this source; repeatable."""
        with self.visible():
            # Delete the state first: without it all files count as uncommitted, even if this is interrupted.
            folders = [self._folder(table) for noun, table in TABLES if noun == self.noun]
            for path in [self._path, f"{self._path}.partial", *folders, self._side_folder, self._mark]:
                self.lake.remove(path)

    def remove_uncommitted(self) -> None:
        """Delete files that no state lists. Call only under `extracting` or `Lake.reading`."""
        state = self.state()
        for noun, table in TABLES:
            if noun == self.noun:
                committed = set(state.tables.get(table, []))
                # Tables without a connection keep their rows in the folder of the empty file.
                self._keep_only(self._folder(table), committed | {EMPTY})
        self._keep_only(self._side_folder, set(state.extra.get("files", {}).values()))
        self.lake.remove(f"{self._path}.partial")

    def _keep_only(self, folder: str, names: set[str]) -> None:
        if self.lake.is_local and Path(folder).is_file():
            self.lake.remove(folder)
        for name in self.lake.names(folder):
            if name not in names:
                self.lake.remove(f"{folder}/{name}")

    def visible(self) -> contextlib.AbstractContextManager[None]:
        """The lock under which batches become visible."""
        return self.lake.lock(f"org-{self.organization_id}", exclusive=True)

    def _folder(self, table: str) -> str:
        return self.lake.partition(self.noun, table, self.organization_id, self.source_id)

    def location(self, name: str) -> str:
        """The path of a file by its name in the manifest."""
        folder, _, file = name.partition("/")
        return self._side_file(file) if folder == SIDE_FOLDER else f"{self._folder(folder)}/{file}"

    def _side_file(self, name: str) -> str:
        return f"{self._side_folder}/{name}"

    def _write(self, table: str, name: str, merged: list[str], content: pa.Table) -> Written:
        """Write the rows of committed files and new ones as one file."""
        schema = TABLES[self.noun, table]
        if not content.schema.equals(schema):
            raise TypeError(f"{self.noun}.{table}: columns or types differ from ingest.schemas")
        if marks := erased.read(self.lake, self.organization_id):
            content = erased_rows.rewritten(marks, self.noun, table, content)
        return self.write_file(table, f"{name}.parquet", chain(self.parts(table, merged), [content]))

    def write_file(self, table: str, name: str, parts: Iterable[pa.Table]) -> Written:
        """Write a file that no state lists yet. Call only under `visible`."""
        schema = TABLES[self.noun, table]
        return self.lake.write_parquet(f"{self._folder(table)}/{name}", schema, row_groups(parts))

    def parts(self, table: str, names: list[str]) -> Iterator[pa.Table]:
        """The rows of files of a table, a row group at a time. Raises LakeCorrupt."""
        schema = TABLES[self.noun, table]
        for name in names:
            path = f"{self._folder(table)}/{name}"
            try:
                with self.lake.fs.open(path, "rb") as handle:
                    yield from (conformed(part, schema) for part in parts_of(handle))
            except (OSError, pa.ArrowInvalid) as error:
                raise self._corrupt(path, error) from error

    def _load(self, table: str, names: list[str], columns: list[str] | None) -> pa.Table:
        schema = TABLES[self.noun, table]
        if columns is not None:
            schema = pa.schema([schema.field(c) for c in columns])
        parts = []
        for name in names:
            path = f"{self._folder(table)}/{name}"
            try:
                with self.lake.fs.open(path, "rb") as handle:
                    part = pq.read_table(handle, columns=columns, partitioning=None)
                parts.append(conformed(part, schema))
            except (OSError, pa.ArrowInvalid) as error:
                raise self._corrupt(path, error) from error
        return pa.concat_tables(parts) if parts else schema.empty_table()


def _entry(written: Written, rows: int = 0) -> dict[str, Any]:
    return {"rows": rows, "bytes": written[0], "sha256": written[1]}
