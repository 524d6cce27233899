"""A person's own page: what they delivered, which addresses and teams are theirs, and what they say is wrong.

Keep out: decisions about corrections (v1/commits/corrections.py).
"""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.web.details.delivered import performance_of
from api.web.drawing.figures import etv
from api.web.drawing.forms import Act, Fields
from api.web.drawing.periods import period_of
from api.web.frame import Place, framed, submitted
from api.web.pages.movements import CATEGORIES

router = APIRouter(include_in_schema=False)

MOST_COMMITS, MOST_CORRECTIONS = 10, 20
KINDS = (
    ("CATEGORY", "A commit has the wrong category"),
    ("EXCLUSION", "A commit should not count"),
    ("ALIAS", "An address is mine, or is not"),
)


def _correction(fields: Fields) -> dict[str, Any]:
    """The fields that the kind of a correction has."""
    kind = fields.get("kind", "")
    body: dict[str, Any] = {"kind": kind, "text": fields.get("text", "").strip()}
    if kind == "ALIAS":
        return body | {"email": fields.get("email", "").strip(), "isMine": fields.get("isMine") == "true"}
    body |= {"commit": fields.get("commit", "").strip()}
    return body | {"category": fields.get("category", "")} if kind == "CATEGORY" else body


ACTS = {
    "correct": Act(
        "POST", "me/corrections", "The correction is sent. An owner or admin decides about it.", _correction
    )
}


@router.get("/organizations/{organization}/me")
async def me(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """The page of the person who looks."""
    return await framed(request, organization, _content, ACTS)


@router.post("/organizations/{organization}/me")
async def correct(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """Send a correction."""
    return await submitted(request, organization, ACTS, _content)


async def _content(place: Place) -> Response:
    period = period_of(place.request.query_params, place.today)
    reads = place.reads
    found, commits, corrections = await reads.all(
        reads.read("me", **period.days),
        reads.read("me/commits", orderBy="etv desc", pageSize=MOST_COMMITS, **period.days),
        reads.read("me/corrections", pageSize=MOST_CORRECTIONS),
    )
    if not found.is_there:
        return await place.refuse("me", "You", found)
    mine = found.body["developer"]
    series = (
        await reads.read(
            "metrics", interval=period.measured, metrics="performance", developer=mine["id"], **period.days
        )
        if mine and mine["performance"] is None
        else None
    )
    lines = series.rows("series") if series else []
    performance, told_performance = (
        performance_of(
            period, lines[0]["points"] if lines else [], mine["performance"], mine["performanceMissingReason"]
        )
        if mine
        else (None, "")
    )
    return await place.show(
        "me.html",
        "me",
        "You",
        period=period,
        me=found.body,
        mine=mine,
        performance=performance,
        told_performance=told_performance,
        commits=commits,
        corrections=corrections.rows("corrections"),
        kinds=KINDS,
        categories=CATEGORIES,
        lede=_lede(mine, period.words),
    )


def _lede(mine: dict[str, Any] | None, when: str) -> str:
    if mine is None:
        return "No commits are known to be yours: no developer has the verified address of your account."
    return f"You delivered {etv(mine['etv'])} ETV {when}."
