"""The audit log: who changed what, with the values before and after."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.web.drawing.lists import PAGE_SIZE
from api.web.frame import Place, framed
from api.web.reading import OrganizationReader
from api.web.settings.audit_words import changes, done, ids_of, link_of, target_of

router = APIRouter(include_in_schema=False)

FILTERS = (("actor", "Author"), ("action", "Action"), ("targetKind", "Kind"), ("target", "Id"))
MOST_NAMES = 500
"""Teams and members that a list is searched for those of the page, as no list of them can be asked for ids."""
MOST_NAMED, MOST_IDS = 160, 40
"""Ids of a page, of which an entry about a large group has thousands; and of one filter, which has 2,000 characters."""
FIGURES = ("developers", "repositories")
"""Lists that can be asked for ids."""


@router.get("/organizations/{organization}/audit")
async def audit(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """The audit log of an organization, newest first."""
    return await framed(request, organization, _content)


async def _content(place: Place) -> Response:
    query = place.request.query_params
    kept = {name: query[name] for name, _ in FILTERS if query.get(name)}
    token = query.get("pageToken", "")
    found = await place.reads.read("auditEntries", **kept, pageToken=token, pageSize=PAGE_SIZE)
    if not found.is_there:
        return await place.refuse("audit", "Audit log", found)
    names = await _names(place.reads, ids_of(found.rows("auditEntries"))[:MOST_NAMED])
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


async def _names(reads: OrganizationReader, ids: list[str]) -> dict[str, str]:
    """The names of the people, teams, repositories and members with these ids."""
    if not ids:
        return {}
    parts = [ids[at : at + MOST_IDS] for at in range(0, len(ids), MOST_IDS)]
    teams, members, *figures = await reads.all(
        reads.read("teams:tree", pageSize=MOST_NAMES),
        reads.read("members", pageSize=MOST_NAMES),
        *(
            reads.read(kind, filter=" OR ".join(f'id = "{one}"' for one in part), pageSize=MOST_IDS)
            for part in parts
            for kind in FIGURES
        ),
    )
    found = [row for kind, one in zip(FIGURES * len(parts), figures, strict=True) for row in one.rows(kind)]
    names = {row["id"]: row["name"] for row in found + teams.rows("teams")}
    return names | {row["id"]: row["name"] or row["email"] for row in members.rows("members")}
