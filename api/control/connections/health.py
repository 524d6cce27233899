"""The health of connections, with its history.

Keep out: noting runs (sync_status.py).
"""

from datetime import datetime
from enum import StrEnum

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from api.control.connections.rows import existing_connection
from api.control.ids import new_id
from api.control.list_pages import Key, ListPage, ListQuery, list_page, whole
from api.control.models import Connection, ConnectionEvent
from api.control.store import ControlStore

KEYS = {"at": Key(ConnectionEvent.at), "id": Key(ConnectionEvent.id)}
MAX_EVENTS = 200
"""Kept per connection, the newest ones."""
MAX_MESSAGE_LENGTH = 2000


class ConnectionHealth(StrEnum):
    """Whether the service could read a connection when it last tried."""

    PENDING = "PENDING"
    HEALTHY = "HEALTHY"
    DEGRADED = "DEGRADED"
    LIMITED = "LIMITED"
    FAILING = "FAILING"


def told_text(message: str) -> str:
    """A message of a run as it is kept. It may quote the provider, and PostgreSQL keeps neither NUL nor half of a
    surrogate pair.
    """
    return message.replace("\0", " ").encode("utf-8", "replace").decode()[:MAX_MESSAGE_LENGTH]


def change_health(
    session: Session,
    row: Connection,
    now: datetime,
    health: ConnectionHealth,
    message: str | None = None,
    reason: str | None = None,
) -> None:
    """Set the health of a connection. A health that differs from the one before is added to the history."""
    told = told_text(message) if message else None
    before = (row.health, row.failure_reason, row.failure)
    row.health, row.failure_reason, row.failure = health, reason, told
    # A pause with another end is still the same pause.
    is_same = health == before[0] and (health is ConnectionHealth.LIMITED or (reason, told) == before[1:])
    if is_same:
        return
    session.add(
        ConnectionEvent(id=new_id(), connection_id=row.id, at=now, health=health, reason=reason, message=told)
    )
    session.flush()
    kept = (
        select(ConnectionEvent.id)
        .where(ConnectionEvent.connection_id == row.id)
        .order_by(ConnectionEvent.at.desc(), ConnectionEvent.id.desc())
        .limit(MAX_EVENTS)
    )
    session.execute(
        delete(ConnectionEvent).where(
            ConnectionEvent.connection_id == row.id, ConnectionEvent.id.not_in(kept)
        )
    )


def health_history(
    store: ControlStore, organization_id: str, asked: ListQuery, connection_id: str
) -> ListPage[ConnectionEvent]:
    """A page of the changes of health, newest first. Raises NotFound."""
    statement = select(ConnectionEvent).where(ConnectionEvent.connection_id == connection_id)
    with store.session() as session:
        existing_connection(session, organization_id, connection_id)
        return list_page(session, statement, KEYS, asked, whole, default="at desc", unique="id")
