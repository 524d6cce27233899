"""The lake as a whole: its sources, and the right of a build to read them.

Keep out: single files (`files`), batches of one source (`source`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.lake.files import LakeFiles
from ingest.lake.source import EMPTY, Source
from ingest.schemas import TABLES


class Lake(LakeFiles):
    """A lake at a local path or any fsspec URL (`s3://bucket/raw`)."""

    def prepare(self, organization_id: str) -> None:
        """Write one empty, typed file per table, so that models can read tables that have no source."""
        for noun, table in TABLES:
            path = f"{self.partition(noun, table, organization_id, '_')}/{EMPTY}"
            schema = TABLES[noun, table]
            if not self.fs.exists(path) or not self._read_schema(path).equals(schema):
                self.write_parquet(path, schema.empty_table())

    def source(self, noun: str, organization_id: str, source_id: str) -> Source:
        """One source of the lake, which need not have a batch yet."""
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
        """Hold while a build reads: removes uncommitted files first and lets no batch become visible meanwhile.

        An organization has one build at a time. Raises LakeCorrupt.
        """
        # One lock covers cleaning and reading: with two, a run could die in between.
        with self.lock(f"org-{organization_id}", exclusive=True):
            for noun in sorted({noun for noun, _ in TABLES}):
                for source_id in self._stored_sources(noun, organization_id):
                    self.source(noun, organization_id, source_id).remove_uncommitted()
            yield

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
