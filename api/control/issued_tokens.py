"""Secrets that the service issues and shows once: their hash, their last use, and what all kinds of tokens share.

API keys, ingest tokens and SCIM tokens have a name, an optional end, a revocation and a list of the same columns. Keep
out: who may issue one, and what it may do (accounts/tokens.py, telemetry/ingest_tokens.py, scim/scim_tokens.py).
"""

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Generic, TypeVar

from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.orm import Session

from api.control.audit import Target, logged, record_for
from api.control.database import CLOCK
from api.control.errors import InvalidSetting, NotFound
from api.control.ids import new_id
from api.control.list_pages import Key, ListPage, ListQuery, list_page
from api.control.models import Account, IssuedToken, RootLogin, ScimToken, SignInSession
from api.control.names import checked_name
from api.control.principals import Principal
from api.control.records import copied, owned
from api.control.store import ControlStore, OrganizationRecord

Credential = IssuedToken | SignInSession | RootLogin
MAX_NAME_LENGTH = 100
# A minute is fine enough, and a write per request would serialize all readers.
LAST_USED_GRAIN = timedelta(minutes=1)
EXPIRING_SOON = timedelta(days=7)


class TokenState(StrEnum):
    """The badge of a token."""

    ACTIVE = "ACTIVE"
    EXPIRING_SOON = "EXPIRING_SOON"
    EXPIRED = "EXPIRED"
    REVOKED = "REVOKED"


@dataclass(frozen=True, slots=True)
class IssuedRecord:
    """A token without its key, which is not stored."""

    id: str
    organization_id: str
    name: str
    # None: made by the operator at the command line, or the account is gone.
    created_by: str | None
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None

    def state(self, now: datetime) -> TokenState:
        """The state of the token at an instant."""
        if self.revoked_at is not None:
            return TokenState.REVOKED
        if self.expires_at is None or self.expires_at > now + EXPIRING_SOON:
            return TokenState.ACTIVE
        return TokenState.EXPIRING_SOON if self.expires_at > now else TokenState.EXPIRED


Row = TypeVar("Row", bound=IssuedToken)
Record = TypeVar("Record", bound=IssuedRecord)


@dataclass(frozen=True, slots=True)
class TokenKind(Generic[Row, Record]):
    """A kind of token. `collection` begins the actions of the audit log, `target` names the changed object there."""

    prefix: str
    noun: str
    collection: str
    target: str
    table: type[Row]
    record: type[Record]

    def keys(self) -> dict[str, Key]:
        """The keys that a list of these tokens can be sorted by."""
        return {
            "name": Key(func.lower(self.table.name)),
            "createdAt": Key(self.table.created_at),
            "expiresAt": Key(self.table.expires_at, nullable=True),
            "lastUsedAt": Key(self.table.last_used_at, nullable=True),
            "id": Key(self.table.id),
        }


# Here, because an account that is taken over loses the tokens that it made (accounts/takeovers.py).
SCIM_TOKENS = TokenKind("scim_", "SCIM token", "scimTokens", "scimToken", ScimToken, IssuedRecord)


@dataclass(frozen=True, slots=True)
class NewToken(Generic[Record]):
    """A new token, with the only copy of its key."""

    key: str
    token: Record


@dataclass(frozen=True, slots=True)
class TokenRequest:
    """A name and an end that were checked."""

    name: str
    expires_at: datetime | None

    @classmethod
    def of(cls, name: str, expires_at: datetime | None, now: datetime) -> "TokenRequest":
        """Raises InvalidSetting for a malformed name, and for an end that is past or has no time zone."""
        name = checked_name(name, "name", max_length=MAX_NAME_LENGTH)
        if expires_at is not None and expires_at.tzinfo is None:
            raise InvalidSetting(
                "expires_at", "use an instant with a time zone, such as 2027-12-31T00:00:00Z"
            )
        if expires_at is not None and expires_at <= now:
            raise InvalidSetting("expires_at", "the expiry is in the past; use a later instant")
        return cls(name, expires_at)


def issue(
    session: Session,
    kind: TokenKind[Row, Record],
    organization_id: str,
    actor: Principal,
    asked: TokenRequest,
    unlogged: Mapping[str, Any] | None = None,
    **columns: Any,
) -> NewToken[Record]:
    """Add a token and its entry of the audit log in a write transaction. Only the answer contains the key.

    `columns` are those of this kind alone; the entry has them too, except for the `unlogged` ones.
    """
    key = kind.prefix + secrets.token_urlsafe(32)
    row = kind.table(
        id=new_id(),
        organization_id=organization_id,
        name=asked.name,
        key_hash=key_hash(key),
        created_by=actor.account_id,
        created_at=session.info[CLOCK](),
        expires_at=asked.expires_at,
        last_used_at=None,
        revoked_at=None,
        **columns,
        **(unlogged or {}),
    )
    session.add(row)
    after = logged({"name": asked.name, **columns, "expires_at": asked.expires_at}, {})
    _record(session, kind, actor, row, "create", after)
    return NewToken(key, copied(kind.record, row))


def page_of(
    store: ControlStore,
    kind: TokenKind[Row, Record],
    organization_id: str,
    asked: ListQuery,
    *conditions: ColumnElement[bool],
    keys: Mapping[str, Key] | None = None,
) -> ListPage[tuple[Record, str | None]]:
    """A page of an organization's tokens with the addresses of their creators, revoked ones included.

    `keys` are sort keys of this kind alone.
    """
    statement = (
        select(kind.table, Account.email)
        .outerjoin(Account, Account.id == kind.table.created_by)
        .where(kind.table.organization_id == organization_id, *conditions)
    )
    with store.session() as session:
        return list_page(
            session, statement, {**kind.keys(), **(keys or {})}, asked,
            lambda row, email: (copied(kind.record, row), email),
            default="createdAt desc", unique="id",
        )  # fmt: skip


def token_of(session: Session, kind: TokenKind[Row, Record], owner: OrganizationRecord, token_id: str) -> Row:
    """The organization's token of this id. Raises NotFound."""
    row = session.get(kind.table, token_id)
    if row is None or row.organization_id != owner.id:
        raise NotFound(f"organization {owner.slug!r} has no {kind.noun} {token_id!r}")
    return row


def revoke(
    session: Session, now: datetime, kind: TokenKind[Row, Record], actor: Principal, row: Row
) -> Record:
    """Revoke a token in a write transaction; a second call changes nothing."""
    if row.revoked_at is None:
        row.revoked_at = now
        _record(session, kind, actor, row, "revoke", None)
    return copied(kind.record, row)


def revoke_where(
    session: Session,
    now: datetime,
    kind: TokenKind[Row, Record],
    actor: Principal,
    organization_id: str,
    *which: ColumnElement[bool],
) -> None:
    """Revoke the tokens of an organization for which all conditions hold, in a write transaction."""
    held = owned(kind.table, organization_id, kind.table.revoked_at.is_(None), *which)
    for row in session.scalars(held.order_by(kind.table.id)).all():
        revoke(session, now, kind, actor, row)


def find_token(
    store: ControlStore, kind: TokenKind[Row, Record], digest: bytes
) -> tuple[Record, bytes] | None:
    """The token of a key's hash with the stored hash, or None. One indexed query."""
    with store.session() as session:
        row = session.scalars(select(kind.table).where(kind.table.key_hash == digest)).one_or_none()
        return (copied(kind.record, row), row.key_hash) if row is not None else None


def touch(store: ControlStore, table: type[Credential], row_id: str, now: datetime) -> None:
    """Record the use of a token, session or root login, at most once per minute."""
    is_older = table.last_used_at.is_(None) | (table.last_used_at <= now - LAST_USED_GRAIN)
    with store.session() as session:
        session.execute(update(table).where(table.id == row_id, is_older).values(last_used_at=now))


def key_hash(key: str) -> bytes:
    """SHA-256 of a key. A slow hash is for passwords: 256 random bits cannot be guessed however fast one tries."""
    return hashlib.sha256(key.encode()).digest()


def _record(
    session: Session,
    kind: TokenKind[Row, Record],
    actor: Principal,
    row: Row,
    verb: str,
    after: dict[str, Any] | None,
) -> None:
    target = Target(kind.target, row.id, row.name)
    record_for(session, row.organization_id, actor, f"{kind.collection}.{verb}", target, after=after)
