"""`/organizations/{organization}/ingestTokens`: keys with which AI tools send telemetry, shown once and revoked."""

from datetime import datetime
from functools import partial
from typing import Any, Literal

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.callers.dependencies import IngestTokenManager, IngestTokenReader
from api.control.accounts.tokens import MAX_NAME_LENGTH
from api.control.telemetry import ingest_tokens
from api.control.telemetry.ingest_tokens import IngestTokenRecord
from api.http.parameters import NoQuery, PagedQuery
from api.http.responses import private
from api.http.values import Instant
from api.query.records import shown
from api.services import services
from api.shapes import Empty, Shape, page_of
from api.v1.control_lists import answer_list
from api.v1.paths import IngestTokenPath

router = APIRouter(prefix="/organizations/{organization}/ingestTokens", tags=["telemetry"])
MAX_EMAIL_LENGTH = 254


class IngestToken(Shape):
    """An ingest token without its secret."""

    id: str
    name: str = Field(examples=["laptops"])
    developer_email: str | None = Field(
        description="Address of the developer whose tools send with it; null for a token that many share.",
        examples=["ada@example.org"],
    )
    state: Literal["ACTIVE", "EXPIRING_SOON", "EXPIRED", "REVOKED"] = Field(
        description="EXPIRING_SOON: within seven days."
    )
    created_by: str | None = Field(
        description="Email address of the creator. Null: the operator created it, or the account is gone.",
        examples=["ada@example.org"],
    )
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None = Field(description="The last use, accurate to the minute.")
    revoked_at: datetime | None


IngestTokenPage = page_of("IngestTokenPage", "A page of ingest tokens.", ingest_tokens=IngestToken)


class IngestTokenRequest(Shape):
    """A new ingest token."""

    name: str = Field(
        max_length=MAX_NAME_LENGTH, description=f"1 to {MAX_NAME_LENGTH} characters.", examples=["laptops"]
    )
    developer_email: str | None = Field(
        None,
        max_length=MAX_EMAIL_LENGTH,
        description="Address of the developer whose tools send with it. Default: many developers share it, and the "
        "telemetry says whose it is.",
        examples=["ada@example.org"],
    )
    expires_at: Instant | None = Field(
        None, description="An instant in the future. Default: the token does not expire."
    )


class MadeIngestToken(IngestToken):
    """A new ingest token."""

    key: str = Field(description="Only this answer contains it.", examples=["ingest_…"])


@router.get("", summary="Ingest tokens", response_model=IngestTokenPage)
async def list_ingest_tokens(reader: IngestTokenReader, query: PagedQuery, request: Request) -> Response:
    """The ingest tokens of the organization, newest first.

    Sortable by name, developerEmail, createdAt, expiresAt, lastUsedAt.
    """
    organization, now = reader.organization_id, services(request).store.now()
    return await answer_list(
        request, organization, query, "ingestTokens", ingest_tokens.page_of_ingest_tokens,
        lambda one: _shown(*one, now),
    )  # fmt: skip


@router.post("", summary="Create an ingest token", response_model=MadeIngestToken)
async def create_ingest_token(
    manager: IngestTokenManager, body: IngestTokenRequest, _: NoQuery, request: Request
) -> Response:
    """Create an ingest token, with which AI tools send telemetry to `/otlp/v1`. Only this answer contains the key
    itself.

    It reads nothing and is refused on every other path. It works on when its creator leaves the organization.
    """
    store, principal = services(request).store, manager.principal
    create = partial(
        ingest_tokens.create_ingest_token,
        developer_email=body.developer_email,
        expires_at=body.expires_at,
        actor=principal,
    )
    made = await run_sync(create, store, manager.organization_id, body.name)
    return private(_shown(made.token, principal.email, store.now()) | {"key": made.key})


@router.delete("/{ingestToken}", summary="Revoke an ingest token", response_model=Empty)
async def delete_ingest_token(
    manager: IngestTokenManager, ingest_token: IngestTokenPath, _: NoQuery, request: Request
) -> Response:
    """Revoke a token at once; a second call changes nothing. What it sent before stays."""
    revoke = partial(ingest_tokens.revoke_ingest_token, actor=manager.principal)
    await run_sync(revoke, services(request).store, manager.organization_id, ingest_token)
    return private({})


def _shown(token: IngestTokenRecord, email: str | None, now: datetime) -> dict[str, Any]:
    return shown(IngestToken, token, created_by=email, state=token.state(now))
