"""Every GET below an organization, as /openapi.json lists them, with data behind each path parameter."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import httpx
from jsonschema import Draft202012Validator

PREFIX = "/api/v1/organizations/{organization}"


def routes(document: dict[str, Any]) -> list[str]:
    """Paths of every GET of an organization."""
    return [
        path for path, methods in document["paths"].items() if path.startswith(PREFIX) and "get" in methods
    ]


@dataclass
class ReadSurface:
    """The routes of an organization on a server, each of which can be asked with data behind it."""

    client: httpx.Client
    organization: str
    # Values of query parameters, given to each route that documents the parameter with the value.
    query: dict[str, str]

    @property
    def root(self) -> str:
        """Path of the organization."""
        return f"/api/v1/organizations/{self.organization}"

    @property
    def days(self) -> dict[str, str]:
        """The range that holds every delivery."""
        return {name: self.query[name] for name in ("startDate", "endDate")}

    @cached_property
    def document(self) -> dict[str, Any]:
        """The OpenAPI document that the server gives."""
        document: dict[str, Any] = self.client.get("/openapi.json").json()
        return document

    def operation(self, path: str) -> dict[str, Any]:
        """The documented GET of a path."""
        found: dict[str, Any] = self.document["paths"][path]["get"]
        return found

    def ask(self, path: str, **query: Any) -> httpx.Response:
        """Ask a documented path, its parameters filled with the first item of the list that it stands below."""
        allowed = {
            parameter["name"]: parameter["schema"].get("enum")
            for parameter in self.operation(path).get("parameters", [])
        }
        given = {
            name: value
            for name, value in self.query.items()
            if name in allowed and value in (allowed[name] or [value])
        }
        chosen = {name: value for name, value in (given | query).items() if value is not None}
        return self.client.get(self._filled(path), params=chosen)

    def every(self, path: str, **query: Any) -> list[dict[str, Any]]:
        """Every item of a list below the organization, page by page. A parameter with the value None is not sent."""
        return self._pages(lambda token: self.ask(PREFIX + path, **query, pageToken=token))

    def below(self, path: str) -> list[dict[str, Any]]:
        """Every item of a list whose path has its ids."""
        return self._pages(
            lambda token: self.client.get(self.root + path, params={"pageToken": token} if token else {})
        )

    def _pages(self, ask: Callable[[str | None], httpx.Response]) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        token = None
        while True:
            answer = ask(token)
            assert answer.status_code == 200, answer.text
            page = answer.json()
            items += listed(page)
            if "nextPageToken" not in page:
                # The points of a series are one page.
                return items
            token = page["nextPageToken"]
            if not token:
                assert len(items) == page["totalSize"]
                return items

    def violations(self, path: str, answer: httpx.Response) -> list[str]:
        """Where an answer departs from its schema; a field that the schema does not name departs, too."""
        documented = self.operation(path)["responses"][str(answer.status_code)]["content"]
        schema = documented["application/json"]["schema"] | {"components": self._closed}
        return [
            f"{error.json_path}: {error.message[:300]}"
            for error in Draft202012Validator(schema).iter_errors(answer.json())
        ]

    @cached_property
    def _closed(self) -> dict[str, Any]:
        components: dict[str, Any] = copy.deepcopy(self.document["components"])
        for schema in components["schemas"].values():
            if "properties" in schema:
                schema.setdefault("additionalProperties", False)
        return components

    def ids(self, path: str) -> dict[str, str]:
        """A value for each parameter of a path: the organization, and the first item of each list above."""
        found, filled = {}, ""
        for part in path.split("/")[1:]:
            if part == "{organization}":
                found["organization"] = self.organization
            elif part.startswith("{"):
                found[part.strip("{}")] = self._first_id(filled)
            filled += "/" + part.format_map(found)
        return found

    def _filled(self, path: str) -> str:
        return path.format_map(self.ids(path))

    def _first_id(self, collection: str) -> str:
        answer = self.client.get(collection)
        assert answer.status_code == 200, answer.text
        items = listed(answer.json())
        assert items, f"{collection} has no item: give the organization of the test one"
        # A revision has its number in its path.
        return str(items[0].get("id", items[0].get("number")))


def listed(page: dict[str, Any]) -> list[dict[str, Any]]:
    """The items of a page: its first list."""
    found: list[dict[str, Any]] = next(value for value in page.values() if isinstance(value, list))
    return found
