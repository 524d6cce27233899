"""API keys: `service_…` secrets that are shown once and stored as a hash.

Keep out: HTTP (api/auth).
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import ColumnElement, and_, func, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from api.control.accounts.verified_addresses import refuse_leaving_behind
from api.control.audit import Target, record_for
from api.control.errors import InvalidSetting, NotAllowed, NotFound
from api.control.ids import new_id
from api.control.list_pages import Key, ListPage, ListQuery, given, list_page
from api.control.models import (
    Account,
    ApiToken,
    IngestToken,
    Member,
    Organization,
    RootLogin,
    SigningKey,
    SignInSession,
)
from api.control.names import checked_name
from api.control.permissions import Permission, Role
from api.control.principals import OPERATOR, Membership, Principal
from api.control.records import copied, owned
from api.control.rights import refuse_lasting, refuse_unless_allowed
from api.control.store import ControlStore
from api.control.visibility import visibility

Credential = ApiToken | IngestToken | SignInSession | RootLogin
PREFIX = "service_"
SCOPES = ("read", "write")
MAX_NAME_LENGTH = 100
# A minute is fine enough, and a write per request would serialize all readers.
LAST_USED_GRAIN = timedelta(minutes=1)
EXPIRING_SOON = timedelta(days=7)
TOKEN_KEYS = {
    "name": Key(func.lower(ApiToken.name)),
    "createdAt": Key(ApiToken.created_at),
    "expiresAt": Key(ApiToken.expires_at, nullable=True),
    "lastUsedAt": Key(ApiToken.last_used_at, nullable=True),
    "id": Key(ApiToken.id),
}


class TokenState(StrEnum):
    """The badge of a token."""

    ACTIVE = "ACTIVE"
    EXPIRING_SOON = "EXPIRING_SOON"
    EXPIRED = "EXPIRED"
    REVOKED = "REVOKED"


@dataclass(frozen=True, slots=True)
class TokenRecord:
    """A token without its key, which is not stored."""

    id: str
    organization_id: str
    name: str
    scope: str
    # None: made by the operator at the command line, with the rights of an owner.
    created_by: str | None
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None

    def state(self, now: datetime) -> TokenState:
        """The state of the token at an instant."""
        return state_at(now, self.expires_at, self.revoked_at)


def state_at(now: datetime, expires_at: datetime | None, revoked_at: datetime | None) -> TokenState:
    """The state of a key with this end and revocation."""
    if revoked_at is not None:
        return TokenState.REVOKED
    if expires_at is None or expires_at > now + EXPIRING_SOON:
        return TokenState.ACTIVE
    return TokenState.EXPIRING_SOON if expires_at > now else TokenState.EXPIRED


def refuse_past(expires_at: datetime | None, now: datetime) -> None:
    """Raises InvalidSetting for an end that is past or has no time zone."""
    if expires_at is None:
        return
    if expires_at.tzinfo is None:
        raise InvalidSetting("expires_at", "use an instant with a time zone, such as 2027-12-31T00:00:00Z")
    if expires_at <= now:
        raise InvalidSetting("expires_at", "the expiry is in the past; use a later instant")


@dataclass(frozen=True, slots=True)
class NewToken:
    """A new token, with the only copy of its key."""

    key: str
    token: TokenRecord


def create_token(
    store: ControlStore,
    organization: str,
    name: str,
    *,
    scope: str = "read",
    expires_at: datetime | None = None,
    actor: Principal = OPERATOR,
) -> NewToken:
    """Create a token for an organization (id or slug). Only the answer contains the key.

    The token has the permissions that both its scope and the current role of its creator allow; without an account
    those of an owner. Raises InvalidSetting for a malformed name, scope or expiry, NotFound for an unknown
    organization, NotPossible for an account with an unverified address.
    """
    name = checked_name(name, "name", max_length=MAX_NAME_LENGTH)
    if scope not in SCOPES:
        raise InvalidSetting("scope", f"use one of {', '.join(SCOPES)}")
    now = store.now()
    refuse_past(expires_at, now)
    owner = store.organization(organization)
    # In the transaction of memberships: a key is revoked with its creator's membership, or not created after it.
    key = PREFIX + secrets.token_urlsafe(32)
    row = ApiToken(
        id=new_id(),
        organization_id=owner.id,
        name=name,
        key_hash=key_hash(key),
        scope=scope,
        created_by=actor.account_id,
        created_at=now,
        expires_at=expires_at,
        last_used_at=None,
        revoked_at=None,
    )
    with store.write_transaction(owner.id) as session:
        if actor.account_id is not None:
            # A take-over of the account waits, or has ended the session.
            session.get(Account, actor.account_id, with_for_update={"read": True})
        refuse_unless_allowed(session, actor, owner.id, Permission.MANAGE_OWN_TOKENS)
        refuse_lasting(actor, "create API keys")
        refuse_leaving_behind(session, actor, "create API keys", within=owner.id)
        if actor.only_organization_id is not None:
            row.made_by_provider = session.get_one(SignInSession, actor.session_id).signed_in_by
        session.add(row)
        after = {"name": name, "scope": scope, "expiresAt": expires_at and expires_at.isoformat()}
        target = Target("token", row.id, name)
        record_for(session, owner.id, actor, "tokens.create", target, after=after)
    return NewToken(key, copied(TokenRecord, row))


def list_tokens(store: ControlStore, organization: str) -> list[TokenRecord]:
    """Tokens of an organization (id or slug), newest first, revoked ones included. Raises NotFound."""
    owner = store.organization(organization)
    with store.session() as session:
        rows = session.scalars(owned(ApiToken, owner.id).order_by(ApiToken.id.desc()))
        return [copied(TokenRecord, row) for row in rows]


def page_of_tokens(
    store: ControlStore, organization_id: str, asked: ListQuery, *, created_by: str | None = None
) -> ListPage[tuple[TokenRecord, str | None]]:
    """A page of an organization's tokens with the addresses of their creators; optionally of one creator."""
    statement = (
        select(ApiToken, Account.email)
        .outerjoin(Account, Account.id == ApiToken.created_by)
        .where(ApiToken.organization_id == organization_id, *given((ApiToken.created_by, created_by)))
    )
    with store.session() as session:
        return list_page(
            session, statement, TOKEN_KEYS, asked, lambda row, email: (copied(TokenRecord, row), email),
            default="createdAt desc", unique="id",
        )  # fmt: skip


def revoke_token(
    store: ControlStore, organization: str, token_id: str, *, actor: Principal = OPERATOR
) -> TokenRecord:
    """Revoke a token; a second call changes nothing. Raises NotFound, and NotAllowed for a token of somebody else."""
    owner = store.organization(organization)
    with store.allowed_write(actor, owner.id, Permission.MANAGE_OWN_TOKENS) as session:
        row = session.get(ApiToken, token_id)
        if row is None or row.organization_id != owner.id:
            raise NotFound(f"organization {owner.slug!r} has no token {token_id!r}")
        if row.created_by is None or row.created_by != actor.account_id:
            _refuse_unless_administering(session, actor, owner.id)
        if row.revoked_at is None:
            _revoke(session, store.now(), actor, row)
        return copied(TokenRecord, row)


def revoke_tokens(
    session: Session, now: datetime, actor: Principal, organization_id: str, *which: ColumnElement[bool]
) -> None:
    """Revoke the tokens of an organization for which all conditions hold, in a write transaction."""
    held = owned(ApiToken, organization_id, ApiToken.revoked_at.is_(None), *which)
    for row in session.scalars(held.order_by(ApiToken.id)).all():
        _revoke(session, now, actor, row)


def find_by_hash(store: ControlStore, digest: bytes) -> tuple[TokenRecord, bytes, Principal] | None:
    """The token of a key's hash, with the stored hash and its principal, or None. One indexed query."""
    with store.session() as session:
        found = session.execute(
            select(ApiToken, Organization, Account, Member.role)
            .join(Organization, Organization.id == ApiToken.organization_id)
            .outerjoin(Account, Account.id == ApiToken.created_by)
            .outerjoin(
                Member,
                and_(
                    Member.account_id == ApiToken.created_by,
                    Member.organization_id == ApiToken.organization_id,
                ),
            )
            .where(ApiToken.key_hash == digest)
        ).one_or_none()
        if found is None:
            return None
        row, organization, creator_role = found[0], found[1], found[3]
        account: Account | None = found[2]
        role = Role.OWNER if row.created_by is None else creator_role and Role(creator_role)
        seen = visibility(session, organization, role, account) if role else None
    principal = Principal(
        account_id=row.created_by,
        email=account.email if account is not None else None,
        token_id=row.id,
        token_name=row.name,
        may_write=row.scope == "write",
        memberships=(Membership(row.organization_id, organization.slug, role, seen),)
        if role and seen
        else (),
        active_organization_id=row.organization_id,
    )
    return copied(TokenRecord, row), row.key_hash, principal


def touch(store: ControlStore, table: type[Credential], row_id: str, now: datetime) -> None:
    """Record the use of a key, session or root login, at most once per minute."""
    is_older = table.last_used_at.is_(None) | (table.last_used_at <= now - LAST_USED_GRAIN)
    with store.session() as session:
        session.execute(update(table).where(table.id == row_id, is_older).values(last_used_at=now))


def key_hash(key: str) -> bytes:
    """SHA-256 of a key. A slow hash is for passwords: 256 random bits cannot be guessed however fast one tries."""
    return hashlib.sha256(key.encode()).digest()


def signing_key(store: ControlStore, name: str) -> bytes:
    """The deployment's key of this name, made at first use, the same for every process."""
    with store.session() as session:
        row = session.get(SigningKey, name)
    if row is not None:
        return row.key
    try:
        with store.session() as session:
            session.add(SigningKey(name=name, key=secrets.token_bytes(32), created_at=store.now()))
    except IntegrityError:
        pass  # another process made it first; its key counts
    with store.session() as session:
        return session.get_one(SigningKey, name).key


def _revoke(session: Session, now: datetime, actor: Principal, row: ApiToken) -> None:
    row.revoked_at = now
    record_for(session, row.organization_id, actor, "tokens.revoke", Target("token", row.id, row.name))


def _refuse_unless_administering(session: Session, actor: Principal, organization_id: str) -> None:
    try:
        refuse_unless_allowed(session, actor, organization_id, Permission.ADMINISTER_TOKENS)
    except NotAllowed:
        raise NotAllowed(
            "you may revoke only your own API keys, and this key belongs to another member; ask an owner or admin"
        ) from None
