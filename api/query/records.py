"""Records as answers, by the fields of their shape. Keep out: rows of a build (columns.py shows them)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from operator import attrgetter
from typing import Any, Literal, TypeVar, get_args, get_origin

from api.query.columns import Kind
from api.query.fields import Stored, declared
from api.query.parameters import OneOf
from api.shapes import Shape

Item = TypeVar("Item")
ShownAs = type[Shape] | Callable[[Item], Mapping[str, Any]]
Shown = Callable[[Any], Any]


def shown(shape: type[Shape], record: object, **given: Any) -> dict[str, Any]:
    """The answer of this shape from the attributes of a record, which have the names of the fields or of `Stored`.

    Enumerations are answered by their names in capitals, and records in a list by their own shape. `given` has the
    values of fields that the record has not.
    """
    found = _fields(shape, frozenset(given))
    row: dict[str, Any] = dict.fromkeys(found.keys)
    row.update(zip(found.read, found.values(record), strict=True))
    for key, show in found.shows.items():
        row[key] = show(row[key])
    for name, value in given.items():
        row[found.given[name]] = value
    return row


def show(shape: ShownAs[Item], record: Item) -> Mapping[str, Any]:
    """A record by its shape, or by a function where fields are no attributes of it."""
    return shown(shape, record) if isinstance(shape, type) else shape(record)


@dataclass(frozen=True, slots=True)
class _Fields:
    """The JSON names of a shape's fields, and those that come from a record, in order."""

    keys: tuple[str, ...]
    read: tuple[str, ...]
    given: dict[str, str]
    shows: dict[str, Shown]
    values: Callable[[object], tuple[Any, ...]]


@lru_cache(maxsize=256)
def _fields(shape: type[Shape], given: frozenset[str]) -> _Fields:
    keys = {name: field.alias or name for name, field in shape.model_fields.items()}
    attributes: dict[str, str] = {}
    shows: dict[str, Shown] = {}
    for name, field in shape.model_fields.items():
        if name in given:
            continue
        kind, marks, _ = declared(field.annotation, tuple(field.metadata))
        attributes[keys[name]] = next((mark.sql for mark in marks if isinstance(mark, Stored)), name)
        show = _show(field.annotation, kind, marks)
        if show is not None:
            shows[keys[name]] = show
    return _Fields(
        tuple(keys.values()),
        tuple(attributes),
        {name: keys[name] for name in given},
        shows,
        _reader(tuple(attributes.values())),
    )


def _reader(names: tuple[str, ...]) -> Callable[[object], tuple[Any, ...]]:
    if len(names) > 1:
        return attrgetter(*names)
    # With one name alone, `attrgetter` gives no tuple.
    return lambda record: tuple(attrgetter(name)(record) for name in names)


def _show(annotation: Any, kind: Kind | None, marks: tuple[Any, ...]) -> Shown | None:
    is_name = kind is Kind.ENUM or any(mark is Kind.ENUM or isinstance(mark, OneOf) for mark in marks)
    if is_name and all(value.isupper() for value in _literals(annotation)):
        return _name
    if get_origin(annotation) is list:
        (item,) = get_args(annotation)
        if isinstance(item, type) and issubclass(item, Shape):
            return lambda records: [shown(item, record) for record in records]
    return None


def _literals(annotation: Any) -> tuple[str, ...]:
    if get_origin(annotation) is Literal:
        return get_args(annotation)
    return tuple(value for part in get_args(annotation) for value in _literals(part))


def _name(value: Any) -> str | None:
    if isinstance(value, Enum):
        return value.name
    return value and str(value).upper()
