"""`/organizations/{organization}/tokens`: API keys, shown once and revoked."""

from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.callers.dependencies import TokenMaker, TokenManager, TokenReader
from api.control.accounts import tokens
from api.control.accounts.tokens import MAX_NAME_LENGTH, TokenRecord
from api.control.permissions import Permission
from api.http.parameters import NoQuery, PagedQuery
from api.http.responses import private
from api.http.values import Instant
from api.query.parameters import OneOf
from api.query.records import shown
from api.services import services
from api.shapes import Empty, Shape, page_of
from api.v1.control_lists import answer_list
from api.v1.paths import TokenPath

router = APIRouter(prefix="/organizations/{organization}/tokens", tags=["tokens"])


class Token(Shape):
    """An API key without its secret."""

    id: str
    name: str = Field(examples=["ci"])
    scope: Literal["READ", "WRITE"] = Field(
        description="READ: only reading. WRITE: changes, too. The creator's role can reduce it."
    )
    state: Literal["ACTIVE", "EXPIRING_SOON", "EXPIRED", "REVOKED"] = Field(
        description="EXPIRING_SOON: within seven days."
    )
    created_by: str | None = Field(
        description="Email address of the creator; the key can do no more than the creator's role permits. "
        "Null: the operator created it.",
        examples=["ada@example.org"],
    )
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None = Field(description="The last use, accurate to the minute.")
    revoked_at: datetime | None


TokenPage = page_of("TokenPage", "A page of API keys.", tokens=Token)


class TokenRequest(Shape):
    """A new API key."""

    name: str = Field(
        max_length=MAX_NAME_LENGTH, description=f"1 to {MAX_NAME_LENGTH} characters.", examples=["ci"]
    )
    scope: Annotated[str, OneOf("READ", "WRITE")] = Field(
        "READ", description="The maximum of what the key may do. The creator's role can reduce it."
    )
    expires_at: Instant | None = Field(
        None, description="An instant in the future. Default: the key does not expire."
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
        lambda one: _shown(*one, now),
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
    return private(_shown(made.token, maker.principal.email, store.now()) | {"key": made.key})


@router.delete("/{token}", summary="Revoke an API key", response_model=Empty)
async def delete_token(manager: TokenManager, token: TokenPath, _: NoQuery, request: Request) -> Response:
    """Revoke a key at once. A second call changes nothing. Revoking the key of another member needs the role owner or
    admin.
    """
    revoke = partial(tokens.revoke_token, actor=manager.principal)
    await run_sync(revoke, services(request).store, manager.organization_id, token)
    return private({})


def _shown(token: TokenRecord, email: str | None, now: datetime) -> dict[str, Any]:
    return shown(Token, token, created_by=email, state=token.state(now))
