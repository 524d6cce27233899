"""`/organizations/{organization}/repositories`: the list with figures, one repository, and removing it."""

from typing import Annotated, Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Path, Query, Request
from starlette.responses import JSONResponse, Response

from api.access.group_privacy.groups import shown_range
from api.callers.dependencies import ReadService, RepositoryManager, Viewer
from api.control import errors as control_errors
from api.control.repositories import removals
from api.errors import NotFound
from api.http.parameters import NoQuery
from api.query.pages import Position
from api.query.parameters import FigureQuery, RangeQuery
from api.read.entities import REPOSITORIES
from api.read.figures.entities import one_entity
from api.read.figures.shapes import Totals
from api.read.organizations import local_date
from api.read.repositories import COLUMNS, SEARCHED, Repository
from api.services import services
from api.shapes import Days, Empty, Page
from api.snapshot.build import Build
from api.v1.entity_lists import answer_entities

router = APIRouter(prefix="/organizations/{organization}/repositories", tags=["repositories"])


class RepositoryPage(Page, Days):
    """A page of repositories."""

    repositories: list[Repository]
    totals: Totals


@router.get("", summary="Repositories", operation_id="listRepositories", response_model=RepositoryPage)
async def list_repositories(
    viewer: Viewer, query: Annotated[FigureQuery, Query()], request: Request, reads: ReadService
) -> Response:
    """Repositories with their figures for a range of days. Default order: most ETV first.

    Sandboxes are in the list; `totals` leave them out.
    """
    return await answer_entities(request, reads, viewer, query, REPOSITORIES, COLUMNS, SEARCHED)


@router.get(
    "/{repository}", summary="One repository", operation_id="getRepository", response_model=Repository
)
async def get_repository(
    viewer: Viewer,
    repository: Annotated[str, Path(max_length=64, description="Id of the repository.")],
    query: Annotated[RangeQuery, Query()],
    request: Request,
    reads: ReadService,
) -> Response:
    """A repository with its figures for a range of days."""

    def read(build: Build, _: Position | None) -> dict[str, Any]:
        days = shown_range(viewer, query.start_date, query.end_date, local_date(build, viewer))
        found = one_entity(build, viewer, REPOSITORIES, COLUMNS, days, repository)
        if found is None:
            raise viewer.unknown(f"repository {repository!r}")
        return found

    return await reads.answer(request, viewer, read)


@router.delete(
    "/{repository}", summary="Remove a repository", operation_id="deleteRepository", response_model=Empty
)
async def delete_repository(
    manager: RepositoryManager,
    repository: Annotated[str, Path(max_length=64, description="Id of the repository.")],
    _: Annotated[NoQuery, Query()],
    request: Request,
) -> Response:
    """Delete a repository with all its facts and figures. Needs the role owner or admin.

    The next build leaves the repository out of every figure. While the service runs, the build starts within minutes,
    or after the analysis of the repository if one is running.
    """
    try:
        await run_sync(
            lambda: removals.remove(
                services(request).store, manager.organization_id, repository, actor=manager.principal
            )
        )
    except control_errors.NotFound:
        raise NotFound(f"no repository {repository!r} in this organization") from None
    return JSONResponse({})
