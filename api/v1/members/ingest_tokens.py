"""`/organizations/{organization}/ingestTokens`: keys with which AI tools send telemetry, shown once and revoked."""

from functools import partial

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.callers.dependencies import IngestTokenManager, IngestTokenReader
from api.control.telemetry import ingest_tokens
from api.http.parameters import NoQuery, PagedQuery
from api.http.responses import private
from api.services import services
from api.shapes import Empty, page_of
from api.v1.control_lists import answer_list
from api.v1.members.issued_tokens import IssueRequest, UnownedToken, show_token, shown_once
from api.v1.paths import IngestTokenPath

router = APIRouter(prefix="/organizations/{organization}/ingestTokens", tags=["telemetry"])
MAX_EMAIL_LENGTH = 254


class IngestToken(UnownedToken):
    """An ingest token without its secret."""

    developer_email: str | None = Field(
        description="Address of the developer whose tools send with it; null for a token that many share.",
        examples=["ada@example.org"],
    )


IngestTokenPage = page_of("IngestTokenPage", "A page of ingest tokens.", ingest_tokens=IngestToken)


class IngestTokenRequest(IssueRequest):
    """A new ingest token."""

    developer_email: str | None = Field(
        None,
        max_length=MAX_EMAIL_LENGTH,
        description="Address of the developer whose tools send with it. Default: many developers share it, and the "
        "telemetry says whose it is.",
        examples=["ada@example.org"],
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
        partial(show_token, IngestToken, now=now),
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
    return shown_once(IngestToken, made, principal, store.now())


@router.delete("/{ingestToken}", summary="Revoke an ingest token", response_model=Empty)
async def delete_ingest_token(
    manager: IngestTokenManager, ingest_token: IngestTokenPath, _: NoQuery, request: Request
) -> Response:
    """Revoke a token at once; a second call changes nothing. What it sent before stays."""
    revoke = partial(ingest_tokens.revoke_ingest_token, actor=manager.principal)
    await run_sync(revoke, services(request).store, manager.organization_id, ingest_token)
    return private({})
