"""The rows of connections that the warehouse reads. Keep out: secrets, health."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.control.models import Connection, ConnectionLevel, TrackerTeam
from api.control.models.connections import MODEL_ENDPOINTS
from api.control.snapshot.rows import columns, ordered


def connection_rows(session: Session, organization_id: str) -> dict[str, list[dict[str, Any]]]:
    """Rows by table, without removed connections and model endpoints, of which no figure knows.

    Levels are the provider's with those that people edited.
    """
    every = ordered(session, Connection, organization_id, Connection.id)
    kept = {row.id: row for row in every if row.removed_at is None and row.category != MODEL_ENDPOINTS}
    levels: dict[str, dict[str, str]] = {row.id: dict(row.default_levels) for row in kept.values()}
    for edited in session.scalars(select(ConnectionLevel).where(ConnectionLevel.connection_id.in_(kept))):
        levels[edited.connection_id][edited.item_kind] = edited.level
    teams = session.scalars(
        select(TrackerTeam)
        .where(TrackerTeam.connection_id.in_(kept))
        .order_by(TrackerTeam.connection_id, TrackerTeam.team_key)
    )
    own = {"organization_id": organization_id}
    return {
        "connections": [
            own
            | columns(row, "kind", "category", "name")
            | {"connection_id": row.id, "unsynced_since": row.last_synced_at or row.created_at}
            for row in kept.values()
        ],
        "connection_levels": [
            own | {"connection_id": connection, "item_kind": kind, "level": level}
            for connection, found in levels.items()
            for kind, level in sorted(found.items())
        ],
        "tracker_teams": [own | columns(row, "connection_id", "team_key", "team_id") for row in teams],
    }
