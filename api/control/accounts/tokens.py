"""API keys: `service_…` secrets that are shown once and stored as a hash.

Keep out: HTTP (api/auth).
"""

import secrets
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from api.control.accounts.verified_addresses import refuse_leaving_behind
from api.control.errors import InvalidSetting, NotAllowed
from api.control.issued_tokens import (
    IssuedRecord,
    NewToken,
    TokenKind,
    TokenRequest,
    issue,
    page_of,
    revoke,
    revoke_where,
    token_of,
)
from api.control.list_pages import ListPage, ListQuery, given
from api.control.models import Account, ApiToken, Member, Organization, SigningKey, SignInSession
from api.control.permissions import Permission, Role
from api.control.principals import OPERATOR, Membership, Principal
from api.control.records import copied, owned
from api.control.rights import refuse_lasting, refuse_unless_allowed
from api.control.store import ControlStore
from api.control.visibility import visibility

SCOPES = ("read", "write")


@dataclass(frozen=True, slots=True)
class TokenRecord(IssuedRecord):
    """An API key. Without a creator it has the rights of an owner: accounts take their keys along."""

    scope: str


API_KEYS = TokenKind("service_", "token", "tokens", "token", ApiToken, TokenRecord)
PREFIX = API_KEYS.prefix


def create_token(
    store: ControlStore,
    organization: str,
    name: str,
    *,
    scope: str = "read",
    expires_at: datetime | None = None,
    actor: Principal = OPERATOR,
) -> NewToken[TokenRecord]:
    """Create a token for an organization (id or slug). Only the answer contains the key.

    The token has the permissions that both its scope and the current role of its creator allow; without an account
    those of an owner. Raises InvalidSetting for a malformed name, scope or expiry, NotFound for an unknown
    organization, NotPossible for an account with an unverified address.
    """
    asked = TokenRequest.of(name, expires_at, store.now())
    if scope not in SCOPES:
        raise InvalidSetting("scope", f"use one of {', '.join(SCOPES)}")
    owner = store.organization(organization)
    # In the transaction of memberships: a key is revoked with its creator's membership, or not created after it.
    with store.write_transaction(owner.id) as session:
        if actor.account_id is not None:
            # A take-over of the account waits, or has ended the session.
            session.get(Account, actor.account_id, with_for_update={"read": True})
        refuse_unless_allowed(session, actor, owner.id, Permission.MANAGE_OWN_TOKENS)
        refuse_lasting(actor, "create API keys")
        refuse_leaving_behind(session, actor, "create API keys", within=owner.id)
        provider = None
        if actor.only_organization_id is not None:
            provider = session.get_one(SignInSession, actor.session_id).signed_in_by
        return issue(session, API_KEYS, owner.id, actor, asked, {"made_by_provider": provider}, scope=scope)


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
    return page_of(store, API_KEYS, organization_id, asked, *given((ApiToken.created_by, created_by)))


def revoke_token(
    store: ControlStore, organization: str, token_id: str, *, actor: Principal = OPERATOR
) -> TokenRecord:
    """Revoke a token; a second call changes nothing. Raises NotFound, and NotAllowed for a token of somebody else."""
    owner = store.organization(organization)
    with store.allowed_write(actor, owner.id, Permission.MANAGE_OWN_TOKENS) as session:
        row = token_of(session, API_KEYS, owner, token_id)
        if row.created_by is None or row.created_by != actor.account_id:
            _refuse_unless_administering(session, actor, owner.id)
        return revoke(session, store.now(), API_KEYS, actor, row)


def revoke_tokens(
    session: Session, now: datetime, actor: Principal, organization_id: str, *which: ColumnElement[bool]
) -> None:
    """Revoke the tokens of an organization for which all conditions hold, in a write transaction."""
    revoke_where(session, now, API_KEYS, actor, organization_id, *which)


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


def signing_key(store: ControlStore, name: str) -> bytes:
    """The deployment's key of this name, made at first use, the same for every process."""
    return store.unchanged(("signing_key", name), lambda: _signing_key(store, name))


def _signing_key(store: ControlStore, name: str) -> bytes:
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


def _refuse_unless_administering(session: Session, actor: Principal, organization_id: str) -> None:
    try:
        refuse_unless_allowed(session, actor, organization_id, Permission.ADMINISTER_TOKENS)
    except NotAllowed:
        raise NotAllowed(
            "you may revoke only your own API keys, and this key belongs to another member; ask an owner or admin"
        ) from None
