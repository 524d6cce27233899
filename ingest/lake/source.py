"""One source of the raw lake and its batches, each of which becomes visible as a whole.

Keep out: files and locks of the lake (`files`), the meaning of rows (`ingest.schemas`).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.errors import LakeCorrupt, SourceBusy
from ingest.lake.files import LakeFiles
from ingest.schemas import TABLES

MAX_FILES = 24
"""Files of one table and source; more are merged. A build opens every file, about a millisecond each."""
EMPTY = "empty.parquet"
"""The file that gives a table its column types even without rows."""


@dataclass(frozen=True)
class SourceState:
    """The committed state of one source. `extra` belongs to the connector."""

    batch: int = 0
    tables: dict[str, list[str]] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    extra: dict[str, Any] = field(default_factory=dict)

    def digest(self) -> str:
        content = json.dumps([self.batch, self.tables, self.extra], sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()[:12]


class Source:
    """One source in a lake, for example a repository. `noun` is its kind, for example `git`."""

    def __init__(self, lake: LakeFiles, noun: str, organization_id: str, source_id: str) -> None:
        self.lake = lake
        self.noun = noun
        self.organization_id = organization_id
        self.source_id = source_id
        self._path = lake.state_path(noun, organization_id, source_id)
        self._side_folder = self._path.removesuffix(".json")

    def state(self) -> SourceState:
        """The committed state; the empty state before the first batch. Raises LakeCorrupt."""
        try:
            content = self.lake.fs.cat_file(self._path)
        except FileNotFoundError:
            return SourceState()
        try:
            state = SourceState(**json.loads(content))
            kinds = (state.batch, int), (state.tables, dict), (state.rows, dict), (state.extra, dict)
            if not all(isinstance(value, kind) for value, kind in kinds):
                raise TypeError("a part has the wrong type")
        except (ValueError, TypeError) as error:
            raise self._corrupt(self._path, error) from error
        return state

    def _corrupt(self, path: str, error: Exception) -> LakeCorrupt:
        return LakeCorrupt(
            f"{path} cannot be read ({type(error).__name__}: {error}). Restore it from a backup, or delete "
            f"{self._path}: the next run then extracts {self.noun} source {self.source_id} from the start."
        )

    @contextlib.contextmanager
    def extracting(self) -> Iterator[None]:
        """Exclusive right to extract this source. Raises SourceBusy while another process has it."""
        with self._alone():
            with self._visible():
                self.remove_uncommitted()
            yield

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
        rows = dict(before.rows)
        with self._visible():
            for table, content in {**appended, **replaced}.items():
                kept = [] if table in replaced else tables.get(table, [])
                merged = content
                if len(kept) >= MAX_FILES:
                    merged, kept = pa.concat_tables([self._load(table, kept, None), content]), []
                rows[table] = merged.num_rows + (rows.get(table, 0) if kept else 0)
                tables[table] = kept
                if merged.num_rows:
                    self._write(table, name, merged)
                    tables[table] = [*kept, f"{name}.parquet"]
            for file, payload in (files or {}).items():
                self.lake.write_bytes(self._side_file(f"{name}-{file}"), payload)
            kept_files = {f: f"{name}-{f}" for f in files} if files else before.extra.get("files", {})
            return self._conclude(SourceState(before.batch + 1, tables, rows, {**extra, "files": kept_files}))

    def _conclude(self, after: SourceState) -> SourceState:
        """Commit a batch after all its files are written."""
        self.lake.write_bytes(self._path, json.dumps(after.__dict__, sort_keys=True).encode())
        self.lake.make_rename_durable(self._path)  # before the files of the previous state are deleted
        self.remove_uncommitted()
        return after

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
            return bytes(self.lake.fs.cat_file(self._side_file(stored)))
        except OSError as error:
            raise self._corrupt(self._side_file(stored), error) from error

    def take_over(self, draft: Source) -> SourceState:
        """Replace everything of this source by the content of a source of `Lake.drafts`, in one batch."""
        before, drafted = self.state(), draft.state()
        name = f"{before.batch + 1:06d}-{before.digest()}"
        copies: dict[str, str] = {}
        tables: dict[str, list[str]] = {}
        for table, names in drafted.tables.items():
            tables[table] = [f"{name}-{i:03d}.parquet" for i in range(len(names))]
            for old, new in zip(names, tables[table], strict=True):
                copies[f"{draft._folder(table)}/{old}"] = f"{self._folder(table)}/{new}"
        files = {file: f"{name}-{file}" for file in drafted.extra.get("files", {})}
        for file, new in files.items():
            copies[draft._side_file(drafted.extra["files"][file])] = self._side_file(new)
        with self._visible():
            for old, new in copies.items():
                self.lake.copy_file(old, new)
            return self._conclude(
                SourceState(before.batch + 1, tables, drafted.rows, {**drafted.extra, "files": files})
            )

    def clear(self) -> None:
        """Delete everything of this source; repeatable."""
        with self._visible():
            # Delete the state first: without it all files count as uncommitted, even if this is interrupted.
            folders = [self._folder(table) for noun, table in TABLES if noun == self.noun]
            for path in [self._path, f"{self._path}.partial", *folders, self._side_folder]:
                if self.lake.fs.exists(path):
                    self.lake.fs.rm(path, recursive=True)

    def remove_uncommitted(self) -> None:
        """Delete files that no state lists. Call only under `extracting` or `Lake.reading`."""
        state = self.state()
        for noun, table in TABLES:
            if noun == self.noun:
                committed = set(state.tables.get(table, []))
                # Tables without a connection keep their rows in the folder of the empty file.
                self._keep_only(self._folder(table), committed | {EMPTY})
        self._keep_only(self._side_folder, set(state.extra.get("files", {}).values()))
        if self.lake.fs.exists(f"{self._path}.partial"):
            self.lake.fs.rm(f"{self._path}.partial")

    def _keep_only(self, folder: str, names: set[str]) -> None:
        if not self.lake.fs.exists(folder):
            return
        for path in self.lake.fs.ls(folder, detail=False):
            if Path(str(path)).name not in names:
                self.lake.fs.rm(str(path), recursive=True)

    def _visible(self) -> contextlib.AbstractContextManager[None]:
        return self.lake.lock(f"org-{self.organization_id}", exclusive=True)

    def _folder(self, table: str) -> str:
        return self.lake.partition(self.noun, table, self.organization_id, self.source_id)

    def _side_file(self, name: str) -> str:
        return f"{self._side_folder}/{name}"

    def _write(self, table: str, name: str, content: pa.Table) -> None:
        schema = TABLES[self.noun, table]
        if not content.schema.equals(schema):
            raise TypeError(f"{self.noun}.{table}: columns or types differ from ingest.schemas")
        self.lake.write_parquet(f"{self._folder(table)}/{name}.parquet", content)

    def _load(self, table: str, names: list[str], columns: list[str] | None) -> pa.Table:
        schema = TABLES[self.noun, table]
        if columns is not None:
            schema = pa.schema([schema.field(c) for c in columns])
        parts = []
        for name in names:
            path = f"{self._folder(table)}/{name}"
            try:
                with self.lake.fs.open(path, "rb") as handle:
                    parts.append(pq.read_table(handle, columns=columns, partitioning=None))
            except (OSError, pa.ArrowInvalid) as error:
                raise self._corrupt(path, error) from error
        return pa.concat_tables(parts) if parts else schema.empty_table()
