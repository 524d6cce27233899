"""Pages of lists from the control database: page token in; rows, next token and total out."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from anyio.to_thread import run_sync
from fastapi import Request
from starlette.responses import Response

from api.control.list_pages import ListPage, ListQuery
from api.control.store import ControlStore
from api.http.paging import NO_BUILD
from api.http.responses import private
from api.query.parameters import ControlQuery
from api.query.records import ShownAs, show
from api.services import services

Item = TypeVar("Item")


async def answer_list(
    request: Request,
    organization_id: str,
    query: ControlQuery,
    name: str,
    find: Callable[[ControlStore, str, ListQuery], ListPage[Item]],
    shape: ShownAs[Item],
    *,
    bound_to: str | None = None,
    more: Mapping[str, Any] | None = None,
) -> Response:
    """The requested page of the list `name`, read and serialized in a worker thread.

    `shape` is that of an item, or a function that shows one. `bound_to` differs for callers with different rows, so the
    page token of another caller is refused; by default it is the organization. `more` adds fields to the answer.
    """
    app = services(request)
    digest = query.digest(name, organization_id if bound_to is None else bound_to)
    asked = ListQuery(query.limit, query.order_by, app.reads.tokens.after(digest, query.page_token))

    def answer() -> Response:
        found = find(app.store, organization_id, asked)
        page = {
            name: [show(shape, one) for one in found.items],
            "nextPageToken": app.reads.tokens.next(digest, NO_BUILD, found.next_values),
            "totalSize": found.total,
        }
        return private({**page, **(more or {})})

    return await run_sync(answer)
