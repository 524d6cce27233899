"""The list of commits. Keep out: one of them (details/commits.py)."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.web.drawing.lists import ordered
from api.web.drawing.periods import period_of
from api.web.frame import Place, framed

router = APIRouter(include_in_schema=False)

NARROWED = (
    "repository",
    "developer",
    "category",
    "counted",
    "aiAssisted",
    "aligned",
    "issue",
    "objective",
    "team",
)


@router.get("/organizations/{organization}/commits")
async def commits(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """The commits of an organization, for the period of the address."""
    return await framed(request, organization, _list)


async def _list(place: Place) -> Response:
    query = place.request.query_params
    period = period_of(query, place.today)
    listed = ordered(query, "etv desc", *NARROWED)
    found = await place.reads.read("commits", **period.days, **listed.kept, **listed.asked)
    if not found.is_there:
        return await place.refuse("commits", "Commits", found)
    size = found.body["totalSize"]
    return await place.show(
        "commits.html",
        "commits",
        "Commits",
        period=period,
        listed=listed,
        page=found.body,
        lede=f"{size:,} {'commit was' if size == 1 else 'commits were'} delivered {period.words}.",
    )
