"""`orderBy` and keyset paging as SQL: the rows after the last row of a page.

Nulls come last in both directions. Every order ends with a unique column, so pages neither repeat nor skip rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from api.errors import InvalidArgument
from api.query.columns import SQL_TYPES, Column, Kind, find, from_token
from api.query.conditions import Condition

MAX_TERMS = 5


@dataclass(frozen=True, slots=True)
class Term:
    """One sorted column."""

    column: Column
    descending: bool

    @property
    def is_row_number(self) -> bool:
        """Whether the order is that of the row numbers alone."""
        return self.column.is_row_number


def parse_order(
    text: str, known: Mapping[str, Column], default: Sequence[Term], *unique: Column
) -> list[Term]:
    """The terms of an `orderBy` such as `etv desc, name`, ended by the columns that together are unique.

    Raises InvalidArgument for an unknown column, direction or repetition.
    """
    terms = [_term(part, known) for part in text.split(",")] if text.strip() else list(default)
    if len(terms) > MAX_TERMS:
        raise InvalidArgument("orderBy", f"sort by at most {MAX_TERMS} columns")
    names = [term.column.name for term in terms]
    if len(set(names)) != len(names):
        raise InvalidArgument("orderBy", "a column appears more than once; name each once")
    return terms + [Term(column, False) for column in unique if column.name not in names]


def _term(part: str, known: Mapping[str, Column]) -> Term:
    words = part.split()
    if not 1 <= len(words) <= 2 or (len(words) == 2 and words[1].lower() not in ("asc", "desc")):
        raise InvalidArgument("orderBy", f"{part.strip()!r} is not `column`, `column asc` or `column desc`")
    column = find(known, words[0])
    if column is None or not column.sortable:
        choices = ", ".join(name for name, c in known.items() if c.sortable)
        raise InvalidArgument("orderBy", f"cannot sort by {words[0]!r}; sort by {choices}")
    return Term(column, len(words) == 2 and words[1].lower() == "desc")


def order_sql(terms: Sequence[Term]) -> str:
    """The `order by` list."""
    return ", ".join(f"{t.column.sql} {'desc' if t.descending else 'asc'} nulls last" for t in terms)


def key_list(terms: Sequence[Term]) -> str:
    """Select list of the sort values, named `key_0`, `key_1`, …, as page tokens can hold them."""
    keys = [term.column.shown if term.column.kind is Kind.NUMBER else term.column.sql for term in terms]
    return ", ".join(f"{key} as key_{number}" for number, key in enumerate(keys))


def after(terms: Sequence[Term], values: Sequence[Any]) -> Condition:
    """Rows that come after the row with these sort values. Raises ValueError when they do not fit the terms."""
    if len(values) != len(terms):
        raise ValueError("as many values as terms")
    ways: list[str] = []
    parameters: list[Any] = []
    equal: list[str] = []
    equal_values: list[Any] = []
    for term, raw in zip(terms, values, strict=True):
        value = from_token(term.column.kind, raw)
        typed = f"cast(? as {SQL_TYPES[term.column.kind]})"
        if value is not None:
            step = f"{term.column.sql} {'<' if term.descending else '>'} {typed}"
            if term.column.nullable:
                step = f"({step} or {term.column.sql} is null)"
            ways.append(" and ".join([*equal, step]))
            parameters += [*equal_values, value]
            equal.append(f"{term.column.sql} = {typed}")
            equal_values.append(value)
        else:
            equal.append(f"{term.column.sql} is null")
    if not ways:
        return Condition("false")
    return Condition(" or ".join(f"({way})" for way in ways), tuple(parameters))
