"""`/organizations/{organization}/scimTokens`: keys with which directories provision members, shown once and revoked."""

from functools import partial

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.callers.dependencies import ScimTokenMaker, ScimTokenManager, ScimTokenReader
from api.control.scim import scim_tokens
from api.http.parameters import NoQuery, PagedQuery
from api.http.responses import private
from api.services import services
from api.shapes import Empty, page_of
from api.v1.control_lists import answer_list
from api.v1.members.issued_tokens import IssueRequest, UnownedToken, show_token, shown_once
from api.v1.paths import ScimTokenPath

router = APIRouter(prefix="/organizations/{organization}/scimTokens", tags=["members"])


class ScimToken(UnownedToken):
    """A SCIM token without its secret."""


ScimTokenPage = page_of("ScimTokenPage", "A page of SCIM tokens.", scim_tokens=ScimToken)


class ScimTokenRequest(IssueRequest):
    """A new SCIM token."""


class MadeScimToken(ScimToken):
    """A new SCIM token."""

    key: str = Field(description="Only this answer contains it.", examples=["scim_…"])


@router.get("", summary="SCIM tokens", response_model=ScimTokenPage)
async def list_scim_tokens(reader: ScimTokenReader, query: PagedQuery, request: Request) -> Response:
    """The SCIM tokens of the organization, newest first.

    Sortable by name, createdAt, expiresAt, lastUsedAt.
    """
    organization, now = reader.organization_id, services(request).store.now()
    return await answer_list(
        request, organization, query, "scimTokens", scim_tokens.page_of_scim_tokens,
        partial(show_token, ScimToken, now=now),
    )  # fmt: skip


@router.post("", summary="Create a SCIM token", response_model=MadeScimToken)
async def create_scim_token(
    maker: ScimTokenMaker, body: ScimTokenRequest, _: NoQuery, request: Request
) -> Response:
    """Create a SCIM token, with which a directory provisions members at `/scim/v2`. Only this answer contains the key
    itself.

    It is refused on every other path. It works on when its creator leaves the organization. An API key cannot create
    one; sign in to do so.
    """
    store, principal = services(request).store, maker.principal
    create = partial(scim_tokens.create_scim_token, expires_at=body.expires_at, actor=principal)
    made = await run_sync(create, store, maker.organization_id, body.name)
    return shown_once(ScimToken, made, principal, store.now())


@router.delete("/{scimToken}", summary="Revoke a SCIM token", response_model=Empty)
async def delete_scim_token(
    manager: ScimTokenManager, scim_token: ScimTokenPath, _: NoQuery, request: Request
) -> Response:
    """Revoke a token at once; a second call changes nothing. What its directory changed before stays."""
    revoke = partial(scim_tokens.revoke_scim_token, actor=manager.principal)
    await run_sync(revoke, services(request).store, manager.organization_id, scim_token)
    return private({})
