"""`/organizations/{organization}/repositories`: the list with figures, one repository, and removing it."""

from functools import partial

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from api.callers.dependencies import RepositoryManager, Viewer
from api.control import errors as control_errors
from api.control.repositories import removals
from api.errors import NotFound
from api.http.parameters import NoQuery, Queried
from api.query.parameters import FigureQuery, RangeQuery
from api.read import repositories
from api.read.entities import REPOSITORIES
from api.read.figures.shapes import Totals
from api.read.repositories import COST_WITHOUT_COMMIT, ExplainedRepository, Repository
from api.services import services
from api.shapes import Days, Empty, Page
from api.v1.answers import answer_item, answer_page
from api.v1.benchmarks.chosen import chosen_benchmark, varies_by
from api.v1.benchmarks.shapes import BENCHMARK, BenchmarkFigures
from api.v1.paths import RepositoryPath

router = APIRouter(prefix="/organizations/{organization}/repositories", tags=["repositories"])


class RepositoryPage(Page, Days):
    """A page of repositories."""

    repositories: list[Repository]
    totals: Totals
    ai_cost_without_commit: float | None = COST_WITHOUT_COMMIT
    benchmark: BenchmarkFigures | None = BENCHMARK


@router.get("", summary="Repositories", response_model=RepositoryPage)
async def list_repositories(viewer: Viewer, query: Queried[FigureQuery], request: Request) -> Response:
    """Repositories with their figures for a range of days. Default order: most ETV first.

    Sandboxes are in the list; `totals` leave them out.
    """
    benchmark = await chosen_benchmark(request, viewer, query.benchmark, REPOSITORIES)
    read = partial(repositories.list_repositories, benchmark=benchmark)
    return await answer_page(request, viewer, query, "repositories", read, varies=varies_by(benchmark))


@router.get("/{repository}", summary="One repository", response_model=ExplainedRepository)
async def get_repository(
    viewer: Viewer, repository: RepositoryPath, query: Queried[RangeQuery], request: Request
) -> Response:
    """A repository with its figures for a range of days, and the reason where nothing of it counts."""
    return await answer_item(
        request, viewer, lambda build: repositories.get_repository(build, viewer, query, repository)
    )


@router.delete("/{repository}", summary="Remove a repository", response_model=Empty)
async def delete_repository(
    manager: RepositoryManager, repository: RepositoryPath, _: NoQuery, request: Request
) -> Response:
    """Delete a repository with all its facts and figures. Needs the role owner or admin.

    The next build leaves the repository out of every figure. While the service runs, the build starts within minutes,
    or after the analysis of the repository if one is running.
    """
    try:
        remove = partial(removals.remove, actor=manager.principal)
        await run_sync(remove, services(request).store, manager.organization_id, repository)
    except control_errors.NotFound:
        raise NotFound(f"no repository {repository!r} in this organization") from None
    return JSONResponse({})
