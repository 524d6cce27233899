"""The teams that own the objectives of teams, projects or spaces of a tracker. Others are organization-wide.

Keep out: levels (levels.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from api.control.audit import record
from api.control.connections.levels import existing_tracker
from api.control.connections.rows import target_of
from api.control.errors import InvalidSetting, NotFound
from api.control.models import Connection, Team, TrackerTeam
from api.control.names import checked_literal
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.store import ControlStore
from api.control.teams.teams import existing_team

MAX_KEY_LENGTH = 255
MAX_TEAMS = 1000


@dataclass(frozen=True, slots=True)
class MappedTeam:
    """A team of a tracker with the team that owns its objectives, None for the whole organization."""

    team_key: str
    team_name: str | None
    team_id: str | None
    name: str | None


def tracker_teams(store: ControlStore, organization_id: str, connection_id: str) -> list[MappedTeam]:
    """The teams of a tracker: known ones and mapped ones, by key. Raises NotFound, NotPossible for a Git host."""
    with store.session() as session:
        return _teams(session, existing_tracker(session, organization_id, connection_id))


def put_tracker_teams(
    store: ControlStore,
    actor: Principal,
    organization_id: str,
    connection_id: str,
    wanted: Mapping[str, str],
) -> list[MappedTeam]:
    """Replace the mapping from keys of the tracker's teams to ids of teams. The next build applies it.

    Raises NotFound, NotPossible, InvalidSetting.
    """
    if len(wanted) > MAX_TEAMS:
        raise InvalidSetting("teams", f"give at most {MAX_TEAMS} teams")
    keys = {checked_literal(key, "teams", max_length=MAX_KEY_LENGTH): team for key, team in wanted.items()}
    with store.allowed_write(actor, organization_id, Permission.MANAGE_CONNECTIONS) as session:
        row = existing_tracker(session, organization_id, connection_id)
        for team_id in sorted(set(keys.values())):
            try:
                existing_team(session, organization_id, team_id)
            except NotFound as error:
                raise InvalidSetting("teams", str(error)) from None
        before = _state(session, row)
        session.execute(delete(TrackerTeam).where(TrackerTeam.connection_id == row.id))
        session.add_all(
            TrackerTeam(connection_id=row.id, team_key=key, team_id=team_id) for key, team_id in keys.items()
        )
        session.flush()
        after = _state(session, row)
        if after != before:
            record(session, "connections.updateTeams", target_of(row), before, after, restates=True)
        return _teams(session, row)


def _state(session: Session, row: Connection) -> dict[str, str]:
    found = session.execute(
        select(TrackerTeam.team_key, TrackerTeam.team_id)
        .where(TrackerTeam.connection_id == row.id)
        .order_by(TrackerTeam.team_key)
    )
    return {row.team_key: row.team_id for row in found}


def _teams(session: Session, row: Connection) -> list[MappedTeam]:
    mapped = {
        key: (team_id, name)
        for key, team_id, name in session.execute(
            select(TrackerTeam.team_key, TrackerTeam.team_id, Team.name)
            .join(Team, Team.id == TrackerTeam.team_id)
            .where(TrackerTeam.connection_id == row.id)
        )
    }
    return [
        MappedTeam(key, row.team_names.get(key), *mapped.get(key, (None, None)))
        for key in sorted({*row.team_names, *mapped})
    ]
