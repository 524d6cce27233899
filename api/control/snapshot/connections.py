"""The rows of connections that the warehouse reads. Keep out: secrets, health."""

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.control.models import Connection, ConnectionLevel, TrackerTeam


def connection_rows(session: Session, organization_id: str) -> dict[str, list[dict[str, Any]]]:
    """Rows by table, without removed connections. Levels are the provider's with those that people edited."""
    kept = list(
        session.scalars(
            select(Connection)
            .where(Connection.organization_id == organization_id, Connection.removed_at.is_(None))
            .order_by(Connection.id)
        )
    )
    ids = {row.id for row in kept}
    levels: dict[str, dict[str, str]] = {row.id: dict(row.default_levels) for row in kept}
    mine = Connection.organization_id == organization_id
    for edited in session.scalars(
        select(ConnectionLevel).join(Connection, Connection.id == ConnectionLevel.connection_id).where(mine)
    ):
        levels.setdefault(edited.connection_id, {})[edited.item_kind] = edited.level
    teams = session.scalars(
        select(TrackerTeam)
        .join(Connection, Connection.id == TrackerTeam.connection_id)
        .where(mine)
        .order_by(TrackerTeam.connection_id, TrackerTeam.team_key)
    )
    return {
        "connections": [
            {
                "organization_id": organization_id,
                "connection_id": row.id,
                "kind": row.kind,
                "category": row.category,
                "name": row.name,
            }
            for row in kept
        ],
        "connection_levels": [
            {
                "organization_id": organization_id,
                "connection_id": row.id,
                "item_kind": kind,
                "level": level,
            }
            for row in kept
            for kind, level in sorted(levels[row.id].items())
        ],
        "tracker_teams": [
            {
                "organization_id": organization_id,
                "connection_id": row.connection_id,
                "team_key": row.team_key,
                "team_id": row.team_id,
            }
            for row in teams
            if row.connection_id in ids
        ],
    }
