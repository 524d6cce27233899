"""Ingest tokens: `ingest_…` secrets with which AI tools send telemetry, shown once and stored as a hash.

A token reads nothing, so it belongs to its organization and outlasts the membership of its creator. It may name the
developer whose tools send with it. Keep out: HTTP (api/v1, api/otlp), what is sent (ingest/telemetry).
"""

from dataclasses import dataclass
from datetime import datetime

from api.control.accounts.accounts import email_key
from api.control.accounts.verified_addresses import refuse_leaving_behind
from api.control.errors import InvalidSetting
from api.control.issued_tokens import (
    IssuedRecord,
    NewToken,
    TokenKind,
    TokenRequest,
    issue,
    page_of,
    revoke,
    token_of,
)
from api.control.list_pages import Key, ListPage, ListQuery
from api.control.models import IngestToken
from api.control.permissions import Permission
from api.control.principals import OPERATOR, Principal
from api.control.rights import refuse_lasting
from api.control.store import ControlStore


@dataclass(frozen=True, slots=True)
class IngestTokenRecord(IssuedRecord):
    """An ingest token."""

    # In lower case. None: many developers send with it.
    developer_email: str | None


INGEST_TOKENS = TokenKind(
    "ingest_", "ingest token", "ingestTokens", "ingestToken", IngestToken, IngestTokenRecord
)
DEVELOPER_KEY = {"developerEmail": Key(IngestToken.developer_email, nullable=True)}


def create_ingest_token(
    store: ControlStore,
    organization: str,
    name: str,
    *,
    developer_email: str | None = None,
    expires_at: datetime | None = None,
    actor: Principal = OPERATOR,
) -> NewToken[IngestTokenRecord]:
    """Create a token for an organization (id or slug). Only the answer contains the key.

    Raises InvalidSetting for a malformed name, address or expiry, NotFound for an unknown organization, NotAllowed.
    """
    asked = TokenRequest.of(name, expires_at, store.now())
    address = _address(developer_email)
    owner = store.organization(organization)
    with store.allowed_write(actor, owner.id, Permission.MANAGE_INGEST_TOKENS) as session:
        refuse_lasting(actor, "create ingest tokens")
        refuse_leaving_behind(session, actor, "create ingest tokens", within=owner.id)
        return issue(session, INGEST_TOKENS, owner.id, actor, asked, developer_email=address)


def page_of_ingest_tokens(
    store: ControlStore, organization_id: str, asked: ListQuery
) -> ListPage[tuple[IngestTokenRecord, str | None]]:
    """A page of an organization's tokens with the addresses of their creators, revoked tokens included."""
    return page_of(store, INGEST_TOKENS, organization_id, asked, keys=DEVELOPER_KEY)


def revoke_ingest_token(
    store: ControlStore, organization: str, token_id: str, *, actor: Principal = OPERATOR
) -> IngestTokenRecord:
    """Revoke a token; a second call changes nothing. What it sent before stays. Raises NotFound, NotAllowed."""
    owner = store.organization(organization)
    with store.allowed_write(actor, owner.id, Permission.MANAGE_INGEST_TOKENS) as session:
        row = token_of(session, INGEST_TOKENS, owner, token_id)
        return revoke(session, store.now(), INGEST_TOKENS, actor, row)


def _address(given: str | None) -> str | None:
    if given is None:
        return None
    try:
        return email_key(given)
    except InvalidSetting as error:
        raise InvalidSetting("developer_email", error.problem) from None
