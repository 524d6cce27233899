"""Rows of an organization by their ids, and records from rows: what callers get, without the session.

A table of which callers may see every column needs none: its rows outlive the session (store.py). Keep out: records as
answers (query/records.py).
"""

from collections.abc import Callable, Hashable
from dataclasses import fields
from enum import Enum
from functools import lru_cache
from typing import Any, TypeVar, cast, get_origin, get_type_hints

from sqlalchemy import ColumnElement, Select, select
from sqlalchemy.orm import Session

from api.control.errors import NotFound
from api.control.models import Owned

Record = TypeVar("Record")
Row = TypeVar("Row", bound=Owned)


def existing(
    session: Session, table: type[Row], organization_id: str, row_id: str, noun: str, listed: str
) -> Row:
    """The row of this id in the organization. Raises NotFound, with the name of the row and the path of its list."""
    row = session.get(table, row_id)
    if row is None or row.organization_id != organization_id:
        raise NotFound(f"no {noun} {row_id!r} in this organization; …/{listed} lists them")
    return row


def owned(table: type[Row], organization_id: str, *conditions: ColumnElement[bool]) -> Select[Row]:
    """The rows of an organization that meet the conditions."""
    return select(table).where(table.organization_id == organization_id, *conditions)


def copied(record: type[Record], row: object, **given: Any) -> Record:
    """The record with the values of the columns of the same names. `given` has the values that are no such column."""
    readers = _readers(cast(Hashable, record))
    values = {name: read(getattr(row, name)) for name, read in readers.items() if name not in given}
    return record(**values, **given)


@lru_cache(maxsize=256)
def _readers(record: type[Any]) -> dict[str, Callable[[Any], Any]]:
    """By field: what makes its value of that of the column, because columns have no enumerations and no tuples."""
    hints = get_type_hints(record)
    return {field.name: _reader(hints[field.name]) for field in fields(record)}


def _reader(hint: Any) -> Callable[[Any], Any]:
    if get_origin(hint) is tuple:
        return tuple
    return hint if isinstance(hint, type) and issubclass(hint, Enum) else _same


def _same(value: Any) -> Any:
    return value
