"""`/organizations/{organization}/developers`: the list with figures, and one developer."""

from functools import partial

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import Viewer
from api.http.parameters import Queried
from api.query.parameters import FigureQuery, RangeQuery
from api.read import developers
from api.read.developers import Developer, ListedDeveloper
from api.read.entities import DEVELOPERS
from api.read.figures.shapes import Totals
from api.shapes import Days, Page
from api.v1.answers import answer_item, answer_page
from api.v1.benchmarks.chosen import chosen_benchmark, varies_by
from api.v1.benchmarks.shapes import BENCHMARK, BenchmarkFigures
from api.v1.paths import DeveloperPath

router = APIRouter(prefix="/organizations/{organization}/developers", tags=["developers"])


class DeveloperPage(Page, Days):
    """A page of developers."""

    developers: list[ListedDeveloper]
    totals: Totals
    benchmark: BenchmarkFigures | None = BENCHMARK


@router.get("", summary="Developers", response_model=DeveloperPage)
async def list_developers(viewer: Viewer, query: Queried[FigureQuery], request: Request) -> Response:
    """Developers with their figures for a range of days. Default order: most ETV first.

    Figures leave out work in sandboxes. Bots are in the list; `totals` leave them out.
    """
    benchmark = await chosen_benchmark(request, viewer, query.benchmark, DEVELOPERS)
    read = partial(developers.list_developers, benchmark=benchmark)
    return await answer_page(request, viewer, query, "developers", read, varies=varies_by(benchmark))


@router.get("/{developer}", summary="One developer", response_model=Developer)
async def get_developer(
    viewer: Viewer, developer: DeveloperPath, query: Queried[RangeQuery], request: Request
) -> Response:
    """A developer with figures for a range of days, and with all names and email addresses."""
    return await answer_item(
        request, viewer, lambda build: developers.get_developer(build, viewer, query, developer)
    )
