"""Root logins: sessions of an hour that signed credentials begin, and the organization that each has entered.

A credential works once: its id is stored in the transaction that begins the session. Keep out: signatures
(api/operator/root_credentials.py), HTTP (api/auth), what root may do (permissions.py, rights.py).
"""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from api.control.audit import Target, record_for
from api.control.errors import NotAllowed, NotFound
from api.control.ids import new_id
from api.control.issued_tokens import key_hash
from api.control.models import Organization, RootLogin
from api.control.permissions import Role
from api.control.principals import OPERATOR, Membership, Principal, RootIdentity
from api.control.records import copied
from api.control.rights import ROOT_ENDED, is_live
from api.control.store import ControlStore
from api.control.visibility import visibility
from api.operator.root_credentials import BadCredential, RootCredential
from api.operator.settings import RootSigner

PREFIX = "root_"
LIFETIME = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class RootLoginRecord:
    """A root login; its token is not stored. `is_live`: its session can be used."""

    id: str
    issuer: str
    credential_id: str
    signer: RootSigner
    entered_organization_id: str | None
    created_at: datetime
    last_used_at: datetime
    expires_at: datetime
    ended_at: datetime | None
    is_live: bool

    def is_open(self, now: datetime) -> bool:
        """Whether it has not ended, whatever keys this process accepts."""
        return self.ended_at is None and now < self.expires_at


@dataclass(frozen=True, slots=True)
class NewRootLogin:
    """A root login just begun, with the only copy of its token."""

    token: str
    login: RootLoginRecord


def begin(store: ControlStore, credential: RootCredential) -> NewRootLogin:
    """Begin the session of a credential. Raises BadCredential for a used one."""
    token = PREFIX + secrets.token_urlsafe(32)
    try:
        with store.write_transaction() as session:
            now = store.now()
            # The clock of the request may be older than the wait for this transaction.
            if credential.expires_at <= now:
                raise BadCredential("it has expired")
            row = RootLogin(
                id=new_id(),
                credential_id=credential.id,
                issuer=credential.issuer,
                signer=credential.signer,
                key=credential.key,
                token_hash=key_hash(token),
                entered_organization_id=None,
                created_at=now,
                last_used_at=now,
                expires_at=now + LIFETIME,
                ended_at=None,
            )
            session.add(row)
            session.flush()
            return NewRootLogin(token, _record(row, now))
    except IntegrityError as error:
        raise BadCredential("it was used before") from error


def find_by_hash(store: ControlStore, digest: bytes) -> tuple[RootLoginRecord, bytes, Principal] | None:
    """The root login of a token's hash, with the stored hash and its principal, or None."""
    with store.session() as session:
        found = session.execute(
            select(RootLogin, Organization)
            .outerjoin(Organization, Organization.id == RootLogin.entered_organization_id)
            .where(RootLogin.token_hash == digest)
        ).one_or_none()
        if found is None:
            return None
        row: RootLogin = found[0]
        organization: Organization | None = found[1]
        memberships: tuple[Membership, ...] = ()
        if organization is not None:
            seen = visibility(session, organization, Role.OWNER, None)
            memberships = (Membership(organization.id, organization.slug, Role.OWNER, seen),)
    principal = Principal(
        may_write=True,
        is_platform_administrator=True,
        memberships=memberships,
        active_organization_id=row.entered_organization_id,
        root=RootIdentity(row.id, row.issuer, row.credential_id, RootSigner(row.signer)),
    )
    return _record(row, store.now()), row.token_hash, principal


def enter(store: ControlStore, root: RootIdentity, actor: Principal, organization: str) -> str:
    """Enter an organization (id or slug) and leave the one before; both logs have it. Returns the id.

    Raises NotFound, and NotAllowed for a login that has ended.
    """
    entered = store.organization(organization).id
    with store.session() as session:
        row = session.get(RootLogin, root.login_id)
        if row is not None and row.entered_organization_id == entered:
            return entered
    leave(store, root.login_id, actor)
    with store.write_transaction(entered) as session:
        row = session.get(RootLogin, root.login_id, with_for_update=True)
        if row is None or not is_live(row, store.now()):
            raise NotAllowed(ROOT_ENDED)
        if row.entered_organization_id == entered:
            return entered
        if row.entered_organization_id is not None:  # another request of this login was faster
            record_for(session, row.entered_organization_id, actor, "rootLogins.leave", _target(row))
        row.entered_organization_id = entered
        # In the log although the session may end without a request: it ends then at the latest.
        after = {"signer": row.signer, "expiresAt": row.expires_at.isoformat()}
        record_for(session, entered, actor, "rootLogins.enter", _target(row), after=after)
    return entered


def leave(store: ControlStore, login_id: str, actor: Principal, *, ends: bool = False) -> None:
    """Leave the entered organization, whose log has it, and end the session if `ends`. Raises NotFound."""
    with store.session() as session:
        row = session.get(RootLogin, login_id)
        if row is None:
            raise NotFound(f"no root login {login_id!r}; `eas root-login list` lists them")
        left = row.entered_organization_id
    # In the transaction of the organization: no write of this login is under way when it has left.
    with store.write_transaction(left) as session:
        row = session.get_one(RootLogin, login_id, with_for_update=True)
        if row.entered_organization_id is not None:
            record_for(session, row.entered_organization_id, actor, "rootLogins.leave", _target(row))
        row.entered_organization_id = None
        if ends and row.ended_at is None:
            row.ended_at = store.now()


def list_logins(store: ControlStore) -> list[RootLoginRecord]:
    """Every root login, newest first, ended ones included."""
    with store.session() as session:
        rows = session.scalars(select(RootLogin).order_by(RootLogin.created_at.desc(), RootLogin.id.desc()))
        return [_record(row, store.now()) for row in rows]


def end_all(store: ControlStore) -> int:
    """End every root login that has not ended, as the operator. Returns their number."""
    # Also those of keys that the shell of the operator does not know.
    ended = [one for one in list_logins(store) if one.is_open(store.now())]
    for one in ended:
        leave(store, one.id, OPERATOR, ends=True)
    return len(ended)


def _target(row: RootLogin) -> Target:
    return Target("rootLogin", row.id, row.issuer)


def _record(row: RootLogin, now: datetime) -> RootLoginRecord:
    return copied(RootLoginRecord, row, is_live=is_live(row, now))
