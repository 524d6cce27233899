"""Rows of connections, as every module of this package finds them."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.control.audit import Target
from api.control.errors import AlreadyExists, NotFound
from api.control.models import Connection
from api.control.models.connections import MODEL_ENDPOINTS


def is_synced(row: Connection) -> bool:
    """Whether runs read a connection."""
    return row.category != MODEL_ENDPOINTS


def existing_connection(session: Session, organization_id: str, connection_id: str) -> Connection:
    """The row of a connection. Raises NotFound, also for a removed one."""
    row = session.get(Connection, connection_id)
    if row is None or row.organization_id != organization_id or row.removed_at is not None:
        raise NotFound(f"no connection {connection_id!r} in this organization; …/connections lists them")
    return row


def target_of(row: Connection) -> Target:
    """The connection as the log names it."""
    return Target("connection", row.id, row.name)


def refuse_same(session: Session, organization_id: str, kind: str, address: str, name: str) -> None:
    """Raise AlreadyExists if a connection has this kind, address and name: nobody could tell the two apart."""
    same = select(Connection.id).where(
        Connection.organization_id == organization_id,
        Connection.kind == kind,
        Connection.address == address,
        Connection.name == name,
        Connection.removed_at.is_(None),
    )
    if (found := session.scalar(same)) is not None:
        raise AlreadyExists(
            f"the connection {name!r} to {address} exists ({found}); use another name, or replace its secret"
        )
