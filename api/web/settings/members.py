"""The members with their roles, and the invitations that wait for an answer."""

from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import AnybodyAtAll
from api.web.drawing.forms import Act
from api.web.drawing.lists import ordered
from api.web.frame import DONE, Place, framed, submitted
from api.web.reading import Answer

router = APIRouter(include_in_schema=False)

MOST = 100
"""Invitations on the page."""
INVITATIONS_PAGE = "invitationPage"
ROLES = (
    ("OWNER", "Owner"),
    ("ADMIN", "Admin"),
    ("MEMBER", "Member"),
    ("VIEWER", "Viewer"),
    ("TEAM_LEAD", "Team lead"),
)
INVITED = (("MEMBER", "Member"), ("VIEWER", "Viewer"), ("OWNER", "Owner"))
ACTS = {
    "role": Act(
        "PATCH",
        "members/{member}",
        "The role is changed. It holds from now on.",
        lambda fields: {"role": fields.get("role", "")},
    ),
    "remove": Act("DELETE", "members/{member}", "The member is removed, and their API keys are revoked."),
    "invite": Act(
        "POST",
        "invitations",
        "The invitation is made, and a mail is on its way. You can also copy its link.",
        lambda fields: {"email": fields.get("email", "").strip(), "role": fields.get("role", "")},
    ),
    # The button stands in a dialog that says the consequence: that is the confirmation.
    "cancel": Act(
        "DELETE", "invitations/{invitation}?confirm=true", "The invitation is cancelled. Its link is dead."
    ),
}


@router.get("/organizations/{organization}/members")
async def members(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """The members of an organization."""
    return await framed(request, organization, _content, ACTS)


@router.post("/organizations/{organization}/members")
async def change_members(_: AnybodyAtAll, request: Request, organization: str) -> Response:
    """Change a role, remove a member, invite somebody, or cancel an invitation."""
    return await submitted(request, organization, ACTS, _content)


async def _content(place: Place) -> Response:
    query = place.request.query_params
    listed = ordered(query, "name", "role")
    found, invitations = await place.reads.all(
        place.reads.read("members", **listed.asked, **listed.kept),
        place.reads.read(
            "invitations", pageSize=MOST, pageToken=place.request.query_params.get(INVITATIONS_PAGE, "")
        ),
    )
    if not found.is_there:
        return await place.refuse("members", "Members", found)
    if place.notice and query.get(DONE) == "invite":
        # Each invitation, also one of the same address again, begins its time anew.
        newest = await place.reads.read("invitations", orderBy="expiresAt desc", pageSize=1)
        place = replace(place, said=_invited(newest))
    size = found.body["totalSize"]
    waiting = sum(one["state"] == "PENDING" for one in invitations.rows("invitations"))
    asked = f", and {waiting} {'invitation waits' if waiting == 1 else 'invitations wait'} for an answer"
    return await place.show(
        "settings/members.html",
        "members",
        "Members",
        listed=listed,
        page=found.body,
        invitations=invitations.rows("invitations"),
        invitations_page=(INVITATIONS_PAGE, invitations.body or {}),
        roles=ROLES,
        invited=INVITED,
        inviting=query.get("invite") == "true" and place.manages and not place.notice,
        lede=f"{size:,} {'member' if size == 1 else 'members'}{asked if waiting else ''}.",
    )


def _invited(found: Answer) -> str:
    """Name the address and the role of the newest invitation; an empty text where none waits."""
    newest = next(iter(found.rows("invitations")), None)
    if newest is None:
        return ""
    role = dict(ROLES)[newest["role"]].lower()
    return (
        f"{newest['email']} is invited as {role}, and a mail is on its way. Its link is below, under “Link…”, "
        "and “Cancel…” takes it back."
    )
