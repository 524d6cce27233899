"""`/organizations/{organization}/developers`: the list with figures, and one developer."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from api.access.group_privacy.groups import shown_range
from api.access.row_access import RowAccess
from api.callers.dependencies import ReadService, Viewer
from api.query.columns import camel
from api.query.pages import Position
from api.query.parameters import FigureQuery, RangeQuery
from api.query.periods import Range
from api.read.developers import COLUMNS, SEARCHED, WITH_IDENTITY, Developer, ListedDeveloper
from api.read.entities import DEVELOPERS
from api.read.figures.entities import one_entity
from api.read.figures.shapes import Totals
from api.read.organizations import local_date
from api.shapes import Days, Page
from api.snapshot.build import Build
from api.v1.entity_lists import answer_entities

router = APIRouter(prefix="/organizations/{organization}/developers", tags=["developers"])


class DeveloperPage(Page, Days):
    """A page of developers."""

    developers: list[ListedDeveloper]
    totals: Totals


@router.get("", summary="Developers", operation_id="listDevelopers", response_model=DeveloperPage)
async def list_developers(
    viewer: Viewer, query: Annotated[FigureQuery, Query()], request: Request, reads: ReadService
) -> Response:
    """Developers with their figures for a range of days. Default order: most ETV first.

    Figures leave out work in sandboxes. Bots are in the list; `totals` leave them out.
    """
    return await answer_entities(request, reads, viewer, query, DEVELOPERS, COLUMNS, SEARCHED)


@router.get("/{developer}", summary="One developer", operation_id="getDeveloper", response_model=Developer)
async def get_developer(
    viewer: Viewer,
    developer: Annotated[str, Path(max_length=64, description="Id of the developer.")],
    query: Annotated[RangeQuery, Query()],
    request: Request,
    reads: ReadService,
) -> Response:
    """A developer with figures for a range of days, and with all names and email addresses."""

    def read(build: Build, _: Position | None) -> dict[str, Any]:
        days = shown_range(viewer, query.start_date, query.end_date, local_date(build, viewer))
        return shown_developer(build, viewer, days, developer)

    return await reads.answer(request, viewer, read)


def shown_developer(build: Build, viewer: RowAccess, days: Range, developer: str) -> dict[str, Any]:
    """A developer as answered. Raises NotFound, PermissionDenied."""
    found = one_entity(build, viewer, DEVELOPERS, WITH_IDENTITY, days, developer)
    if found is None:
        raise viewer.unknown(f"developer {developer!r}")
    found["addresses"] = [
        {"id": entry.get("address_id")} | {key: entry[key] for key in ("name", "email", "reason", "commits")}
        for entry in found["addresses"]
    ]
    found["mergeSuggestions"] = [
        {camel(key): value for key, value in entry.items()} for entry in found["mergeSuggestions"]
    ]
    return found
