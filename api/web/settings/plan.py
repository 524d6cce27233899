"""The plan: what is counted, what pauses new analysis and what to do about it, and who is billed."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.errors import InvalidArgument
from api.web.drawing.forms import Act, Fields
from api.web.frame import Place, framed, submitted

router = APIRouter(include_in_schema=False)


def _upgrade(fields: Fields) -> dict[str, int]:
    limit = fields.get("commitLimit", "").strip().replace(",", "")
    if not limit:
        return {}
    if not limit.isascii() or not limit.isdigit():
        raise InvalidArgument("commitLimit", "must be a whole number of commits, or empty")
    return {"commitLimit": int(limit)}


ACTS = {"upgrade": Act("POST", "plan:requestUpgrade", "", _upgrade, shows=True)}


@router.get("/organizations/{organization}/plan")
async def plan(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """The plan of an organization."""
    return await framed(request, organization, _content, ACTS)


@router.post("/organizations/{organization}/plan")
async def ask_for_upgrade(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """Ask for a paid plan or a higher limit."""
    return await submitted(request, organization, ACTS, _content)


async def _content(place: Place) -> Response:
    found, billable, renewals, license_ = await place.reads.all(
        place.reads.read("plan"),
        place.reads.read("billableDevelopers"),
        place.reads.read("renewals", pageSize=12),
        place.reads.reader.read("/api/v1/license"),
    )
    if not found.is_there:
        return await place.refuse("plan", "Plan", found)
    return await place.show(
        "settings/plan.html",
        "plan",
        "Plan",
        plan=found.body,
        billable=billable,
        renewals=renewals.rows("renewals"),
        license=license_.body if license_.is_there else None,
        pays=place.person.get("role") == "OWNER",
    )
