"""Records of connectors as rows of raw tables."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pyarrow as pa
import xxhash

from ingest.connections.model import Connection, Record
from ingest.connections.values import MAX_COLUMN, MAX_NUMBER, WideNumber
from ingest.lake.tables import build
from ingest.schemas import TABLES
from ingest.texts import link, storable

CONNECTOR_VERSION = "2"
"""Raise it when a connector reads more or maps otherwise; the next run reads every connection from the start."""
MAX_TEXT = 1_000_000
"""Characters of one text, such as a description; a longer one is cut."""
MAX_PAYLOAD = 16 * 1024**2
"""Characters of the provider's answer about one row. A row with more cannot be read: a batch is held in memory."""
MAX_ID = 500
LINK = "url"
"""The column with an address that a browser opens."""

Row = tuple[Any, ...]


def row_of(record: Record) -> Row:
    """The columns of a record in the order of its class, with text that UTF-8 can hold.

    Raises TypeError, ValueError and OverflowError for a value that its column cannot hold, or that is no id: one such
    row would stop its whole batch.
    """
    row = _columns(record)
    key = key_of(record, row)
    if not key.strip() or len(key) > MAX_ID:
        raise ValueError(f"an id of {len(key)} characters")
    return row


def key_of(record: Record, row: Row) -> str:
    """The id of a row as the lake has it. Two ids of a provider may differ in characters that no column holds."""
    names = [name for name, _, _ in _shape(record.__class__)]
    return str(row[names.index("provider_id")])


def size_of(row: Row) -> int:
    """Characters of the texts of a row, as a measure of its memory."""
    return sum(len(value) for value in row if isinstance(value, str))


def fingerprint(row: Row) -> int:
    """64 bits that tell whether a row changed (xxh3 of its Python spelling)."""
    return xxhash.xxh3_64_intdigest(repr(row).encode())


def version_of(entry: Any) -> int:
    """64 bits of an entry of a listing; 0 for None, and for one that cannot be stored."""
    try:
        return 0 if entry is None else xxhash.xxh3_64_intdigest(_json(entry).encode())
    except (TypeError, ValueError, RecursionError):
        return 0


def table_of(
    connection: Connection, noun: str, table: str, batch: int, kind: type[Record], rows: Sequence[Row]
) -> pa.Table:
    """Rows of `row_of` for records of one kind as a raw table."""
    schema = TABLES[noun, table]
    names = [each.name for each in fields(kind)]
    shared = {
        "organization_id": connection.organization_id,
        "connection_id": connection.id,
        "batch": batch,
        "connector_version": CONNECTOR_VERSION,
    }
    places = [names.index(name) if name in names else -1 for name in schema.names]
    return build(
        schema,
        [
            tuple(
                row[place] if place >= 0 else shared[name]
                for place, name in zip(places, schema.names, strict=True)
            )
            for row in rows
        ],
    )


def deletions_of(connection: Connection, noun: str, deleted: Sequence[tuple[str, str]]) -> pa.Table:
    """Tables and ids of rows that no longer exist as a raw table."""
    listed = [
        {
            "organization_id": connection.organization_id,
            "connection_id": connection.id,
            "table_name": table,
            "provider_id": provider_id,
            "connector_version": CONNECTOR_VERSION,
        }
        for table, provider_id in deleted
    ]
    return pa.Table.from_pylist(listed, TABLES[noun, "deletions"])


def _columns(record: Any) -> Row:
    return tuple(
        _payload(value) if name == "payload" else _value(value, name, allowed, inner)
        for name, allowed, inner in _shape(record.__class__)
        for value in (getattr(record, name),)
    )


def _value(value: Any, name: str, allowed: frozenset[type], inner: frozenset[type]) -> Any:
    kind = type(value)
    if allowed and kind not in allowed:
        raise TypeError(f"{name} is {kind.__name__}")
    if kind is str:
        return _text(value, name)
    if kind is float and not math.isfinite(value):
        raise OverflowError(f"{name} is no number")
    most = MAX_NUMBER if WideNumber in allowed else MAX_COLUMN
    if kind is int and not -most <= value <= most:
        raise OverflowError(f"{name} has more than {64 if most == MAX_NUMBER else 32} bits")
    if kind is list:
        return [_value(one, name, inner, frozenset()) for one in value]
    return _columns(value) if is_dataclass(value) else value


@cache
def _shape(kind: type) -> tuple[tuple[str, frozenset[type], frozenset[type]], ...]:
    """Names of the fields of a class, the types of their values, and the types of elements of lists."""
    hints = get_type_hints(kind, include_extras=True)
    return tuple((each.name, _types(hints[each.name]), _elements(hints[each.name])) for each in fields(kind))


def _types(hint: Any) -> frozenset[type]:
    """Types that an annotation allows; none for any. A wide number allows itself beside `int`."""
    if hint is Any:
        return frozenset()
    if hint is WideNumber:
        return frozenset({int, WideNumber})
    if get_origin(hint) in (Union, UnionType):
        return frozenset().union(*map(_types, get_args(hint)))
    if get_origin(hint) is Literal:
        return frozenset({str})
    found = get_origin(hint) or hint
    return frozenset({float, int} if found is float else {NoneType if found is None else found})


def _elements(hint: Any) -> frozenset[type]:
    return _types(get_args(hint)[0]) if get_origin(hint) is list else frozenset()


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str, allow_nan=False)


def _payload(value: Any) -> str:
    found = _json(value)
    if len(found) > MAX_PAYLOAD:
        raise OverflowError(f"{len(found):,} characters are more than {MAX_PAYLOAD:,}")
    return found


def _text(value: str, name: str) -> str | None:
    """A text that UTF-8 can hold; a link only if a browser may follow it."""
    found = storable(value)[:MAX_TEXT]
    return link(found) if name == LINK else found
