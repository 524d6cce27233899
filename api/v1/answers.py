"""Answers: a page of a list or one item of a build, and a record of the control database that is found or changed.

What is read and changed knows no HTTP (read/, control/).
"""

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from anyio.to_thread import run_sync
from fastapi import Request
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.access import Access
from api.control.principals import Principal
from api.control.store import ControlStore
from api.http.responses import private
from api.presentation.charts.frames import Specification
from api.presentation.charts.themes import Theme
from api.query.pages import Page, Position
from api.query.parameters import PageQuery
from api.query.records import ShownAs, show
from api.services import services
from api.snapshot.build import Build

Query = TypeVar("Query", bound=PageQuery)
Item = TypeVar("Item")
Given = ParamSpec("Given")


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
    position = reads.tokens.position(digest, query.page_token)

    def found(build: Build) -> dict[str, Any]:
        page = read(build, access, query, position)
        return {
            **page.before_rows,
            name: page.rows,
            **page.after_rows,
            "nextPageToken": reads.tokens.next(digest, build.id, page.next_values),
            "totalSize": page.total,
        }

    return await reads.answer(request, access, found, position=position, varies=varies)


async def answer_picture(
    request: Request,
    access: RowAccess,
    query: Query,
    resource: str,
    specify: Callable[[Build, Position | None], Specification],
    theme: Theme,
    *,
    varies: str = "",
) -> Response:
    """The picture of the specification that `specify` makes of a page of the list `resource`."""
    reads = services(request).reads
    position = reads.tokens.position(query.digest(resource, access.key), query.page_token)
    return await reads.picture(
        request, access, lambda build: specify(build, position), theme, position=position, varies=varies
    )


async def answer_item(request: Request, access: RowAccess, read: Callable[[Build], Any]) -> Response:
    """What `read` finds in the current build."""
    return await services(request).reads.answer(request, access, read)


async def answer_record(
    request: Request,
    access: Access,
    shape: ShownAs[Item],
    find: Callable[Concatenate[ControlStore, str, Given], Item],
    *given: Given.args,
    **named: Given.kwargs,
) -> Response:
    """What `find` finds in the organization of the caller, with these arguments."""
    found = await run_sync(lambda: find(services(request).store, access.organization_id, *given, **named))
    return private(show(shape, found))


async def answer_change(
    request: Request,
    access: Access,
    shape: ShownAs[Item],
    change: Callable[Concatenate[ControlStore, Principal, str, Given], Item],
    *given: Given.args,
    **named: Given.kwargs,
) -> Response:
    """What `change` makes in the organization of the caller, with these arguments."""
    made = await run_sync(
        lambda: change(services(request).store, access.principal, access.organization_id, *given, **named)
    )
    return private(show(shape, made))
