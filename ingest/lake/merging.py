"""Several Parquet files as one, a part at a time: a source may be larger than memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

GROUP_ROWS = 131_072
GROUP_BYTES = 32 * 1024**2
"""A row group ends at the first of these. Payloads of connections have some kilobytes a row."""


def row_groups(parts: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The rows of all parts in order, joined to tables of about the size of a row group."""
    pending: list[pa.Table] = []
    rows = size = 0
    for part in parts:
        pending.append(part)
        rows, size = rows + part.num_rows, size + part.nbytes
        if rows >= GROUP_ROWS or size >= GROUP_BYTES:
            yield pa.concat_tables(pending)
            pending, rows, size = [], 0, 0
    if pending:
        yield pa.concat_tables(pending)


def conformed(part: pa.Table, schema: pa.Schema) -> pa.Table:
    """Rows that an earlier release wrote, with the columns of `schema`: those that they lack are null.

    Raises pa.ArrowInvalid where a column has another type.
    """
    if part.schema.equals(schema):
        return part
    missing = [field for field in schema if field.name not in part.column_names]
    for field in missing:
        part = part.append_column(field, pa.nulls(part.num_rows, field.type))
    return part.select(schema.names).cast(schema)


def parts_of(handle: Any) -> Iterator[pa.Table]:
    """The row groups of a Parquet file. Raises pa.ArrowInvalid and OSError."""
    with pq.ParquetFile(handle) as file:
        for number in range(file.num_row_groups):
            yield file.read_row_group(number)
