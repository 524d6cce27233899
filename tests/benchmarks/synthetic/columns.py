"""Vectorised construction of Arrow columns; nothing here knows about Git."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def hexes(rng: np.random.Generator, count: int, width: int = 40) -> pa.StringArray:
    """`count` random strings of `width` (even) hexadecimal characters."""
    characters = pa.py_buffer(rng.bytes(count * width // 2).hex().encode())
    offsets = pa.array(np.arange(count + 1, dtype=np.int32) * width)
    return pa.StringArray.from_buffers(count, offsets.buffers()[1], characters)


def take(pool: pa.Array | Sequence[str], index: Ints, present: Bools | None = None) -> pa.Array:
    """Elements of the pool by index; null where `present` is false."""
    values = pool if isinstance(pool, pa.Array) else pa.array(pool, pa.string())
    positions = pa.array(index, pa.int64(), mask=None if present is None else ~present)
    return values.take(positions)


def join(*parts: pa.Array | str, separator: str = "") -> pa.Array:
    """Text columns and constants concatenated row by row; null where any part is null."""
    return pc.binary_join_element_wise(*parts, separator)


def either(condition: Bools, yes: pa.Array | str, no: pa.Array | str) -> pa.Array:
    return pc.if_else(pa.array(condition), yes, no)


def masked(values: pa.Array, present: Bools) -> pa.Array:
    """The column with nulls where `present` is false."""
    return pc.if_else(pa.array(present), values, pa.scalar(None, values.type))


def numbers(values: npt.NDArray[Any], present: Bools | None = None) -> pa.Array:
    return pa.array(values.astype(np.int32), mask=None if present is None else ~present)


def digits(values: Ints) -> pa.Array:
    return pa.array(values).cast(pa.string())


def instants(microseconds: Ints) -> pa.Array:
    return pa.array(microseconds).cast(pa.timestamp("us", tz="UTC"))


def lists(lengths: Ints, values: pa.Array) -> pa.ListArray:
    """Consecutive runs of `values` as one list per length."""
    return pa.ListArray.from_arrays(pa.array(starts(lengths).astype(np.int32)), values)


def structs(kind: pa.StructType, columns: Mapping[str, pa.Array]) -> pa.StructArray:
    _same_names([field.name for field in kind], columns)
    arrays = [columns[field.name].cast(field.type) for field in kind]
    return pa.StructArray.from_arrays(arrays, fields=list(kind))


def table(schema: pa.Schema, columns: Mapping[str, pa.Array | str | bool]) -> pa.Table:
    """A table of the schema; a plain text or flag stands for a constant column.

    Raises ValueError where the names differ from the schema's.
    """
    _same_names(schema.names, columns)
    rows = max(len(column) for column in columns.values() if isinstance(column, pa.Array | pa.ChunkedArray))
    arrays = []
    for field in schema:
        column = columns[field.name]
        constant = isinstance(column, str | bool)
        arrays.append(pa.repeat(pa.scalar(column, field.type), rows) if constant else column)
    return pa.Table.from_arrays(arrays, schema=schema)


def starts(lengths: Ints) -> Ints:
    """Offsets of consecutive runs: one more than there are runs."""
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)


def within(lengths: Ints) -> Ints:
    """0, 1, 2, … inside each run."""
    return np.arange(int(lengths.sum())) - np.repeat(starts(lengths)[:-1], lengths)


def apportion(weights: npt.NDArray[np.float64], total: int, least: int) -> Ints:
    """Integers of at least `least` that add up to `total` and follow the weights (largest remainders)."""
    spare = total - least * len(weights)
    exact = weights / weights.sum() * spare
    whole: Ints = np.floor(exact).astype(np.int64)
    order = np.argsort(whole - exact, kind="stable")
    whole[order[: spare - int(whole.sum())]] += 1
    return whole + least


def _same_names(expected: list[str], columns: Mapping[str, Any]) -> None:
    if set(expected) != set(columns):
        raise ValueError(f"columns differ from the schema: {sorted(set(expected) ^ set(columns))}")
