"""The part of an answer of REST that a tool shows, and the JSON Schema of that part.

A field is a path such as `series.points.start`. One that ends with `?` is left out where it says nothing; one that ends
with `~` may be missing in the answer of REST. The schema has the types and descriptions of the answer's shape, so a
field is described once. Keep out: tools (tools.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

SHOWN_KEYS = ("type", "format", "enum", "const", "description", "anyOf", "items")


class Fields(dict[str, "Fields"]):
    """A tree of fields; a leaf is shown whole."""

    def __init__(self) -> None:
        super().__init__()
        self.optional: set[str] = set()
        self.required: set[str] = set()

    @classmethod
    def of(cls, paths: Iterable[str]) -> Fields:
        """The tree of these paths."""
        tree = cls()
        for path in paths:
            at = tree
            *above, name = path.rstrip("?~").split(".")
            for step in above:
                at = at.setdefault(step, cls())
            at.setdefault(name, cls())
            if path.endswith("?"):
                at.optional.add(name)
            elif not path.endswith("~"):
                at.required.add(name)
        return tree

    def kept(self, value: Any) -> Any:
        """The fields of a value that are in the tree."""
        if isinstance(value, list):
            return [self.kept(one) for one in value]
        if not self or not isinstance(value, dict):
            return value
        return {
            name: below.kept(value[name])
            for name, below in self.items()
            if name in value and not (name in self.optional and _is_empty(value[name]))
        }


def _is_empty(value: Any) -> bool:
    """Whether a value says nothing. 0 says something."""
    return value is None or value is False or value == "" or value == []


def schema_of(shape: type[BaseModel], fields: Fields) -> dict[str, Any]:
    """The JSON Schema of the fields of a shape, without references. Raises KeyError for a field that it has not."""
    whole = shape.model_json_schema(mode="serialization")
    return _kept(whole, fields, whole.get("$defs", {}))


def _kept(schema: Mapping[str, Any], fields: Fields, named: Mapping[str, Any]) -> dict[str, Any]:
    text = schema.get("description")
    if "$ref" in schema:
        schema = {**named[schema["$ref"].rpartition("/")[2]], **({"description": text} if text else {})}
    if fields and "anyOf" in schema:
        return dict(schema) | {"anyOf": [_kept(one, fields, named) for one in schema["anyOf"]]}
    if schema.get("type") == "array" and "items" in schema:
        return _plain(schema) | {"items": _kept(schema["items"], fields, named)}
    if schema.get("type") != "object" or "properties" not in schema:
        return _plain(schema, named)
    below = fields or Fields.of(schema["properties"])
    shown = {name: _kept(schema["properties"][name], tree, named) for name, tree in below.items()}
    return {
        "type": "object",
        "properties": shown,
        "required": [
            name
            for name, tree in below.items()
            if name in below.required or (tree and name not in below.optional)
        ],
    }


def _plain(schema: Mapping[str, Any], named: Mapping[str, Any] | None = None) -> dict[str, Any]:
    found = {key: schema[key] for key in SHOWN_KEYS if key in schema}
    if named is not None and "anyOf" in found:
        found["anyOf"] = [_kept(one, Fields(), named) for one in found["anyOf"]]
    return found
