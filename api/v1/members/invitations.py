"""`/organizations/{organization}/invitations`: pending and past invitations. `/auth/acceptInvitation` accepts one."""

from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.callers.dependencies import InvitationReader, MemberManager
from api.control.accounts import invitations
from api.control.accounts.accounts import MAX_EMAIL_LENGTH
from api.control.accounts.invitations import InvitationRecord
from api.control.permissions import Role
from api.errors import FailedPrecondition
from api.http.parameters import NoQuery, PagedQuery, Queried
from api.http.responses import private
from api.query.parameters import OneOf
from api.query.parameters import Query as Parameters
from api.query.records import shown
from api.services import Services, services
from api.shapes import Empty, Shape, page_of
from api.v1.answers import answer_change
from api.v1.control_lists import answer_list
from api.v1.paths import InvitationPath

router = APIRouter(prefix="/organizations/{organization}/invitations", tags=["invitations"])


class Invitation(Shape):
    """A pending invitation."""

    id: str
    email: str = Field(examples=["grace@example.org"])
    role: Literal["OWNER", "MEMBER", "VIEWER"] = Field(description="The role of the invited member.")
    state: Literal["PENDING", "EXPIRED"] = Field(
        description="EXPIRED: invite the address again for a new link."
    )
    invited_by: str = Field(examples=["ada@example.org"])
    link: str = Field(
        description="The link to copy. It works only for the invited address, until the invitation is"
        " refreshed, cancelled or accepted."
    )
    created_at: datetime
    expires_at: datetime


InvitationPage = page_of("InvitationPage", "A page of invitations.", invitations=Invitation)


class InvitationRequest(Shape):
    """The address to invite and its role."""

    email: str = Field(
        min_length=3,
        max_length=MAX_EMAIL_LENGTH,
        description="Compared without case.",
        examples=["grace@example.org"],
    )
    role: Annotated[str, OneOf(*(role.name for role in invitations.ROLES))] = Field(
        "MEMBER", description="The role of the invited member. Only an owner can invite owners."
    )


class Confirmation(Parameters):
    """The confirmation that cancelling an invitation requires."""

    confirm: bool = Field(False, description="Must be true, to confirm the cancellation.")


@router.get("", summary="Invitations", response_model=InvitationPage)
async def list_invitations(reader: InvitationReader, query: PagedQuery, request: Request) -> Response:
    """Pending invitations, newest first. Sortable by email, createdAt, expiresAt."""
    shape = partial(_shown, app=services(request))
    return await answer_list(
        request, reader.organization_id, query, "invitations", invitations.list_invitations, shape
    )


@router.post("", summary="Create an invitation", response_model=Invitation)
async def create_invitation(
    manager: MemberManager, body: InvitationRequest, _: NoQuery, request: Request
) -> Response:
    """Create an invitation and mail it. For an address with a pending invitation, refresh that invitation with a new
    link and the given role. Only an owner can invite owners.

    After many invitations in a short time, an address gets no further mail for some hours. Then copy the link from
    the answer; it works. Answers ALREADY_EXISTS for a member, FAILED_PRECONDITION before you verify your own address,
    and RESOURCE_EXHAUSTED after hundreds of new addresses in a short time; you can still refresh invitations then.
    """
    app, principal = services(request), manager.principal
    made = await run_sync(
        invitations.invite, app.store, principal, manager.organization_id, body.email, Role[body.role]
    )
    app.mail.wake()
    return private(_shown(made, app))


@router.delete("/{invitation}", summary="Cancel an invitation", response_model=Empty)
async def delete_invitation(
    manager: MemberManager, invitation: InvitationPath, query: Queried[Confirmation], request: Request
) -> Response:
    """Cancel an invitation; its link stops working. Needs `confirm=true`, else the answer is FAILED_PRECONDITION."""
    if not query.confirm:
        raise FailedPrecondition("to cancel an invitation, send confirm=true")
    return await answer_change(request, manager, Empty, invitations.cancel_invitation, invitation)


def _shown(invitation: InvitationRecord, app: Services) -> dict[str, Any]:
    return shown(
        Invitation,
        invitation,
        state="PENDING" if invitation.expires_at > app.store.now() else "EXPIRED",
        link=f"{app.mail.app_url}/invitation#{invitation.token}",
    )
