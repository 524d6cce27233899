"""Pages of lists from the control database: page token in; rows, next token and total out."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from anyio.to_thread import run_sync
from fastapi import Request
from starlette.responses import Response

from api.control.list_pages import ListPage, ListQuery
from api.control.store import ControlStore
from api.http.paging import NO_BUILD, PageTokens
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
    asked = _Asked.of(request, query, name, organization_id if bound_to is None else bound_to)

    def answer() -> Response:
        found = find(services(request).store, organization_id, asked.query)
        return asked.answer(found, shape, more or {})

    return await run_sync(answer)


async def answer_named_list(
    request: Request,
    organization_id: str,
    query: ControlQuery,
    name: str,
    find: Callable[[ControlStore, str, ListQuery], ListPage[Item]],
    shape_of: Callable[[Sequence[Item]], Awaitable[ShownAs[Item]]],
    *,
    bound_to: str,
) -> Response:
    """As `answer_list`; `shape_of` makes the shape for the items of the page: with what a build says about these."""
    asked = _Asked.of(request, query, name, bound_to)
    found = await run_sync(find, services(request).store, organization_id, asked.query)
    shape = await shape_of(found.items)
    return await run_sync(asked.answer, found, shape, {})


@dataclass(frozen=True, slots=True)
class _Asked:
    """The page that a request asks for, with what its tokens are bound to."""

    query: ListQuery
    name: str
    digest: bytes
    tokens: PageTokens

    @staticmethod
    def of(request: Request, query: ControlQuery, name: str, bound_to: str) -> "_Asked":
        tokens = services(request).reads.tokens
        digest = query.digest(name, bound_to)
        asked = ListQuery(query.limit, query.order_by, tokens.after(digest, query.page_token))
        return _Asked(asked, name, digest, tokens)

    def answer(self, found: ListPage[Item], shape: ShownAs[Item], more: Mapping[str, Any]) -> Response:
        page = {
            self.name: [show(shape, one) for one in found.items],
            "nextPageToken": self.tokens.next(self.digest, NO_BUILD, found.next_values),
            "totalSize": found.total,
        }
        return private({**page, **more})
