"""The audit log: who changed what, with the values before and after."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.web.drawing.lists import PAGE_SIZE
from api.web.frame import Place, framed
from api.web.settings.audit_words import changes, done, link_of, target_of

router = APIRouter(include_in_schema=False)

FILTERS = (("actor", "Author"), ("action", "Action"), ("targetKind", "Kind"), ("target", "Id"))
MOST_NAMES = 500
"""People, teams and repositories whose names stand in the place of their ids."""


@router.get("/organizations/{organization}/audit")
async def audit(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """The audit log of an organization, newest first."""
    return await framed(request, organization, _content)


async def _content(place: Place) -> Response:
    query = place.request.query_params
    kept = {name: query[name] for name, _ in FILTERS if query.get(name)}
    token = query.get("pageToken", "")
    reads = place.reads
    found, people, teams, repositories, members = await reads.all(
        reads.read("auditEntries", **kept, pageToken=token, pageSize=PAGE_SIZE),
        reads.read("developers", pageSize=MOST_NAMES),
        reads.read("teams:tree", pageSize=MOST_NAMES),
        reads.read("repositories", pageSize=MOST_NAMES),
        reads.read("members", pageSize=MOST_NAMES),
    )
    if not found.is_there:
        return await place.refuse("audit", "Audit log", found)
    names = {
        row["id"]: row["name"]
        for rows in (
            people.rows("developers"),
            teams.rows("teams"),
            repositories.rows("repositories"),
        )
        for row in rows
    } | {row["id"]: row["name"] or row["email"] for row in members.rows("members")}
    return await place.show(
        "settings/audit.html",
        "audit",
        "Audit log",
        page=found.body,
        rows=[
            entry
            | {
                "changes": changes(entry, names),
                "told": done(entry["action"]),
                "link": link_of(entry, place.home),
                "named": target_of(entry, names),
            }
            for entry in found.rows("auditEntries")
        ],
        filters=FILTERS,
        kept=kept,
        token=token,
    )
