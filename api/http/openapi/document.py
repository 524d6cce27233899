"""The application with its OpenAPI document: the framework's, with links, descriptions of fields, and answers."""

from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts

from api.access.row_access import RowAccess
from api.http.openapi.answers import describe_answers
from api.http.openapi.fields import describe_fields
from api.http.openapi.links import add_links
from api.http.openapi.texts import operation_id


class DescribedApi(FastAPI):
    """An application whose OpenAPI document is complete: what FastAPI does not know is added once."""

    def openapi(self) -> dict[str, Any]:
        """The document, made once."""
        is_new = self.openapi_schema is None
        document = super().openapi()
        if is_new:
            describe_fields(document)
            describe_answers(document, set(_readers(self)))
            add_links(document)
        return document


def _readers(app: FastAPI) -> Iterator[str]:
    """Operations that depend on the rows that their caller may see."""
    for found in iter_route_contexts(app.routes):
        route = found.original_route
        if isinstance(route, APIRoute) and _needs_rows(found.dependant):
            yield operation_id(route)


def _needs_rows(dependant: Dependant) -> bool:
    returned = getattr(dependant.call, "__annotations__", {}).get("return")
    return returned is RowAccess or any(map(_needs_rows, dependant.dependencies))
