"""The list of developers with their figures."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.web.drawing.figures import bound, etv
from api.web.drawing.lists import ordered
from api.web.drawing.periods import period_of
from api.web.frame import Place, framed
from api.web.pages.movements import CATEGORIES

router = APIRouter(include_in_schema=False)


@router.get("/organizations/{organization}/developers")
async def developers(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """The developers of an organization, for the period of the address."""
    return await framed(request, organization, _content)


async def _content(place: Place) -> Response:
    query = place.request.query_params
    period = period_of(query, place.today)
    listed = ordered(query, "etv desc")
    found, delivering, bots = await place.reads.all(
        place.reads.read("developers", **period.days, **listed.asked),
        place.reads.read("developers", **period.days, filter="commits > 0 AND isBot = false", pageSize=1),
        place.reads.read(
            "developers", **period.days, filter="isBot = true", pageSize=1, search=listed.search
        ),
    )
    if not found.is_there:
        return await place.refuse("developers", "People", found)
    totals = found.body["totals"]
    # A group that is too small closes the filter, but not the list.
    people = f"{delivering.body['totalSize']:,} people delivered " if delivering.is_there else ""
    ai = totals.get("aiShareAtLeast")
    lede = f"{people}{etv(totals['etv'])} ETV {period.words}."
    return await place.show(
        "developers.html",
        "developers",
        "People",
        period=period,
        listed=listed,
        page=found.body,
        categories=CATEGORIES,
        lede=lede,
        noun=_noun(found.body["totalSize"], bots.body["totalSize"] if bots.is_there else 0),
        more=f"AI had a part in at least {bound(ai)} of it." if ai else "",
    )


def _noun(rows: int, bots: int) -> str:
    """What the rows of the list are: people are counted apart from bots and agents, as on every other page."""
    people = rows - bots
    person, bot = "person" if people == 1 else "people", "bot or agent" if bots == 1 else "bots and agents"
    if people and bots:
        return f"rows: {people:,} {person}, {bots:,} {bot}"
    return bot if bots else person
