"""Loads the spool of an organization into the lake, a bounded number of rows at a time.

A commit names the segments that it holds, so a run that was killed after it loads none of them again. A segment is
deleted after the commit; one with a damaged line is set aside. Keep out: duplicates of senders, which models find by
`event_key`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa

from ingest.lake import Source
from ingest.schemas.telemetry import TABLES
from ingest.telemetry import spool
from ingest.telemetry.mending import mend

NOUN = "telemetry"
# The organization is the only source of its telemetry.
SOURCE = "_"
ROWS_PER_COMMIT = 100_000
"""Rows hold about a kilobyte each while they become columns."""


@dataclass
class Loaded:
    """What a run loaded: rows by table; and what was damaged: segments of the spool, files of the lake."""

    rows: dict[str, int]
    damaged_segments: int = 0
    damaged_files: int = 0


def spool_folder(data_dir: Path) -> Path:
    """The folder of all spools below a data directory."""
    return data_dir / "telemetry" / "spool"


def load(source: Source, data_dir: Path, *, thorough: bool = False) -> Loaded:
    """Move what the spool of a source's organization holds into the lake, and mend the lake where it is damaged.

    `thorough` compares the contents of its files, else their sizes. Raises SourceBusy while another process loads it,
    LakeCorrupt, and OSError where a disk is full; the spool keeps what was not committed.
    """
    folder = spool_folder(data_dir) / source.organization_id
    loaded = Loaded(dict.fromkeys(TABLES, 0))
    if not spool.pending(folder) and not source.damage(thorough=thorough):
        return loaded
    with source.extracting():
        loaded.damaged_files = mend(source, thorough=thorough)
        state = source.state()
        for name, is_damaged in state.extra.get("segments", {}).items():
            _put_away(folder / name, is_damaged=is_damaged)
        for columns, segments in _portions(source.organization_id, spool.take(folder)):
            tables = {name: pa.table(columns[name], schema) for name, schema in TABLES.items()}
            source.commit(tables, {}, {"segments": {path.name: bad for path, bad in segments.items()}})
            for path, is_damaged in segments.items():
                _put_away(path, is_damaged=is_damaged)
                loaded.damaged_segments += is_damaged
            for name, table in tables.items():
                loaded.rows[name] += table.num_rows
    return loaded


Columns = dict[str, dict[str, list[Any]]]
"""Values by table and column."""


def _portions(organization_id: str, segments: list[Path]) -> Iterator[tuple[Columns, dict[Path, bool]]]:
    """The columns of several whole segments, and which of these segments have a damaged line."""
    columns, taken, rows = _no_rows(), dict[Path, bool](), 0
    for path in segments:
        taken[path] = False
        for line in spool.lines(path):
            if line is None:
                taken[path] = True
            else:
                rows += _append(columns, organization_id, orjson.loads(line))
        if rows >= ROWS_PER_COMMIT:
            yield columns, taken
            columns, taken, rows = _no_rows(), {}, 0
    if taken:
        yield columns, taken


def _no_rows() -> Columns:
    return {name: {column: [] for column in schema.names} for name, schema in TABLES.items()}


def _append(columns: Columns, organization_id: str, content: dict[str, Any]) -> int:
    """Append the rows of one request; columns that they lack are null. Returns their number."""
    shared: dict[str, Any] = {"organization_id": organization_id}
    shared |= {name: content.get(name) for name in ("token_id", "token_email", "received_at")}
    count = 0
    for table, rows in content["rows"].items():
        for name, values in columns.get(table, {}).items():
            values.extend([shared[name]] * len(rows) if name in shared else [row.get(name) for row in rows])
        count += len(rows)
    return count


def _put_away(path: Path, *, is_damaged: bool) -> None:
    with suppress(FileNotFoundError):
        if is_damaged:
            path.replace(path.with_suffix(spool.DAMAGED))
        else:
            path.unlink()
