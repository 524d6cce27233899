"""Puts pseudonyms in the place of erased people in the rows of a raw table.

Keep out: single texts (texts.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ingest.erasure import texts
from ingest.erasure.marks import Marks

# Tables about repositories. An address of one may name the account of its owner; it stays as long as the repository.
LEFT = frozenset({("git", "repository_runs"), ("control", "repositories")})
LEFT_BUT_PAYLOAD = ("hosts", "repositories")
# The columns that tell to whom a name belongs, where a suffix does not.
BESIDE = {
    "holder": ("address",),
    "commit_name": ("commit_address",),
    "proper_name": ("proper_address", "commit_address"),
}
SUFFIXES = ("_email", "_login", "_id", "")


def rewritten(marks: Marks, noun: str, table: str, rows: pa.Table) -> pa.Table:
    """The rows with pseudonyms, in the same order; the same object where they name no erased person."""
    if (noun, table) in LEFT:
        return rows
    columns = {field.name: rows.column(field.name) for field in rows.schema}
    changed = {
        name: column
        for name, old in columns.items()
        if ((noun, table) != LEFT_BUT_PAYLOAD or name == "payload")
        and (column := _column(marks, name, old)) is not old
    }
    changed |= _names(marks, columns, changed)
    for name, column in changed.items():
        place = rows.schema.get_field_index(name)
        rows = rows.set_column(place, rows.schema.field(place), column.cast(rows.schema.field(place).type))
    return rows


def _column(marks: Marks, name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_string(column.type):
        return _mapped(column, lambda value: texts.cell(marks, name, value))
    if not _has_text(column.type) or not _names_someone(marks, name, column):
        return column
    return pa.chunked_array([pa.array([_value(marks, name, one) for one in column.to_pylist()], column.type)])


def _mapped(column: pa.ChunkedArray, change: Callable[[str], str]) -> pa.ChunkedArray:
    """Each text is changed once; the column itself where none changes."""
    different = pc.unique(column)
    values = different.to_pylist()
    mapped = [None if value is None else change(value) for value in values]
    if mapped == values:
        return column
    return pa.chunked_array([pa.array(mapped, column.type).take(one) for one in _indices(column, different)])


def _indices(column: pa.ChunkedArray, different: pa.Array) -> list[pa.Array]:
    return [pc.index_in(chunk, value_set=different) for chunk in column.chunks]


def _has_text(kind: pa.DataType) -> bool:
    if pa.types.is_list(kind):
        return _has_text(kind.value_type)
    if pa.types.is_struct(kind):
        return any(_has_text(kind.field(i).type) for i in range(kind.num_fields))
    return bool(pa.types.is_string(kind))


def _names_someone(marks: Marks, name: str, column: Any) -> bool:
    """Whether a text inside lists and structures changes. Most do not, and becoming Python values takes long."""
    kind = column.type
    if name in texts.FROZEN or name.endswith(texts.FROZEN_ENDS):
        return False
    if pa.types.is_string(kind):
        values = (value for value in pc.unique(column).to_pylist() if value is not None)
        is_changed = any(texts.cell(marks, name, value) != value for value in values)
        return bool(is_changed or (marks.has_pairs and name.endswith("_name")))
    if pa.types.is_list(kind):
        return _names_someone(marks, name, pc.list_flatten(column)) if _has_text(kind) else False
    if pa.types.is_struct(kind):
        fields = [kind.field(i) for i in range(kind.num_fields)]
        return any(
            _names_someone(marks, field.name, pc.struct_field(column, field.name))
            for field in fields
            if _has_text(field.type)
        )
    return False


def _value(marks: Marks, name: str, value: Any) -> Any:
    if isinstance(value, str):
        return texts.cell(marks, name, value)
    if isinstance(value, list):
        return [_value(marks, name, one) for one in value]
    if not isinstance(value, dict):
        return value
    after = {key: _value(marks, key, one) for key, one in value.items()}
    for key in value:
        if (owner := _owner(marks, key, value)) is not None:
            pseudonym, address = owner
            after[key] = pseudonym.name.lower() if key == "holder" else pseudonym.name
            after |= {address: pseudonym.address} if address else {}
    return after


def _beside(name: str) -> tuple[str, ...]:
    """The columns that tell whose name a column has."""
    if name in BESIDE:
        return BESIDE[name]
    return tuple(f"{name.removesuffix('_name')}{end}" for end in SUFFIXES) if name.endswith("_name") else ()


def _owner(marks: Marks, name: str, row: dict[str, Any]) -> tuple[Any, str] | None:
    """The erased person whose name a column of a row has; and the column of an address that others use too."""
    if not row.get(name):
        return None
    for column in _beside(name):
        value = row.get(column)
        if not isinstance(value, str) or not value:
            continue
        found = marks.find("address", value) if "@" in value else None
        if found is None and texts.is_of_people(column):
            found = marks.find("login", value)
        if found is not None:
            return found, ""
        if (found := marks.find_pair(row[name], value)) is not None:
            return found, column
    return None


def _names(
    marks: Marks, columns: dict[str, pa.ChunkedArray], changed: dict[str, pa.ChunkedArray]
) -> dict[str, pa.ChunkedArray]:
    """Columns of names beside an address or login of an erased person, and of addresses that others use too."""
    found: dict[str, list[Any]] = {}
    for name, column in columns.items():
        beside = [one for one in _beside(name) if one in columns and pa.types.is_string(columns[one].type)]
        if not beside or not (marks.has_pairs or any(one in changed for one in beside)):
            continue
        rows = zip(column.to_pylist(), *(columns[one].to_pylist() for one in beside), strict=True)
        for number, (value, *others) in enumerate(rows):
            owner = _owner(marks, name, {name: value, **dict(zip(beside, others, strict=True))})
            if owner is not None:
                pseudonym, address = owner
                for one, text in ((name, pseudonym.name), (address, pseudonym.address)):
                    if one:
                        values = found.setdefault(one, changed.get(one, columns[one]).to_pylist())
                        values[number] = text
    return {name: pa.chunked_array([pa.array(values, pa.string())]) for name, values in found.items()}
