"""Rows of neighbouring commits as one Arrow table each, which pass between processes as bytes.

The process that reads commits packs their rows, so that the one that follows the mainline only collects them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import accumulate

import pyarrow as pa

from ingest.git.changes.commit_changes import CommitChanges, PackedRows
from ingest.lake.tables import build
from ingest.schemas import git as schemas

PACKED = ("commits", "file_changes", "references")


@cache
def packed_schema(name: str) -> pa.Schema:
    """The columns of a raw table without those that are the same everywhere: the source's ids, and the version."""
    return pa.schema(list(schemas.TABLES[name])[2:-1])


def pack(results: Sequence[CommitChanges]) -> None:
    """Replace the rows of the commits that have some by their place in one pack."""
    described = [result for result in results if result.rows is not None]
    rows = [result.rows for result in described if result.rows is not None]
    tables, stops = {}, {}
    for name in PACKED:
        table = build(packed_schema(name), [row for by_table in rows for row in by_table[name]])
        tables[name] = table.combine_chunks().to_batches()[0].serialize().to_pybytes() if len(table) else b""
        stops[name] = list(accumulate((len(by_table[name]) for by_table in rows), initial=0))
    packed = PackedRows(tables, stops)
    for number, result in enumerate(described):
        result.rows, result.packed, result.number = None, packed, number


def unpack(packed: PackedRows, name: str, commits: range) -> pa.Table:
    """The rows of some commits of a pack in a raw table."""
    start, stop = packed.stops[name][commits.start], packed.stops[name][commits.stop]
    schema = packed_schema(name)
    if start == stop:
        return schema.empty_table()
    batch = pa.ipc.read_record_batch(pa.py_buffer(packed.tables[name]), schema)
    return pa.Table.from_batches([batch.slice(start, stop - start)])


def whole(name: str, parts: Iterable[pa.Table], source: Sequence[str], version: str) -> pa.Table:
    """The raw table with the rows of `parts`, and the columns that are the same everywhere."""
    schema = schemas.TABLES[name]
    rows = pa.concat_tables([packed_schema(name).empty_table(), *parts])
    constants = [pa.repeat(pa.scalar(value, pa.string()), len(rows)) for value in (*source, version)]
    return pa.Table.from_arrays([*constants[:2], *rows.columns, constants[2]], schema=schema)
