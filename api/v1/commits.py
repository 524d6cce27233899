"""`/organizations/{organization}/commits`: the list and one commit explained."""

from datetime import date
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from api.deps import ReadService, Viewer
from api.paging import PageQuery, Position
from api.read.commits import COLUMNS, NEWEST_FIRST, POSITION, CommitSelection, commit_page
from api.read.ordering import TRUE, parse_order
from api.responses import Continuation
from api.warehouse import Build

router = APIRouter(prefix="/organizations/{organization}/commits", tags=["commits"])


class CommitQuery(PageQuery):
    """Parameters of the list of commits."""

    repository: str | None = Field(None, max_length=64, description="Id of a repository.")
    developer: str | None = Field(None, max_length=64, description="Id of a developer.")
    start_date: date | None = Field(None, description="First day of delivery.")
    end_date: date | None = Field(None, description="Last day of delivery.")
    ai_assisted: bool | None = Field(None)
    counted: bool | None = Field(None)
    search: str = Field("", max_length=200)
    order_by: str = Field("", max_length=200)


@router.get("", summary="Commits", operation_id="listCommits")
async def list_commits(
    viewer: Viewer, query: Annotated[CommitQuery, Query()], request: Request, reads: ReadService
) -> Response:
    """Newest delivery first, undelivered last."""
    selection = CommitSelection(
        query.repository,
        query.developer,
        (),
        query.start_date,
        query.end_date,
        query.ai_assisted,
        query.counted,
        query.search,
    )
    known = COLUMNS | {"deliveredAt": POSITION}
    terms = parse_order(query.order_by, known, NEWEST_FIRST, POSITION)
    digest = query.digest("commits", viewer.key)

    def read(build: Build, position: Position | None) -> dict[str, Any]:
        found = commit_page(build, viewer, selection, terms, TRUE, query.limit, position)
        token = reads.tokens.make(digest, Position(build.id, found.next_values)) if found.next_values else ""
        return {"commits": found.rows, "nextPageToken": token, "totalSize": found.total}

    return await reads.answer(request, viewer, read, Continuation(query.page_token, digest))
