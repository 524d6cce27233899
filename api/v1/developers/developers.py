"""`/organizations/{organization}/developers`: the list with figures, and one developer."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from api.access.group_privacy.groups import shown_range
from api.access.row_access import RowAccess
from api.callers.dependencies import ReadService, Viewer
from api.http.parameters import FigureQuery, RangeQuery
from api.http.responses import Continuation
from api.query.columns import camel
from api.query.filtering import parse_filter
from api.query.ordering import parse_order
from api.query.pages import Position
from api.query.periods import Range
from api.read.developers import COLUMNS, MOST_VALUE_FIRST, SEARCHED, WITH_IDENTITY, Developer, ListedDeveloper
from api.read.figures.entities import EntityQuery, entity_page, one_entity, shown_columns
from api.read.figures.figures import DEVELOPERS
from api.read.figures.shapes import Totals
from api.read.organizations import local_date
from api.shapes import Days, Page
from api.snapshot.builds import Build

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
    columns = shown_columns(viewer, DEVELOPERS, COLUMNS)
    terms = parse_order(query.order_by, columns, MOST_VALUE_FIRST, COLUMNS["id"])
    condition = parse_filter(query.filter, columns)
    digest = query.digest("developers", viewer.key)

    def read(build: Build, position: Position | None) -> dict[str, Any]:
        days = shown_range(viewer, query.start_date, query.end_date, local_date(build, viewer))
        asked = EntityQuery(days, query.search, condition, terms, query.limit)
        found, totals = entity_page(build, viewer, DEVELOPERS, columns, SEARCHED, asked, position)
        return {
            "developers": found.rows,
            "totals": totals,
            "startDate": days.first,
            "endDate": days.last,
            "nextPageToken": reads.tokens.next(digest, build.id, found.next_values),
            "totalSize": found.total,
        }

    return await reads.answer(request, viewer, read, Continuation(query.page_token, digest))


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
