"""Conditions on rows as SQL.

`one_of` and `days` restrict always. The others take what a caller selects: an empty selection restricts nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from api.query.columns import id_literals


@dataclass(frozen=True, slots=True)
class Condition:
    """A boolean SQL expression and its parameters."""

    sql: str
    parameters: tuple[Any, ...] = ()


TRUE = Condition("true")


def both(*conditions: Condition) -> Condition:
    """All of them."""
    chosen = [c for c in conditions if c is not TRUE]
    if not chosen:
        return TRUE
    return Condition(
        " and ".join(f"({c.sql})" for c in chosen), tuple(value for c in chosen for value in c.parameters)
    )


def one_of(column: str, ids: Iterable[str]) -> Condition:
    """The rows with one of these ids in the column."""
    literals = id_literals(ids)
    if not literals:
        return Condition("false")
    return Condition(
        f"{column} = {literals[0]}" if len(literals) == 1 else f"{column} in ({', '.join(literals)})"
    )


def days(column: str, first: date | None, last: date | None) -> Condition:
    """The rows with a day in this range, both ends included; a missing end is open. Dates are safe as literals."""
    ends = [
        Condition(f"{column} {sign} date '{day}'")
        for sign, day in ((">=", first), ("<=", last))
        if day is not None
    ]
    return both(*ends)


def selected(column: str, ids: Sequence[str]) -> Condition:
    """The rows with one of the selected ids in the column."""
    return one_of(column, ids) if ids else TRUE


def named(column: str, names: Sequence[str]) -> Condition:
    """The rows with one of the selected names, which are stored in lower case."""
    if not names:
        return TRUE
    marks = ", ".join("?" for _ in names)
    return Condition(f"{column} in ({marks})", tuple(name.lower() for name in names))


def flagged(column: str, value: bool | None) -> Condition:
    """The rows with this value in a column of booleans."""
    return TRUE if value is None else Condition(f"{column} = ?", (value,))


def without(column: str, *, unless: bool) -> Condition:
    """The rows without a flag, unless the caller asks for them too."""
    return TRUE if unless else Condition(f"not {column}")


def matching(search: str, columns: Sequence[str]) -> Condition:
    """The rows in which every word of a search appears in one of these columns."""
    words = search.split()
    if not words:
        return TRUE
    text = " || chr(10) || ".join(f"coalesce(lower({column}), '')" for column in columns)
    return Condition(" and ".join(f"contains({text}, lower(?))" for _ in words), tuple(words))
