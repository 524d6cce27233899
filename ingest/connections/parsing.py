"""Rows of an answer as records, one by one: a row that cannot be read is named, and the others are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ingest.connections.model import Record, Slice

MALFORMED = (AttributeError, KeyError, LookupError, TypeError, ValueError)
"""What a mapping raises for a row that lacks a required field or has another type in its place."""


def slice_of(
    rows: Iterable[Any],
    record: Callable[[Any], Record],
    provider_id: Callable[[Any], str],
    cursor: str | None,
) -> Slice:
    """A slice of the rows that `record` can read; the others are failures under their provider id."""
    records, failures = [], {}
    for place, row in enumerate(rows):
        try:
            records.append(record(row))
        except MALFORMED as error:
            failures[_name(row, provider_id, place)] = f"The row cannot be read ({_reason(error)})."
    return Slice(records, cursor, failures)


def _name(row: Any, provider_id: Callable[[Any], str], place: int) -> str:
    try:
        return provider_id(row)
    except MALFORMED:
        return f"row {place + 1} without an id"


def _reason(error: Exception) -> str:
    """A short reason without values of the row, which are text of strangers."""
    if isinstance(error, KeyError) and error.args:
        return f"without {str(error.args[0])[:60]!r}"
    return type(error).__name__
