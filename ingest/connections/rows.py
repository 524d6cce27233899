"""Records of connectors as rows of raw tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import pyarrow as pa
import xxhash

from ingest.connections.model import Connection, Record
from ingest.connections.values import MAX_COLUMN
from ingest.lake.tables import build
from ingest.schemas import TABLES

CONNECTOR_VERSION = "1"
"""Raise it when a connector reads more or maps otherwise; the next run reads every connection from the start."""
MAX_TEXT = 1_000_000
"""Characters of one text, such as a description; a longer one is cut."""

Row = tuple[Any, ...]


def row_of(record: Record) -> Row:
    """The columns of a record in the order of its class, with text that UTF-8 can hold."""
    return tuple(_value(getattr(record, each.name), each.name) for each in fields(record))


def fingerprint(row: Row) -> int:
    """64 bits that tell whether a row changed (xxh3 of its Python spelling)."""
    return xxhash.xxh3_64_intdigest(repr(row).encode())


def version_of(entry: Any) -> int:
    """64 bits of an entry of a listing; 0 for None."""
    return 0 if entry is None else xxhash.xxh3_64_intdigest(_json(entry).encode())


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


def _value(value: Any, name: str) -> Any:
    if name == "payload":
        return _json(value)
    if isinstance(value, str):
        return _clean(value)
    if isinstance(value, int) and not -MAX_COLUMN <= value <= MAX_COLUMN:
        # One such row would stop its whole batch.
        raise OverflowError(f"{name} has more than 32 bits")
    if isinstance(value, list):
        return [_value(one, "") for one in value]
    if is_dataclass(value) and not isinstance(value, type):
        return tuple(_value(getattr(value, each.name), each.name) for each in fields(value))
    return value


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)


def _clean(value: str) -> str:
    """The text without NUL and half surrogate pairs."""
    return value.replace("\x00", "").encode("utf-8", "replace").decode()[:MAX_TEXT]
