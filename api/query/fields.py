"""Columns of a list from the fields of its response shape. A list declares its fields once, in the shape.

The name and the type of a field give its column. `Annotated` gives what they cannot: another name of the column
(`Stored`), another kind (`Id`, `EnumName`, `Micro`), or that the list has no column for the field (`NOT_STORED`).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from api.query.columns import Column, Kind, columns
from api.shapes import Shape


@dataclass(frozen=True, slots=True)
class Stored:
    """The SQL of a field's column, or the attribute of its record, where it differs from the field's name."""

    sql: str


@dataclass(frozen=True, slots=True)
class NotStored:
    """Marks a field that code computes or that another query reads."""


NOT_STORED = NotStored()

Id = Annotated[str, Kind.ID]
# Stored in lower case, answered in upper case; a Literal needs no mark.
EnumName = Annotated[str, Kind.ENUM]
# Stored as integer millionths in a column `…_micro`, answered as a number. A field `…_micros: int` of such a column
# answers the millionths.
Micro = Annotated[float, Kind.MICRO]

KINDS: dict[Any, Kind] = {
    str: Kind.TEXT,
    int: Kind.INTEGER,
    float: Kind.NUMBER,
    bool: Kind.FLAG,
    datetime: Kind.INSTANT,
    date: Kind.DATE,
}


def columns_of(shape: type[Shape]) -> dict[str, Column]:
    """The columns of a shape's fields by JSON name, in order. Raises TypeError for a field of no known kind."""
    return columns(*_columns(shape))


def reordered(known: Mapping[str, Column], names: Iterable[str], *, before: str) -> dict[str, Column]:
    """The columns with some of them moved before another one, for answers in another order than their document."""
    moved = {name: known[name] for name in names}
    result: dict[str, Column] = {}
    for name, column in known.items():
        if name == before:
            result |= moved
        if name not in moved:
            result[name] = column
    return result


def _columns(shape: type[Shape]) -> Iterator[Column]:
    for name, field in shape.model_fields.items():
        kind, marks, is_nullable = declared(field.annotation, tuple(field.metadata))
        if any(isinstance(mark, NotStored) for mark in marks):
            continue
        named = None
        # The outermost mark comes last, and wins.
        for mark in marks:
            if isinstance(mark, Kind):
                kind = mark
            elif isinstance(mark, Stored):
                named = mark.sql
        if kind is None:
            raise TypeError(
                f"{shape.__name__}.{name}: {field.annotation} does not tell how a column stores it; annotate it with "
                "its Kind, or with NOT_STORED if no column of the list holds it"
            )
        # A trailing underscore only sets a field apart from a keyword.
        own = name.rstrip("_")
        yield Column(
            own, kind, named or _stored(own, kind), nullable=is_nullable, sortable=kind is not Kind.LIST
        )


def _stored(name: str, kind: Kind) -> str:
    if kind is Kind.MICRO:
        return f"{name}_micro"
    return name.removesuffix("s") if name.endswith("_micros") else name


def declared(annotation: Any, marks: tuple[Any, ...]) -> tuple[Kind | None, tuple[Any, ...], bool]:
    """The kind of a type, its annotations from the inside out, and whether it may be null."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return declared(arguments[0], (*arguments[1:], *marks))
    if origin in (Union, UnionType):
        others = [one for one in arguments if one is not NoneType]
        if len(others) == 1:
            kind, marks, _ = declared(others[0], marks)
            return kind, marks, True
        return None, marks, NoneType in arguments
    if origin is Literal:
        return Kind.ENUM, marks, False
    if origin is list:
        # Rows of another shape are as likely read by a query of their own: the field has to say.
        return (Kind.LIST if arguments[0] in KINDS else None), marks, False
    return KINDS.get(annotation), marks, False
