"""Rows of connections, as every module of this package finds them."""

from sqlalchemy.orm import Session

from api.control.errors import NotFound
from api.control.models import Connection


def existing_connection(session: Session, organization_id: str, connection_id: str) -> Connection:
    """The row of a connection. Raises NotFound, also for a removed one."""
    row = session.get(Connection, connection_id)
    if row is None or row.organization_id != organization_id or row.removed_at is not None:
        raise NotFound(f"no connection {connection_id!r} in this organization; …/connections lists them")
    return row
