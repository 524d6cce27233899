"""Columns of list resources: how each is stored, shown, filtered and sorted.

One declaration drives the select list, `orderBy` and `filter`, so they always agree.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any


class Kind(StrEnum):
    """The kind of a column: how it is stored and compared."""

    TEXT = "text"
    # In lower case. Former ids find merged developers too.
    ID = "id"
    ENUM = "enum"
    INTEGER = "integer"
    NUMBER = "number"
    MICRO = "micro"
    FLAG = "flag"
    INSTANT = "instant"
    DATE = "date"
    LIST = "list"


SQL_TYPES = {
    Kind.TEXT: "varchar",
    Kind.ID: "varchar",
    Kind.ENUM: "varchar",
    Kind.INTEGER: "bigint",
    Kind.NUMBER: "double",
    Kind.MICRO: "bigint",
    Kind.FLAG: "boolean",
    Kind.INSTANT: "timestamptz",
    Kind.DATE: "date",
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a list resource. `name` is its snake_case API name, `sql` the stored expression."""

    name: str
    kind: Kind
    sql: str
    nullable: bool = False
    sortable: bool = True
    # Numbers the rows of its table from 0 in the order that it sorts by.
    is_row_number: bool = False

    @property
    def field(self) -> str:
        """The name of the column in JSON."""
        return camel(self.name)

    @property
    def shown(self) -> str:
        """SQL of the shown value."""
        if self.kind is Kind.MICRO:
            return f"{self.sql} / 1e6"
        if self.kind is Kind.ENUM:
            return f"upper({self.sql})"
        if self.kind is Kind.LIST:
            return f"coalesce({self.sql}, [])"
        if self.kind is Kind.NUMBER:
            # Models may use decimals, which JSON has not.
            return f"cast({self.sql} as double)"
        if self.kind is Kind.INSTANT:
            # Without its zone, because Python takes ten times as long for one with.
            return f"timezone('UTC', {self.sql})"
        return self.sql


def columns(*declared: Column) -> dict[str, Column]:
    """Columns by JSON name."""
    return {column.field: column for column in declared}


def select_list(chosen: Iterable[Column]) -> str:
    """The select list that shows these columns under their JSON names; instants are in UTC, without a zone."""
    return _select_list(tuple(chosen))


@lru_cache(maxsize=256)
def _select_list(chosen: tuple[Column, ...]) -> str:
    return ", ".join(f'{column.shown} as "{column.field}"' for column in chosen)


def camel(name: str) -> str:
    """`etv_micro` → `etvMicro`. A name that is already camelCase stays."""
    head, *rest = name.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest)


def find(known: Mapping[str, Column], name: str) -> Column | None:
    """The column of this name, in camelCase or snake_case."""
    return known.get(camel(name))


def parse_instant(text: str) -> datetime:
    """An RFC 3339 instant. Raises ValueError without a zone."""
    value = datetime.fromisoformat(text.replace("Z", "+00:00") if text.endswith("Z") else text)
    if value.tzinfo is None:
        raise ValueError("no zone")
    return value.astimezone(UTC)


# Token text ↔ value, for the values of the last row of a page in a page token.
FROM_TEXT: dict[Kind, Callable[[Any], Any]] = {
    Kind.INSTANT: parse_instant,
    Kind.DATE: date.fromisoformat,
}


_ID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def id_literals(ids: Iterable[str]) -> list[str]:
    """SQL literals of those texts that are UUIDs; nothing else can be an id.

    A literal, because a bound value costs DuckDB 0.15 ms more and is not compared with the bounds of row groups
    while planning. Safe, because a UUID has no quote.
    """
    return [f"'{wanted.lower()}'" for wanted in ids if _ID.fullmatch(wanted)]


def to_token(value: Any) -> Any:
    """A sort value as JSON."""
    return value.isoformat() if isinstance(value, date) else value


def from_token(kind: Kind, value: Any) -> Any:
    """The inverse of `to_token` for a column of this kind."""
    if value is None or kind not in FROM_TEXT:
        return value
    return FROM_TEXT[kind](value)
