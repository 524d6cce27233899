"""Ingest tokens: `ingest_…` secrets with which AI tools send telemetry, shown once and stored as a hash.

A token reads nothing, so it belongs to its organization and outlasts the membership of its creator. It may name the
developer whose tools send with it. Keep out: HTTP (api/v1, api/otlp), what is sent (ingest/telemetry).
"""

import secrets
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select

from api.control.accounts.accounts import email_key
from api.control.accounts.tokens import MAX_NAME_LENGTH, TokenState, key_hash, refuse_past, state_at
from api.control.accounts.verified_addresses import refuse_leaving_behind
from api.control.audit import Target, record_for
from api.control.errors import InvalidSetting, NotFound
from api.control.ids import new_id
from api.control.list_pages import Key, ListPage, ListQuery, list_page
from api.control.models import Account, IngestToken
from api.control.names import checked_name
from api.control.permissions import Permission
from api.control.principals import OPERATOR, Principal
from api.control.records import copied
from api.control.rights import refuse_lasting
from api.control.store import ControlStore

PREFIX = "ingest_"
TOKEN_KEYS = {
    "name": Key(func.lower(IngestToken.name)),
    "createdAt": Key(IngestToken.created_at),
    "expiresAt": Key(IngestToken.expires_at, nullable=True),
    "lastUsedAt": Key(IngestToken.last_used_at, nullable=True),
    "developerEmail": Key(IngestToken.developer_email, nullable=True),
    "id": Key(IngestToken.id),
}


@dataclass(frozen=True, slots=True)
class IngestTokenRecord:
    """An ingest token without its key, which is not stored."""

    id: str
    organization_id: str
    name: str
    # In lower case. None: many developers send with it.
    developer_email: str | None
    # None: made by the operator at the command line, or the account is gone.
    created_by: str | None
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None

    def state(self, now: datetime) -> TokenState:
        """The state of the token at an instant."""
        return state_at(now, self.expires_at, self.revoked_at)


@dataclass(frozen=True, slots=True)
class NewIngestToken:
    """A new token, with the only copy of its key."""

    key: str
    token: IngestTokenRecord


def create_ingest_token(
    store: ControlStore,
    organization: str,
    name: str,
    *,
    developer_email: str | None = None,
    expires_at: datetime | None = None,
    actor: Principal = OPERATOR,
) -> NewIngestToken:
    """Create a token for an organization (id or slug). Only the answer contains the key.

    Raises InvalidSetting for a malformed name, address or expiry, NotFound for an unknown organization, NotAllowed.
    """
    name = checked_name(name, "name", max_length=MAX_NAME_LENGTH)
    refuse_past(expires_at, store.now())
    owner = store.organization(organization)
    key = PREFIX + secrets.token_urlsafe(32)
    row = IngestToken(
        id=new_id(),
        organization_id=owner.id,
        name=name,
        key_hash=key_hash(key),
        developer_email=_address(developer_email),
        created_by=actor.account_id,
        created_at=store.now(),
        expires_at=expires_at,
        last_used_at=None,
        revoked_at=None,
    )
    with store.allowed_write(actor, owner.id, Permission.MANAGE_INGEST_TOKENS) as session:
        refuse_lasting(actor, "create ingest tokens")
        refuse_leaving_behind(session, actor, "create ingest tokens", within=owner.id)
        session.add(row)
        after = {
            "name": name,
            "developerEmail": row.developer_email,
            "expiresAt": expires_at and expires_at.isoformat(),
        }
        target = Target("ingestToken", row.id, name)
        record_for(session, owner.id, actor, "ingestTokens.create", target, after=after)
    return NewIngestToken(key, copied(IngestTokenRecord, row))


def page_of_ingest_tokens(
    store: ControlStore, organization_id: str, asked: ListQuery
) -> ListPage[tuple[IngestTokenRecord, str | None]]:
    """A page of an organization's tokens with the addresses of their creators, revoked tokens included."""
    statement = (
        select(IngestToken, Account.email)
        .outerjoin(Account, Account.id == IngestToken.created_by)
        .where(IngestToken.organization_id == organization_id)
    )
    with store.session() as session:
        return list_page(
            session, statement, TOKEN_KEYS, asked, lambda row, email: (copied(IngestTokenRecord, row), email),
            default="createdAt desc", unique="id",
        )  # fmt: skip


def revoke_ingest_token(
    store: ControlStore, organization: str, token_id: str, *, actor: Principal = OPERATOR
) -> IngestTokenRecord:
    """Revoke a token; a second call changes nothing. What it sent before stays. Raises NotFound, NotAllowed."""
    owner = store.organization(organization)
    with store.allowed_write(actor, owner.id, Permission.MANAGE_INGEST_TOKENS) as session:
        row = session.get(IngestToken, token_id)
        if row is None or row.organization_id != owner.id:
            raise NotFound(f"organization {owner.slug!r} has no ingest token {token_id!r}")
        if row.revoked_at is None:
            row.revoked_at = store.now()
            target = Target("ingestToken", row.id, row.name)
            record_for(session, owner.id, actor, "ingestTokens.revoke", target)
        return copied(IngestTokenRecord, row)


def find_by_hash(store: ControlStore, digest: bytes) -> tuple[IngestTokenRecord, bytes] | None:
    """The token of a key's hash with the stored hash, or None. One indexed query."""
    with store.session() as session:
        row = session.scalars(select(IngestToken).where(IngestToken.key_hash == digest)).one_or_none()
        return (copied(IngestTokenRecord, row), row.key_hash) if row is not None else None


def _address(given: str | None) -> str | None:
    if given is None:
        return None
    try:
        return email_key(given)
    except InvalidSetting as error:
        raise InvalidSetting("developer_email", error.problem) from None
