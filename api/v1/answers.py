"""Answers to reads of a build: one page of a list, or one item. The reads themselves know no HTTP (read/)."""

from collections.abc import Callable
from typing import Any, TypeVar

from fastapi import Request
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.http.responses import Continuation
from api.query.pages import Page, Position
from api.query.parameters import PageQuery
from api.services import services
from api.snapshot.build import Build

Query = TypeVar("Query", bound=PageQuery)


async def answer_page(
    request: Request,
    access: RowAccess,
    query: Query,
    name: str,
    read: Callable[[Build, RowAccess, Query, Position | None], Page],
    *,
    resource: str = "",
    varies: str = "",
) -> Response:
    """The page that `read` finds, with its rows in the field `name`.

    Page tokens are bound to the list `resource`, by default the name. `varies` is as in `Reads.answer`.
    """
    reads = services(request).reads
    digest = query.digest(resource or name, access.key)

    def found(build: Build, position: Position | None) -> dict[str, Any]:
        page = read(build, access, query, position)
        return {
            **page.before_rows,
            name: page.rows,
            **page.after_rows,
            "nextPageToken": reads.tokens.next(digest, build.id, page.next_values),
            "totalSize": page.total,
        }

    return await reads.answer(request, access, found, Continuation(query.page_token, digest), varies=varies)


async def answer_item(request: Request, access: RowAccess, read: Callable[[Build], Any]) -> Response:
    """What `read` finds in the current build."""
    return await services(request).reads.answer(request, access, lambda build, _: read(build))
