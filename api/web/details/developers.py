"""A developer: what they delivered, by which addresses they are known, and which teams they were in.

Nobody is ranked, and no figure of a person has a colour. Keep out: the list (pages/developers.py), corrections
(pages/me.py), joining two developers (joining.py).
"""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.web.details.delivered import cards, compared, delivered, in_period
from api.web.details.joining import ACTS, joining_of
from api.web.drawing.addresses import address
from api.web.drawing.figures import etv
from api.web.drawing.periods import Period
from api.web.frame import Content, Place, framed, submitted
from api.web.pages.movements import CATEGORIES

router = APIRouter(include_in_schema=False)

PAGE = "developers"
MOST_TEAMS, MOST_TOOLS = 50, 20


@router.get("/organizations/{organization}/developers/{developer}")
async def developer(_: AnybodyAtAll, request: Request, organization: str, developer: str) -> Response:
    """A developer, for the period of the address."""
    return await framed(request, organization, _one(developer), ACTS)


@router.post("/organizations/{organization}/developers/{developer}")
async def join_developer(_: AnybodyAtAll, request: Request, organization: str, developer: str) -> Response:
    """Join a developer with another one that is the same person, or undo that."""
    return await submitted(request, organization, ACTS, _one(developer))


def _one(developer: str) -> Content:
    async def content(place: Place) -> Response:
        return await _content(place, developer)

    return content


async def _content(place: Place, wanted: str) -> Response:
    reads = place.reads
    period, found, earlier = await in_period(place, f"developers/{wanted}")
    if not found.is_there:
        return await place.refuse(PAGE, "Developer", found)
    row = found.body
    whose = {"developer": row["id"]}
    parts, (teams, spend) = await delivered(
        place,
        period,
        whose,
        reads.read("teamMemberships", pageSize=MOST_TEAMS, **whose),
        reads.read("aiSpend", groupBy="TOOL", pageSize=MOST_TOOLS, **period.days, **whose),
    )
    return await place.show(
        "details/developer.html",
        PAGE,
        row["name"],
        period=period,
        row=row,
        earlier=earlier,
        categories=CATEGORIES,
        lede=_lede(period, row, earlier),
        cards=cards(
            period,
            row,
            earlier,
            parts["points"],
            address(f"{place.home}/commits", period.query, whose),
            address(f"{place.home}/ai", period.query, whose, groupBy="TOOL"),
            with_ai=parts["with_ai"],
        ),
        teams=teams,
        spend=spend,
        joining=await joining_of(place, row),
        **parts,
    )


def _lede(period: Period, row: dict[str, Any], earlier: dict[str, Any]) -> str:
    if row["etv"] is None:
        return f"The figures of {row['name']} are not shown: the group of people is too small."
    commits = row["commits"]
    told = f"{row['name']} delivered {etv(row['etv'])} ETV {period.words}"
    by = f" by {commits:,} {'commit' if commits == 1 else 'commits'}" if commits else ""
    return f"{told}{by}{compared(period, row['etv'], earlier.get('etv'))}."
