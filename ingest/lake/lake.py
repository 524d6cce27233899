"""The lake as a whole: its sources, and the right of a build to read them.

Keep out: single files (`files`), batches of one source (`source`).
"""

from __future__ import annotations

import contextlib
import io
import shutil
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Self

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.errors import LakeCorrupt
from ingest.lake import erased
from ingest.lake.copies import Copies
from ingest.lake.files import LakeFiles, Written
from ingest.lake.manifest import Damage
from ingest.lake.source import EMPTY, Source
from ingest.lake.state import SourceState
from ingest.schemas import TABLES, source_column

STATE = ".json"
NOUNS = sorted({noun for noun, _ in TABLES})
Property = tuple[int, int, int] | None
"""Size, time of the last change and inode of a file; None where it is gone."""


class Lake(LakeFiles):
    """A lake at a local path or any fsspec URL (`s3://bucket/raw`)."""

    def prepare(self, organization_id: str) -> None:
        """Write one empty, typed file per table, so that models can read tables that have no source.

        A build reads an object store by copies, which get theirs with them.
        """
        if not self.is_local:
            return
        for noun, table in TABLES:
            path, content = self._empty_file(noun, table, organization_id), _empty(TABLES[noun, table])
            try:
                is_written = self.read_bytes(path) == content
            except OSError:
                is_written = False
            if not is_written:
                self.write_bytes(path, content)

    def source(self, noun: str, organization_id: str, source_id: str) -> Source:
        """One source of the lake, which need not have a batch yet."""
        return Source(self, noun, organization_id, source_id)

    def sources(self, noun: str, organization_id: str) -> list[str]:
        """Ids of the sources that have committed at least one batch."""
        names = self.names(f"{self.root}/_state/{noun}/{organization_id}")
        return sorted(n.removesuffix(STATE) for n in names if n.endswith(STATE))

    @contextlib.contextmanager
    def reading(self, organization_id: str) -> Iterator[None]:
        """Hold while a build reads: removes uncommitted files first and lets no batch become visible meanwhile.

        An organization has one build at a time. Raises LakeCorrupt, which names the sources, if a committed file is
        not as it was written, or changes meanwhile. These sources are marked, so that the next run extracts them from
        the start.
        """
        # One lock covers cleaning and reading: with two, a run could die in between.
        with self.lock(f"org-{organization_id}", exclusive=True):
            lake = self._listed(organization_id, NOUNS)
            lake._refuse_damage(organization_id)
            for noun in NOUNS:
                for source_id in lake._stored_sources(noun, organization_id):
                    source = lake.source(noun, organization_id, source_id)
                    source.remove_uncommitted()
                    source.adopt()
            read = self._properties(organization_id)
            yield
            self._refuse_changes(organization_id, read)

    def _properties(self, organization_id: str) -> dict[tuple[str, str], dict[str, Property]]:
        """By noun and source, what tells a change of each file that a build reads: size, times and inode."""
        found: dict[tuple[str, str], dict[str, Property]] = {}
        # An object store replaces an object as a whole, and a question for each one takes long.
        for noun in NOUNS if self.is_local else ():
            for source_id in self.sources(noun, organization_id):
                source = self.source(noun, organization_id, source_id)
                tables = source.state().tables.items()
                paths = [source.location(f"{table}/{name}") for table, names in tables for name in names]
                found[noun, source_id] = {path: _property(path) for path in paths}
        return found

    def _refuse_changes(self, organization_id: str, read: dict[tuple[str, str], dict[str, Property]]) -> None:
        """Raise LakeCorrupt if a file changed while the build read it: no checksum tells what it saw."""
        for (_, source_id), properties in read.items():
            changed = [path for path, known in properties.items() if _property(path) != known]
            if changed:
                self._refuse_damage(organization_id)
                # It is whole again, so another build may read it.
                reason = f"{changed[0]} changed while a build read it; run `eas analyze` again"
                raise LakeCorrupt(reason, sources=(source_id,))

    def damage(self, noun: str, organization_id: str, *, thorough: bool = True) -> dict[str, list[Damage]]:
        """Damaged sources of a noun, each with its files that are not as they were written. Raises Transient."""
        lake = self._listed(organization_id, [noun])
        found = {
            source_id: lake.source(noun, organization_id, source_id).damage(thorough=thorough)
            for source_id in lake.sources(noun, organization_id)
        }
        if lake is not self:
            # A batch that became visible since the listing looks like damage: these are asked for each file.
            found |= {
                source_id: self.source(noun, organization_id, source_id).damage(thorough=thorough)
                for source_id, damage in found.items()
                if damage
            }
        return {source_id: damage for source_id, damage in found.items() if damage}

    def _refuse_damage(self, organization_id: str) -> None:
        damaged: dict[tuple[str, str], list[Damage]] = {}
        for noun in NOUNS:
            for source_id, found in self.damage(noun, organization_id).items():
                if facts := [one for one in found if one.is_fact]:
                    damaged[noun, source_id] = facts
        self._refuse(organization_id, damaged)

    def _refuse(self, organization_id: str, damaged: Mapping[tuple[str, str], list[Damage]]) -> None:
        """Mark damaged sources and raise LakeCorrupt, which names them, if there are any."""
        for (noun, source_id), found in damaged.items():
            self.source(noun, organization_id, source_id).mark_damaged(str(found[0]))
        if damaged:
            raise LakeCorrupt(
                "; ".join(f"{key}: {', '.join(map(str, found[:3]))}" for (_, key), found in damaged.items()),
                sources=tuple(source_id for _, source_id in damaged),
            )

    def files(self, organization_id: str) -> dict[tuple[str, str], list[str]]:
        """By noun and table, paths on this machine of what a build reads: one file without rows, and the committed.

        Copies what an object store has. Call it under `reading`. Raises LakeCorrupt, as `reading` does.
        """
        found = {(noun, table): [self._empty_file(noun, table, organization_id)] for noun, table in TABLES}
        copied: dict[tuple[str, str], dict[str, Written]] = {}
        lake = self._listed(organization_id, NOUNS)
        for noun in NOUNS:
            for source_id in lake.sources(noun, organization_id):
                source = lake.source(noun, organization_id, source_id)
                state = source.state()
                for table, names in state.tables.items():
                    found[noun, table] += [source.location(f"{table}/{name}") for name in names]
                if not self.is_local:
                    copied[noun, source_id] = _facts(source, state)
        if self.is_local:
            return found
        return self._copied(organization_id, found, copied)

    def _copied(
        self,
        organization_id: str,
        found: Mapping[tuple[str, str], list[str]],
        written: Mapping[tuple[str, str], Mapping[str, Written]],
    ) -> dict[tuple[str, str], list[str]]:
        """The paths of copies of these files, which are given as written by noun and source."""
        copies = Copies(self, self._folder_of_copies(organization_id))
        problems = copies.bring(
            {path: entry for of_source in written.values() for path, entry in of_source.items()}
        )
        damaged = {
            key: [Damage(path, problems[path]) for path in of_source if path in problems]
            for key, of_source in written.items()
            if problems.keys() & of_source.keys()
        }
        self._refuse(organization_id, damaged)
        for (noun, table), (empty, *_) in found.items():
            copies.write(empty, _empty(TABLES[noun, table]))
        return {key: [str(copies.path(path)) for path in paths] for key, paths in found.items()}

    def discard_copies(self, organization_id: str) -> None:
        """Delete the copies of facts in an object store, which may have what was erased. A build makes them again."""
        shutil.rmtree(self._folder_of_copies(organization_id), ignore_errors=True)

    def _folder_of_copies(self, organization_id: str) -> Path:
        return self.here / "copies" / organization_id

    def committed(self, organization_id: str) -> Iterator[tuple[str, Written | None]]:
        """Paths of the states of all sources and of the files that they list, with size and checksum as written.

        A state has none, nor have a mark of damage and the file of erased people. Of an unreadable state nothing else
        is listed. Hold the lock of the organization, so that no batch becomes visible meanwhile.
        """
        if self.exists(marks := erased.file_of(self, organization_id)):
            yield marks, None
        for noun in NOUNS:
            for source_id in self.sources(noun, organization_id):
                source = self.source(noun, organization_id, source_id)
                yield from ((path, None) for path in source.records())
                with contextlib.suppress(LakeCorrupt):
                    state = source.state()
                    for name in state.names():
                        entry = state.files.get(name)
                        written = None if entry is None else (int(entry["bytes"]), str(entry["sha256"]))
                        yield source.location(name), written

    def rows(self, noun: str, organization_id: str) -> dict[str, dict[str, int]]:
        """Rows by source and table, as the manifest has them."""
        return {
            source_id: dict(self.source(noun, organization_id, source_id).state().rows)
            for source_id in self.sources(noun, organization_id)
        }

    def _listed(self, organization_id: str, nouns: Collection[str]) -> Self:
        """The same lake, which asks an object store once for all sources of these nouns."""
        states = [f"{self.root}/_state/{noun}/{organization_id}" for noun in nouns]
        tables = [one for one in TABLES if one[0] in nouns]
        folders = [f"{self.root}/{noun}/{table}/organization_id={organization_id}" for noun, table in tables]
        return self.listed(folders, states, STATE)

    def _empty_file(self, noun: str, table: str, organization_id: str) -> str:
        return f"{self.partition(noun, table, organization_id, '_')}/{EMPTY}"

    def _stored_sources(self, noun: str, organization_id: str) -> list[str]:
        """Sources with files, committed or not."""
        found = set(self.sources(noun, organization_id))
        for name in [table for n, table in TABLES if n == noun]:
            folder = f"{self.root}/{noun}/{name}/organization_id={organization_id}"
            found |= {one.removeprefix(f"{source_column(noun)}=") for one in self.names(folder)}
        return sorted(found)


def _facts(source: Source, state: SourceState) -> dict[str, Written]:
    """The files of a state that builds read, by their paths, as they were written. Call it after `adopt`."""
    names = (f"{table}/{file}" for table, files in state.tables.items() for file in files)
    entries = ((source.location(name), state.files[name]) for name in names)
    return {path: (int(entry["bytes"]), str(entry["sha256"])) for path, entry in entries}


def _property(path: str) -> Property:
    try:
        status = Path(path).stat()
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns, status.st_ino


@cache
def _empty(schema: pa.Schema) -> bytes:
    """A Parquet file with these columns and no row."""
    sink = io.BytesIO()
    pq.write_table(schema.empty_table(), sink)
    return sink.getvalue()
