"""Removed connections, until nothing of them is left.

Keep out: deleting derived data (orchestration).
"""

from sqlalchemy import select

from api.control.models import Connection
from api.control.store import ControlStore


def removed_connections(store: ControlStore, organization_id: str) -> list[tuple[str, str]]:
    """Id and category of the removed connections, whose facts are to be deleted."""
    statement = (
        select(Connection.id, Connection.category)
        .where(Connection.organization_id == organization_id, Connection.removed_at.is_not(None))
        .order_by(Connection.id)
    )
    with store.session() as session:
        return [(key, category) for key, category in session.execute(statement)]


def connection_ids(store: ControlStore, organization_id: str) -> set[str]:
    """Ids of all connections of an organization, the removed ones too until their facts are deleted."""
    with store.session() as session:
        return set(
            session.scalars(select(Connection.id).where(Connection.organization_id == organization_id))
        )


def forget_connection(store: ControlStore, organization_id: str, connection_id: str) -> None:
    """Delete a removed connection after its facts were deleted."""
    with store.write_transaction(organization_id) as session:
        row = session.get(Connection, connection_id)
        if row is None or row.organization_id != organization_id or row.removed_at is None:
            return
        session.delete(row)
