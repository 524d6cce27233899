"""The lists that generated clients read."""

from dataclasses import dataclass
from typing import Any

from tests.end_to_end.read_surface import ReadSurface, routes


@dataclass(frozen=True)
class List:
    """A list of an organization: its operation, path, values of its path, and the field with its items."""

    operation: str
    tag: str
    path: str
    ids: dict[str, str]
    query: dict[str, str]
    items: str


def lists(surface: ReadSurface, without: set[str]) -> list[List]:
    """Every GET that answers with a page, but for some paths."""
    found = []
    for path in routes(surface.document):
        operation = surface.operation(path)
        schema = _page(surface.document, operation)
        if path in without or "nextPageToken" not in schema["properties"]:
            continue
        items = next(name for name, one in schema["properties"].items() if "$ref" in one.get("items", {}))
        names = {one["name"] for one in operation["parameters"] if one["in"] == "query"}
        query = {name: surface.query[name] for name in ("startDate", "endDate") if name in names}
        found.append(
            List(operation["operationId"], operation["tags"][0], path, surface.ids(path), query, items)
        )
    return found


def _page(document: dict[str, Any], operation: dict[str, Any]) -> dict[str, Any]:
    reference: str = operation["responses"]["200"]["content"]["application/json"]["schema"]["$ref"]
    schema: dict[str, Any] = document["components"]["schemas"][reference.rpartition("/")[2]]
    return schema
