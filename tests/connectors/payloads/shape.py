"""A shape of stored payloads: where rows lie in a file, which fields they have, and who reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ingest.json_paths import JsonPath

EACH = "*"
"""Step of a place that stands for every entry of a list."""


@dataclass(frozen=True)
class Shape:
    """A shape of file: below a folder of that name, with rows at a place that have certain fields.

    `read` makes a record, or whatever the connector makes of such a row; a row of another shape is left to the others.
    `kind` is the value of the field `object_kind` of hooks, `lacks` are fields of rows of a similar shape.
    """

    folder: str
    makes: str
    place: JsonPath
    has: frozenset[str]
    read: Callable[[Any], Any]
    kind: str | None = None
    lacks: frozenset[str] = frozenset()

    def rows(self, payload: Any) -> list[Any]:
        """The rows of a payload that have this shape. Looking at them reads nothing."""
        return [row for row in _at(payload, self.place) if isinstance(row, dict) and self._fits(row)]

    def _fits(self, row: dict[str, Any]) -> bool:
        return (
            self.has <= row.keys()
            and not self.lacks & row.keys()
            and (self.kind is None or dict.get(row, "object_kind") == self.kind)
        )


def _at(found: Any, place: JsonPath) -> Iterator[Any]:
    if not place:
        yield from list.__iter__(found) if isinstance(found, list) else (found,)
    elif place[0] == EACH and isinstance(found, list):
        for one in list.__iter__(found):
            yield from _at(one, place[1:])
    elif isinstance(found, dict):
        yield from _at(dict.get(found, str(place[0])), place[1:])
