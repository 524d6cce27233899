"""The list of repositories with their figures."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.web.drawing.figures import etv
from api.web.drawing.lists import ordered
from api.web.drawing.periods import period_of
from api.web.frame import Place, framed
from api.web.pages.movements import CATEGORIES

router = APIRouter(include_in_schema=False)


@router.get("/organizations/{organization}/repositories")
async def repositories(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """The repositories of an organization, for the period of the address."""
    return await framed(request, organization, _content)


async def _content(place: Place) -> Response:
    query = place.request.query_params
    period = period_of(query, place.today)
    listed = ordered(query, "etv desc")
    found = await place.reads.read("repositories", **period.days, **listed.asked)
    if not found.is_there:
        return await place.refuse("repositories", "Repositories", found)
    totals, size = found.body["totals"], found.body["totalSize"]
    noun = "repository has" if size == 1 else "repositories have"
    return await place.show(
        "repositories.html",
        "repositories",
        "Repositories",
        period=period,
        listed=listed,
        page=found.body,
        categories=CATEGORIES,
        lede=f"{size:,} {noun} {etv(totals['etv'])} ETV {period.words}.",
    )
