"""A server that executes GraphQL documents on entities in memory, over a schema in SDL.

Each provider has a subset of its schema in these tests. They run on the official one, too (`tests/official_schemas`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import graphql
import httpx

Node = dict[str, Any]


@cache
def subset(sdl: str) -> graphql.GraphQLSchema:
    """A schema of these tests."""
    return graphql.build_schema(sdl)


@cache
def checked(
    schema: graphql.GraphQLSchema, document: str
) -> tuple[graphql.DocumentNode, list[graphql.GraphQLError]]:
    """A document, and its faults by the schema. Kept: checking takes longer than executing."""
    parsed = graphql.parse(document)
    return parsed, graphql.validate(schema, parsed)


def execute(
    schema: graphql.GraphQLSchema, document: str, root: Mapping[str, Any], **options: Any
) -> graphql.ExecutionResult:
    """The result of a document, or its faults by the schema."""
    parsed, faults = checked(schema, document)
    return (
        graphql.ExecutionResult(None, faults)
        if faults
        else graphql.execute_sync(schema, parsed, root, **options)
    )


class GraphQlServer:
    """Answers documents. `root` has the values of the fields of Query; a callable value gets the arguments."""

    def __init__(self, schema: graphql.GraphQLSchema, root: Mapping[str, Any], most: int = 250) -> None:
        self.schema, self.root, self.most = schema, root, most
        self.documents: list[str] = []
        self.refuses: Callable[[str, Node], httpx.Response | None] = lambda _document, _variables: None

    def __call__(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        document, variables = body["query"], body["variables"]
        self.documents.append(document)
        if refused := self.refuses(document, variables):
            return refused
        if invalid := checked(self.schema, document)[1]:
            return httpx.Response(400, json={"errors": [{"message": one.message} for one in invalid]})
        result = execute(
            self.schema, document, dict(self.root), variable_values=variables, field_resolver=self._field
        )
        answer: Node = {"data": result.data}
        if result.errors:
            answer["errors"] = [
                {"message": e.message, "path": e.path, **(e.extensions or {})} for e in result.errors
            ]
        return httpx.Response(200, json=answer)

    def _field(self, source: Any, info: graphql.GraphQLResolveInfo, **arguments: Any) -> Any:
        value = source.get(info.field_name) if isinstance(source, Mapping) else None
        if callable(value):
            value = value(**arguments)
        is_connection = graphql.get_named_type(info.return_type).name.endswith("Connection")
        return self._page(value or [], arguments) if is_connection else value

    def _page(self, rows: list[Any], arguments: Node) -> Node:
        """A page after the row that the cursor names, as it is ordered now."""
        first = arguments.get("first") or 50
        if first > self.most:
            raise graphql.GraphQLError(f"first is at most {self.most}")
        ids = [
            str(row["id"]) if isinstance(row, Mapping) and "id" in row else str(n)
            for n, row in enumerate(rows)
        ]
        after = arguments.get("after")
        start = ids.index(after) + 1 if after in ids else 0
        page = rows[start : start + first]
        end = start + len(page)
        info = {"hasNextPage": end < len(rows), "endCursor": ids[end - 1] if page else None}
        return {"nodes": page, "pageInfo": info, "totalCount": len(rows)}
