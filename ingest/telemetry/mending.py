"""Mends telemetry in the lake of which a file is damaged: nobody sends it again, so what is whole stays.

The damaged files are set aside. Where the list of files itself is damaged, every file that can be read is kept: rows
that stand there twice have the same `event_key`. Keep out: other sources, which are read again from the start.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ingest import obstacles
from ingest.errors import LakeCorrupt
from ingest.lake import Source
from ingest.lake.merging import conformed
from ingest.lake.source import EMPTY
from ingest.schemas.telemetry import TABLES


def mend(source: Source, *, thorough: bool) -> int:
    """Keep what is whole of a damaged source, in one commit. Returns the number of damaged files.

    With `thorough` contents are compared, else sizes. Call under `extracting`.
    """
    if not source.damage(thorough=thorough):
        return 0
    # An earlier look has compared contents, or this one has to: a size says nothing about the other files.
    damaged = {one.file for one in source.damage()}
    draft = Source(source.lake.drafts(), source.noun, source.organization_id, source.source_id)
    draft.clear()
    lost = []
    extra = _segments(source)
    for table, path in _files(source):
        content = None if path in damaged else _read(source, table, path)
        if content is None:
            lost.append(path)
        else:
            draft.commit({table: content}, {}, extra)
    if not draft.state().batch:
        draft.commit({}, {}, extra)
    for path in lost:
        if source.lake.is_local:
            with suppress(OSError):
                obstacles.set_aside(Path(path), Path(source.lake.root))
    source.take_over(draft)
    draft.clear()
    return len(lost)


def _segments(source: Source) -> dict[str, object]:
    """The segments of the last commit, which a killed run may not have put away."""
    try:
        return {"segments": source.state().extra.get("segments", {})}
    except LakeCorrupt:
        return {}


def _files(source: Source) -> Iterator[tuple[str, str]]:
    """The committed files by table; every file where their list cannot be read."""
    try:
        listed = [name for name in source.state().names() if not name.startswith("_/")]
    except LakeCorrupt:
        listed = []
        for table in TABLES:
            folder = source.location(f"{table}/").rstrip("/")
            names = source.lake.names(folder)
            listed += [f"{table}/{name}" for name in sorted(names) if _is_batch(name)]
    for name in listed:
        yield name.partition("/")[0], source.location(name)


def _is_batch(name: str) -> bool:
    return name.endswith(".parquet") and name != EMPTY


def _read(source: Source, table: str, path: str) -> pa.Table | None:
    """The rows of a file, or None where it cannot be read."""
    try:
        with source.lake.fs.open(path, "rb") as handle:
            return conformed(pq.read_table(handle, partitioning=None), TABLES[table])
    except (OSError, pa.ArrowInvalid):
        return None
