"""Conversion of rows (tuples in schema order) to Arrow tables, column by column."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np
import pyarrow as pa

Row = tuple[Any, ...]


def build(schema: pa.Schema, rows: Sequence[Row]) -> pa.Table:
    """A table of `schema`. In list-of-struct columns each element is a sequence of tuples."""
    if not rows:
        return schema.empty_table()
    columns = zip(*rows, strict=True)
    arrays = [_array(f.type, values) for f, values in zip(schema, columns, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


def _array(kind: pa.DataType, values: Sequence[Any]) -> pa.Array:
    if pa.types.is_list(kind) and pa.types.is_struct(kind.value_type):
        return _list_of_structs(kind, values)
    if pa.types.is_string(kind) and _is_constant(values):
        return pa.repeat(pa.scalar(values[0], kind), len(values))
    return pa.array(values, kind)


def _is_constant(values: Sequence[Any]) -> bool:
    """Whether all values are one text, such as the id of the source. `count` compares the same object by identity."""
    return bool(values) and values[0] is values[-1] is not None and values.count(values[0]) == len(values)


def _list_of_structs(kind: pa.ListType, values: Sequence[Sequence[Row]]) -> pa.Array:
    """Ten times faster than passing dictionaries to `pa.array`."""
    offsets = np.zeros(len(values) + 1, np.int32)
    np.cumsum([len(v) for v in values], out=offsets[1:])
    items = list(chain.from_iterable(values))
    fields = [kind.value_type.field(i) for i in range(kind.value_type.num_fields)]
    columns = zip(*items, strict=True) if items else ([] for _ in fields)
    arrays = [_array(f.type, list(c)) for f, c in zip(fields, columns, strict=True)]
    struct = pa.StructArray.from_arrays(arrays, fields=fields)
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), struct, type=kind)


def read_list_of_structs(column: pa.ChunkedArray) -> list[list[Row]]:
    """The inverse of `build` for flat structs: one list of tuples per row."""
    result: list[list[Row]] = []
    for chunk in column.chunks:
        offsets = chunk.offsets.to_pylist()
        start = offsets[0]
        flat = chunk.values.slice(start, offsets[-1] - start)
        items = list(zip(*(child.to_pylist() for child in flat.flatten()), strict=True))
        result.extend(items[a - start : b - start] for a, b in pairwise(offsets))
    return result
