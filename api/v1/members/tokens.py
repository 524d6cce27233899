"""`/organizations/{organization}/tokens`: API keys, shown once and revoked."""

from functools import partial
from typing import Annotated, Literal

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.callers.dependencies import TokenMaker, TokenManager, TokenReader
from api.control.accounts import tokens
from api.control.permissions import Permission
from api.http.parameters import NoQuery, PagedQuery
from api.http.responses import private
from api.query.parameters import OneOf
from api.services import services
from api.shapes import Empty, page_of
from api.v1.control_lists import answer_list
from api.v1.members.issued_tokens import IssuedToken, IssueRequest, show_token, shown_once
from api.v1.paths import TokenPath

router = APIRouter(prefix="/organizations/{organization}/tokens", tags=["tokens"])


class Token(IssuedToken):
    """An API key without its secret."""

    scope: Literal["READ", "WRITE"] = Field(
        description="READ: only reading. WRITE: changes, too. The creator's role can reduce it."
    )
    created_by: str | None = Field(
        description="Email address of the creator; the key can do no more than the creator's role permits. "
        "Null: the operator created it.",
        examples=["ada@example.org"],
    )


TokenPage = page_of("TokenPage", "A page of API keys.", tokens=Token)


class TokenRequest(IssueRequest):
    """A new API key."""

    scope: Annotated[str, OneOf("READ", "WRITE")] = Field(
        "READ", description="The maximum of what the key may do. The creator's role can reduce it."
    )


class MadeToken(Token):
    """A new API key."""

    key: str = Field(description="Only this answer contains it.", examples=["service_…"])


@router.get("", summary="API keys", response_model=TokenPage)
async def list_tokens(reader: TokenReader, query: PagedQuery, request: Request) -> Response:
    """API keys, newest first. An owner or admin sees all keys of the organization; other callers see the keys that
    they created.

    Sortable by name, createdAt, expiresAt, lastUsedAt.
    """
    organization, now = reader.organization_id, services(request).store.now()
    seen = None if reader.may(Permission.ADMINISTER_TOKENS) else reader.principal.account_id or ""
    return await answer_list(
        request, organization, query, "tokens",
        partial(tokens.page_of_tokens, created_by=seen),
        partial(show_token, Token, now=now),
        bound_to=f"{organization} {seen}",
    )  # fmt: skip


@router.post("", summary="Create an API key", response_model=MadeToken)
async def create_token(maker: TokenMaker, body: TokenRequest, _: NoQuery, request: Request) -> Response:
    """Create an API key. Only this answer contains the key itself.

    The key may do what both its scope and its creator's current role permit. It stops working when the creator's
    membership ends. An API key cannot create API keys; sign in to create one.
    """
    store = services(request).store
    create = partial(tokens.create_token, scope=body.scope.lower(), expires_at=body.expires_at)
    made = await run_sync(partial(create, actor=maker.principal), store, maker.organization_id, body.name)
    return shown_once(Token, made, maker.principal, store.now())


@router.delete("/{token}", summary="Revoke an API key", response_model=Empty)
async def delete_token(manager: TokenManager, token: TokenPath, _: NoQuery, request: Request) -> Response:
    """Revoke a key at once. A second call changes nothing. Revoking the key of another member needs the role owner or
    admin.
    """
    revoke = partial(tokens.revoke_token, actor=manager.principal)
    await run_sync(revoke, services(request).store, manager.organization_id, token)
    return private({})
