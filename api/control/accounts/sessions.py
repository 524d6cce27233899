"""Sign-in sessions: opaque tokens that are stored as a hash, expire, and can be ended singly or all at once.

Keep out: passwords and accounts (accounts.py), HTTP (api/auth).
"""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from api.control.accounts.sign_in_rules import PASSWORD, refusal
from api.control.errors import NotFound
from api.control.ids import new_id
from api.control.issued_tokens import key_hash
from api.control.models import Account, Member, Organization, SignInSession
from api.control.permissions import Role
from api.control.principals import Membership, Principal, ShutMembership
from api.control.records import copied
from api.control.store import ControlStore
from api.control.visibility import visibility

# Tells a session from a key at a glance, for people and for programs that search for leaked secrets.
PREFIX = "session_"
LIFETIME = timedelta(days=30)
MAX_DEVICE_LENGTH = 255


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """A session; its token is not stored."""

    id: str
    account_id: str
    device: str
    active_organization_id: str | None
    created_at: datetime
    last_used_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class NewSession:
    """A session just begun, with the only copy of its token."""

    token: str
    session: SessionRecord


def begin_session(
    store: ControlStore,
    account_id: str,
    device: str,
    *,
    signed_in_by: str = PASSWORD,
    only_organization_id: str | None = None,
    within: Session | None = None,
) -> NewSession:
    """Sign an account in on a device (the browser's or program's own name). `within`: a transaction to join.

    A session with an `only_organization_id` reaches that organization alone.
    """
    if within is None:
        with store.session() as session:
            return begin_session(
                store, account_id, device,
                signed_in_by=signed_in_by, only_organization_id=only_organization_id, within=session,
            )  # fmt: skip
    now = store.now()
    within.execute(
        delete(SignInSession).where(SignInSession.account_id == account_id, SignInSession.expires_at <= now)
    )
    token = PREFIX + secrets.token_urlsafe(32)
    row = SignInSession(
        id=new_id(),
        account_id=account_id,
        token_hash=key_hash(token),
        device=printable_device(device) or "unknown",
        active_organization_id=_first_open(within, account_id, signed_in_by, only_organization_id),
        created_at=now,
        last_used_at=now,
        expires_at=now + LIFETIME,
        signed_in_by=signed_in_by,
        only_organization_id=only_organization_id,
    )
    within.add(row)
    within.flush()
    return NewSession(token, copied(SessionRecord, row))


def list_sessions(store: ControlStore, account_id: str) -> list[SessionRecord]:
    """The valid sessions of an account, newest first."""
    with store.session() as session:
        rows = session.scalars(
            select(SignInSession)
            .where(SignInSession.account_id == account_id, SignInSession.expires_at > store.now())
            .order_by(SignInSession.created_at.desc(), SignInSession.id.desc())
        )
        return [copied(SessionRecord, row) for row in rows]


def end_session(store: ControlStore, account_id: str, session_id: str) -> None:
    """End one session of an account. Raises NotFound for an ended session and for one of another account."""
    with store.session() as session:
        row = session.get(SignInSession, session_id)
        if row is None or row.account_id != account_id:
            raise NotFound(f"this account has no session {session_id!r}; /auth/sessions lists its sessions")
        session.delete(row)


def end_sessions(session: Session, account_id: str, *, but: str | None = None) -> None:
    """End every session of an account, `but` one, in a transaction."""
    session.execute(
        delete(SignInSession).where(SignInSession.account_id == account_id, SignInSession.id != (but or ""))
    )


def end_sessions_in(
    session: Session, organization_id: str, account_id: str, *, but: str | None = None
) -> None:
    """End the sessions of an account that a provider of the organization began, `but` one, in a transaction."""
    session.execute(
        delete(SignInSession).where(
            SignInSession.account_id == account_id,
            SignInSession.only_organization_id == organization_id,
            SignInSession.id != (but or ""),
        )
    )


def end_all_sessions(store: ControlStore, account_id: str) -> None:
    """End every session of an account."""
    with store.session() as session:
        end_sessions(session, account_id)


def activate(store: ControlStore, session_id: str, organization_id: str | None) -> None:
    """Make an organization the active one of a session, or none."""
    with store.session() as session:
        session.execute(
            update(SignInSession)
            .where(SignInSession.id == session_id)
            .values(active_organization_id=organization_id)
        )


def find_by_hash(store: ControlStore, digest: bytes) -> tuple[SessionRecord, bytes, Principal] | None:
    """The session of a token's hash, with the stored hash and its principal, or None."""
    with store.session() as session:
        found = session.execute(
            select(SignInSession, Account, Member.role, Organization)
            .join(Account, Account.id == SignInSession.account_id)
            .outerjoin(Member, Member.account_id == SignInSession.account_id)
            .outerjoin(Organization, Organization.id == Member.organization_id)
            .where(SignInSession.token_hash == digest)
            .order_by(Member.joined_at, Member.organization_id)
        ).all()
        if not found:
            return None
        row, account = found[0][0], found[0][1]
        lines: list[tuple[str, Organization | None]] = [(line[2], line[3]) for line in found]
        memberships, shut = [], []
        for role, organization in lines:
            if organization is None or row.only_organization_id not in (None, organization.id):
                continue
            reason = refusal(session, organization, Role(role), account.email_key, row.signed_in_by)
            if reason is not None:
                shut.append(ShutMembership(organization.id, organization.slug, reason))
                continue
            seen = visibility(session, organization, Role(role), account)
            memberships.append(Membership(organization.id, organization.slug, Role(role), seen))
    principal = Principal(
        account_id=account.id,
        email=account.email,
        session_id=row.id,
        may_write=True,
        is_platform_administrator=account.is_platform_administrator and row.only_organization_id is None,
        memberships=tuple(memberships),
        active_organization_id=row.active_organization_id,
        only_organization_id=row.only_organization_id,
        shut=tuple(shut),
    )
    return copied(SessionRecord, row), row.token_hash, principal


def _first_open(session: Session, account_id: str, signed_in_by: str, only: str | None) -> str | None:
    """The first organization of an account that such a session may enter."""
    found = session.execute(
        select(Organization, Member.role, Account.email_key)
        .join(Member, Member.organization_id == Organization.id)
        .join(Account, Account.id == Member.account_id)
        .where(Member.account_id == account_id)
        .order_by(Member.joined_at, Member.organization_id)
    ).all()
    return next(
        (
            organization.id
            for organization, role, email_key in found
            if only in (None, organization.id)
            and refusal(session, organization, Role(role), email_key, signed_in_by) is None
        ),
        None,
    )


def printable_device(device: str) -> str:
    """The name of a device without control characters, shortened."""
    return "".join(character for character in device if character.isprintable())[:MAX_DEVICE_LENGTH].strip()
