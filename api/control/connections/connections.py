"""Connections: adding, changing, replacing the secret, removing, listing, and requests to sync.

Keep out: the check of a token and of an address (the caller), what a connection is (records.py), health (health.py),
results of runs (sync_status.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import func, update

from api.control.audit import record
from api.control.changes import Unchanged
from api.control.connections.health import ConnectionHealth, change_health
from api.control.connections.records import ConnectionRecord, record_of
from api.control.connections.rows import existing_connection, is_synced, refuse_same, target_of
from api.control.connections.sync_status import CHANGE, RESYNC, give_up
from api.control.errors import InvalidSetting, NotPossible
from api.control.ids import new_id
from api.control.list_pages import Key, ListPage, ListQuery, given, list_page
from api.control.models import Connection, Repository
from api.control.models.connections import MODEL_ENDPOINTS
from api.control.names import checked_literal, checked_name
from api.control.operations.operations import SYNC, OperationRecord, operation
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.records import owned
from api.control.rights import refuse_lasting
from api.control.sealed_rows import secret_of
from api.control.store import ControlStore

KEYS = {
    "name": Key(func.lower(Connection.name)),
    "kind": Key(Connection.kind),
    "createdAt": Key(Connection.created_at),
    "lastSyncedAt": Key(Connection.last_synced_at, nullable=True),
    "id": Key(Connection.id),
}
MAX_NAME_LENGTH = 255
MAX_USER_LENGTH = 254
# Messages of providers are searched for the secret, and a shorter one is part of ordinary words. All tokens are longer.
MIN_SECRET_LENGTH = 8
MAX_SECRET_LENGTH = 4096


@dataclass(frozen=True, slots=True)
class Account:
    """The answer of the provider when it checked a token."""

    name: str = ""
    expires_at: datetime | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NewConnection:
    """A connection to add. `address` was checked; `category` is the noun of its raw tables."""

    kind: str
    category: str
    address: str
    name: str
    secret: str = field(repr=False)
    user: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    default_levels: Mapping[str, str] = field(default_factory=dict)
    account: Account = Account()


@dataclass(frozen=True, slots=True)
class CheckedTogether:
    """The stored user, options and secret with which the provider checked a change of the others. `secret` is None if
    the change brings one.
    """

    user: str
    options: Mapping[str, Any]
    secret: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ConnectionChange:
    """New values of some settings. `account` is the answer of the provider to a new user, secret or option."""

    name: str | Unchanged = Unchanged.UNCHANGED
    options: Mapping[str, Any] | Unchanged = Unchanged.UNCHANGED
    user: str | Unchanged = Unchanged.UNCHANGED
    secret: str | Unchanged = field(default=Unchanged.UNCHANGED, repr=False)
    account: Account | None = None
    checked_with: CheckedTogether | None = None


def add_connection(
    store: ControlStore, actor: Principal, organization_id: str, wanted: NewConnection
) -> ConnectionRecord:
    """Add a connection, which is synced next. A model endpoint may have no secret, and is as healthy as its check.

    Raises InvalidSetting, BadSecretKey, AlreadyExists for the kind, address and name of another one.
    """
    name, user = _checked_name(wanted.name), _checked_user(wanted.user)
    secret = checked_secret(wanted.secret, is_optional=wanted.category == MODEL_ENDPOINTS)
    connection_id = new_id()
    sealed = store.keyring.encrypt(secret, organization_id, connection_id)
    with store.allowed_write(actor, organization_id, Permission.MANAGE_CONNECTIONS) as session:
        refuse_lasting(actor, "add a connection")
        refuse_same(session, organization_id, wanted.kind, wanted.address, name)
        row = Connection(
            id=connection_id,
            organization_id=organization_id,
            kind=wanted.kind,
            category=wanted.category,
            address=wanted.address,
            name=name,
            user=user,
            secret=sealed.ciphertext,
            secret_key_id=sealed.key_id,
            options=dict(wanted.options),
            default_levels=dict(wanted.default_levels),
            created_at=store.now(),
            created_by=actor.actor[2],
            health=ConnectionHealth.PENDING,
            row_counts={},
            item_counts={},
            team_names={},
        )
        _note_account(row, wanted.account)
        session.add(row)
        session.flush()
        if not is_synced(row):
            change_health(session, row, store.now(), ConnectionHealth.HEALTHY)
        syncs = row.id if is_synced(row) else None
        record(session, "connections.create", target_of(row), after=_state(row), syncs=syncs)
        return record_of(row, store.now())


def change_connection(
    store: ControlStore,
    actor: Principal,
    organization_id: str,
    connection_id: str,
    change: ConnectionChange,
) -> ConnectionRecord:
    """Change settings, or replace the secret, which keeps the history. With another user or other options everything
    is read anew.

    Raises NotFound, InvalidSetting, BadSecretKey, AlreadyExists for the kind, address and name of another one, and
    NotPossible if somebody else changed meanwhile what the provider checked together with this change.
    """
    name = None if isinstance(change.name, Unchanged) else _checked_name(change.name)
    user = None if isinstance(change.user, Unchanged) else _checked_user(change.user)
    with store.allowed_write(actor, organization_id, Permission.MANAGE_CONNECTIONS) as session:
        row = existing_connection(session, organization_id, connection_id)
        sealed = None
        if not isinstance(change.secret, Unchanged):
            refuse_lasting(actor, "replace the token of a connection")
            secret = checked_secret(change.secret, is_optional=not is_synced(row))
            sealed = store.keyring.encrypt(secret, organization_id, connection_id)
        _refuse_if_outdated(store, row, change)
        before = _state(row)
        if name is not None and name != row.name:
            refuse_same(session, organization_id, row.kind, row.address, name)
            row.name = name
        row.user = row.user if user is None else user
        if not isinstance(change.options, Unchanged):
            row.options = dict(change.options)
        after = _state(row)
        if after != before:
            is_other = any(after[key] != before[key] for key in ("user", "options"))
            syncs = row.id if is_other and is_synced(row) else None
            # A connection that is read has its name in the figures.
            renames = after["name"] != before["name"] and is_synced(row)
            record(session, CHANGE, target_of(row), before, after, restates=renames, syncs=syncs)
        if sealed is not None:
            row.secret, row.secret_key_id = sealed.ciphertext, sealed.key_id
            syncs = row.id if is_synced(row) else None
            record(session, "connections.replaceSecret", target_of(row), syncs=syncs)
        if not is_synced(row):
            if change.account is not None:
                # Another model may know what the one before refused.
                row.capabilities = None
                change_health(session, row, store.now(), ConnectionHealth.HEALTHY)
        elif sealed is not None or after["user"] != before["user"]:
            # A pause was the other token's or account's.
            row.next_attempt_at = None
            change_health(session, row, store.now(), ConnectionHealth.PENDING)
        if sealed is not None or change.account is not None:
            _note_account(row, change.account or Account())
        return record_of(row, store.now())


def remove_connection(
    store: ControlStore, actor: Principal, organization_id: str, connection_id: str
) -> None:
    """Remove a connection with its secret; its facts go with the next build. Its repositories stay, and are read
    without a token from then on. A model endpoint has no facts and goes at once. Raises NotFound.
    """
    with store.allowed_write(actor, organization_id, Permission.MANAGE_CONNECTIONS) as session:
        row = existing_connection(session, organization_id, connection_id)
        if not is_synced(row):
            record(session, "connections.remove", target_of(row), _state(row))
            session.delete(row)
            return
        row.removed_at, row.secret, row.secret_key_id = store.now(), b"", ""
        session.execute(
            update(Repository)
            .where(Repository.organization_id == organization_id, Repository.connection_id == connection_id)
            .values(connection_id=None, provider_id=None)
        )
        give_up(session, store.now(), organization_id, connection_id, "the connection was removed")
        record(session, "connections.remove", target_of(row), _state(row), restates=True)


def request_sync(
    store: ControlStore, actor: Principal, organization_id: str, connection_id: str, *, is_full: bool
) -> OperationRecord:
    """Request a sync, of everything if `is_full`. Returns the operation that waits for it.

    Raises NotFound, and NotPossible for a model endpoint.
    """
    with store.allowed_write(actor, organization_id, Permission.MANAGE_CONNECTIONS) as session:
        row = existing_connection(session, organization_id, connection_id)
        if not is_synced(row):
            raise NotPossible(f"{row.name} is a model endpoint: nothing of it is read, so it has no sync")
        action = RESYNC if is_full else SYNC
        made = record(session, action, target_of(row), syncs=row.id)
        return operation(store.joined(session), organization_id, made or "")


def connection(store: ControlStore, organization_id: str, connection_id: str) -> ConnectionRecord:
    """A connection. Raises NotFound."""
    with store.session() as session:
        return record_of(existing_connection(session, organization_id, connection_id), store.now())


def list_connections(
    store: ControlStore, organization_id: str, asked: ListQuery, *, category: str | None = None
) -> ListPage[ConnectionRecord]:
    """A page of the connections, by name."""
    chosen = given((Connection.category, category))
    statement = owned(Connection, organization_id, Connection.removed_at.is_(None), *chosen)
    with store.session() as session:
        now = store.now()
        return list_page(
            session, statement, KEYS, asked, lambda row: record_of(row, now), default="name", unique="id"
        )


def _checked_name(name: str) -> str:
    return checked_name(name, "name", max_length=MAX_NAME_LENGTH)


def _checked_user(user: str) -> str:
    return checked_literal(user.strip(), "user", max_length=MAX_USER_LENGTH) if user.strip() else ""


def checked_secret(secret: str, *, is_optional: bool = False) -> str:
    """A token without surrounding white space. Raises InvalidSetting, never with the token in its message."""
    secret = secret.strip()
    if is_optional and not secret:
        return secret
    if not MIN_SECRET_LENGTH <= len(secret) <= MAX_SECRET_LENGTH:
        allowed = f"{MIN_SECRET_LENGTH} to {MAX_SECRET_LENGTH}"
        raise InvalidSetting("secret", f"use {allowed} characters; copy the whole token")
    # It is sent in a header.
    if not secret.isascii() or not secret.isprintable():
        raise InvalidSetting("secret", "use only visible ASCII characters; copy the token again")
    return secret


def _refuse_if_outdated(store: ControlStore, row: Connection, change: ConnectionChange) -> None:
    checked = change.checked_with
    if checked is None:
        return
    is_same = (not isinstance(change.user, Unchanged) or row.user == checked.user) and (
        not isinstance(change.options, Unchanged) or row.options == checked.options
    )
    if is_same and checked.secret is not None:
        is_same = secret_of(store, row) == checked.secret
    if not is_same:
        raise NotPossible(f"somebody else changed the connection {row.name} meanwhile; read it and try again")


def _note_account(row: Connection, account: Account) -> None:
    row.account = account.name[:254]
    row.expires_at, row.warnings = account.expires_at, list(account.warnings)


def _state(row: Connection) -> dict[str, Any]:
    return {
        "kind": row.kind,
        "address": row.address,
        "name": row.name,
        "user": row.user,
        "options": row.options,
    }
