"""Rows of an answer as records, one by one: a row that cannot be read is counted, and the others are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from ingest.connections.model import Deferred, Record, Slice
from ingest.connections.values import instant
from ingest.errors import ProviderRefused, Refusal
from ingest.json_paths import at


def slice_of(
    rows: Iterable[Any],
    record: Callable[[Any], Record],
    provider_id: Callable[[Any], str],
    cursor: str | None,
) -> Slice:
    """A slice of the rows as `record` reads them. A row without an id is counted as such."""
    return Slice([deferred(row, provider_id, record) for row in rows], cursor)


def deferred(row: Any, provider_id: Callable[[Any], str | None], read: Callable[[Any], Record]) -> Deferred:
    """A row that `read` parses later. A row without an id is counted as such."""
    return Deferred(_name(row, provider_id), partial(read, row))


def deferred_rows(
    rows: Iterable[Any],
    read: Callable[[Any], Record],
    provider_id: Callable[[Any], str | None],
    changed_at: Callable[[Any], datetime | None],
) -> list[Deferred]:
    """Rows of a listing whose details `read` asks for, unless the lake has them as the listing shows them."""
    return [Deferred(_name(row, provider_id), partial(read, row), row, changed_at(row)) for row in rows]


def instant_at(*path: str) -> Callable[[Any], datetime | None]:
    """A function that gives the time at a path of a row."""
    return lambda row: instant(at(row, path))


def id_of(row: Any, name: str = "id") -> str:
    """The id of a row of a complete listing. Raises ProviderRefused without one: others would seem to be deleted."""
    found = row.get(name) if isinstance(row, Mapping) else None
    if not found:
        raise ProviderRefused(
            Refusal.INVALID, "A listing has a row without an id, so deletions are not looked for."
        )
    return str(found)


def _name(row: Any, provider_id: Callable[[Any], str | None]) -> str | None:
    try:
        return provider_id(row)
    except (AttributeError, LookupError, TypeError, ValueError):
        return None
