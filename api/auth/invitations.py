"""`/auth/lookUpInvitation`, `/auth/acceptInvitation`, and the active organization of a session."""

from datetime import datetime
from typing import Annotated, Literal

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field, SecretStr
from starlette.responses import Response

from api.auth.allowances import LINKS_FROM_HERE
from api.callers.dependencies import Anybody, Person, SessionHolder
from api.control.accounts import invitations, root_logins, sessions, throttles
from api.control.accounts.throttles import Try
from api.control.principals import Principal
from api.control.store import ControlStore
from api.errors import NotFound, PermissionDenied
from api.http.client_networks import client_network
from api.http.parameters import NoQuery
from api.http.responses import private
from api.services import services
from api.shapes import Shape

router = APIRouter(tags=["invitations"])

InvitationToken = Annotated[
    SecretStr, Field(max_length=200, description="The part after the `#` of the invitation's link.")
]


class InvitationLink(Shape):
    """The link of an invitation."""

    token: InvitationToken


class OpenInvitation(Shape):
    """The details of an invitation, readable with its link before sign-in."""

    organization_id: str = Field(description="For `/auth/options`.")
    organization_name: str = Field(examples=["Acme"])
    role: Literal["OWNER", "MEMBER", "VIEWER"] = Field(description="The role that the member will have.")
    invited_by: str = Field(examples=["ada@example.org"])
    email_hint: str = Field(description="The invited address, mostly hidden.", examples=["g…@example.org"])
    expires_at: datetime


class Joined(Shape):
    """The active organization of the session."""

    active_organization_id: str


class ActiveOrganization(Shape):
    """The active organization of the session."""

    active_organization_id: str | None = Field(
        description="Null: none is active, and a root login is in none."
    )


class Switch(Shape):
    """Another organization of the account."""

    organization: Annotated[str, Field(min_length=1, max_length=63)] | None = Field(
        description="Id or slug of the organization; null for none.", examples=["acme"]
    )


@router.post("/lookUpInvitation", summary="Look up an invitation", response_model=OpenInvitation)
async def look_up_invitation(_: Anybody, body: InvitationLink, request: Request, _query: NoQuery) -> Response:
    """The details that a sign-in or sign-up page shows to the invited person. Answers FAILED_PRECONDITION for an
    invalid link.
    """
    store = services(request).store
    await run_sync(throttles.take, store, Try(LINKS_FROM_HERE, client_network(request)))
    found = await run_sync(invitations.look_up, store, body.token.get_secret_value())
    local, _at, domain = found.email.partition("@")
    return private(
        {
            "organizationId": found.organization_id,
            "organizationName": found.organization_name,
            "role": found.role.name,
            "invitedBy": found.invited_by,
            "emailHint": f"{local[:1]}…@{domain}",
            "expiresAt": found.expires_at,
        }
    )


@router.post("/acceptInvitation", summary="Accept an invitation", response_model=Joined)
async def accept_invitation(
    caller: Person, body: InvitationLink, request: Request, _query: NoQuery
) -> Response:
    """Join the organization and make it the active organization of the session.

    Only the account with the invited address can accept. Answers PERMISSION_DENIED for another account, and
    FAILED_PRECONDITION when the account has not verified its address.
    """
    store = services(request).store
    joined = await run_sync(invitations.accept_invitation, store, caller, body.token.get_secret_value())
    return private({"activeOrganizationId": joined.organization_id})


@router.post(
    "/switchOrganization", summary="Switch the active organization", response_model=ActiveOrganization
)
async def switch_organization(
    caller: SessionHolder, body: Switch, request: Request, _query: NoQuery
) -> Response:
    """Make another organization of the account the active organization of the session.

    A root login enters any organization in this way, with the rights of an owner, and leaves the one before. The audit
    log of each has it.
    """
    store = services(request).store
    if caller.root is not None:
        return private({"activeOrganizationId": await run_sync(_moved, store, caller, body.organization)})
    membership = caller.membership(body.organization) if body.organization else None
    if (
        membership is None
        and body.organization
        and (shut := caller.shut_membership(body.organization)) is not None
    ):
        raise PermissionDenied(shut.reason)
    if caller.session_id is None or (body.organization and membership is None):
        raise NotFound(
            f"you are no member of an organization {body.organization!r}; GET /api/v1/organizations lists yours"
        )
    active = membership.organization_id if membership else None
    await run_sync(sessions.activate, store, caller.session_id, active)
    return private({"activeOrganizationId": active})


def _moved(store: ControlStore, caller: Principal, organization: str | None) -> str | None:
    """The organization that a root login is in from now on."""
    assert caller.root is not None
    if organization is None:
        root_logins.leave(store, caller.root.login_id, caller)
        return None
    return root_logins.enter(store, caller.root, caller, organization)
