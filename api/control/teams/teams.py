"""Teams: a tree whose names are unique within the organization.

Keep out: memberships (memberships.py), figures (read/teams.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from api.control.audit import Target, record
from api.control.changes import UNCHANGED, Unchanged
from api.control.errors import AlreadyExists, InvalidSetting, NotPossible
from api.control.ids import new_id
from api.control.list_pages import Key, ListPage, ListQuery, among, list_page
from api.control.models import SummarySubscription, Team, TeamLead, TeamMembership
from api.control.names import checked_name, name_key
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.records import existing, owned
from api.control.rights import refuse_lasting
from api.control.store import ControlStore
from api.control.visibility import EVERYTHING, Visibility

KEYS = {"name": Key(Team.name_key), "id": Key(Team.id)}
MAX_NAME_LENGTH = 255
MAX_DEPTH = 50
"""Levels of a tree: far beyond any organization, and little to walk."""
TOO_DEEP = f"a tree of teams has at most {MAX_DEPTH} levels; choose a parent nearer to the top"


@dataclass(frozen=True, slots=True)
class TeamRecord:
    """A team as people keep it."""

    id: str
    name: str
    parent_id: str | None


def create_team(
    store: ControlStore, actor: Principal, organization_id: str, name: str, parent_id: str | None = None
) -> TeamRecord:
    """A new team, below another one or at the top.

    Raises InvalidSetting, AlreadyExists with the name of the duplicate, NotFound for an unknown parent, NotAllowed for
    root and a parent that somebody leads.
    """
    name = checked_name(name, "name", max_length=MAX_NAME_LENGTH)
    with store.allowed_write(actor, organization_id, Permission.MANAGE_TEAMS) as session:
        _refuse_duplicate(session, organization_id, name)
        if parent_id is not None:
            _place(session, organization_id, parent_id)
            refuse_showing_leads(session, actor, organization_id, parent_id, "add a team below a led one")
        row = Team(
            id=new_id(),
            organization_id=organization_id,
            parent_id=parent_id,
            name=name,
            name_key=name_key(name),
            created_at=store.now(),
        )
        session.add(row)
        record(session, "teams.create", target_of(row), None, _state(row), restates=True)
        return _record(row)


def list_teams(
    store: ControlStore, organization_id: str, asked: ListQuery, *, seen: Visibility = EVERYTHING
) -> ListPage[TeamRecord]:
    """A page of the current teams by name; for a lead the led teams and all below, as a tree of their own."""
    statement = select(Team.id, Team.name, Team.parent_id).where(Team.organization_id == organization_id)
    parents = seen.parents
    with store.session() as session:
        if parents is not None:
            statement = statement.where(among(session, Team.id, parents))
        return list_page(
            session,
            statement,
            KEYS,
            asked,
            lambda *row: _seen(TeamRecord(*row), parents),
            default="name",
            unique="id",
        )


def team(
    store: ControlStore, organization_id: str, team_id: str, *, seen: Visibility = EVERYTHING
) -> TeamRecord:
    """A team. Raises NotFound, and NotAllowed for every team outside of the led ones, existing or not."""
    seen.refuse_other(team_id)
    with store.session() as session:
        return _seen(_record(existing_team(session, organization_id, team_id)), seen.parents)


def change_team(
    store: ControlStore,
    actor: Principal,
    organization_id: str,
    team_id: str,
    *,
    name: str | Unchanged = UNCHANGED,
    parent_id: str | Unchanged | None = UNCHANGED,
) -> TeamRecord:
    """Rename a team, or put it with all its sub-teams below another one or at the top (None).

    Raises NotFound, InvalidSetting also where the tree would be too deep, AlreadyExists with the name of the duplicate,
    NotPossible where the new parent is the team itself or a part of it, NotAllowed for root and another parent: its
    leads would see the team from then on. Of both changes either both are made or none.
    """
    with store.allowed_write(actor, organization_id, Permission.MANAGE_TEAMS) as session:
        row = existing_team(session, organization_id, team_id)
        before = _state(row)
        if not isinstance(name, Unchanged) and name != row.name:
            name = checked_name(name, "name", max_length=MAX_NAME_LENGTH)
            _refuse_duplicate(session, organization_id, name, except_id=team_id)
            row.name, row.name_key = name, name_key(name)
        if not isinstance(parent_id, Unchanged) and parent_id != row.parent_id:
            if parent_id is not None:
                refuse_lasting(actor, "move a team to other leads")
            _refuse_circle(session, row, parent_id)
            row.parent_id = parent_id
        after = _state(row)
        if after != before:
            record(session, "teams.update", target_of(row), before, after, restates=True)
        return _record(row)


def delete_team(store: ControlStore, actor: Principal, organization_id: str, team_id: str) -> None:
    """Remove a team, its memberships and the subscriptions to its summaries. Raises NotFound, NotPossible while it has
    sub-teams.
    """
    with store.allowed_write(actor, organization_id, Permission.MANAGE_TEAMS) as session:
        row = existing_team(session, organization_id, team_id)
        children = session.scalar(select(func.count()).where(Team.parent_id == team_id))
        if children:
            counted = f"{children} sub-teams" if children > 1 else "a sub-team"
            raise NotPossible(f"team {row.name!r} has {counted}; move or delete them first")
        # The entry lists the members, because afterwards only the log has them.
        before = _state(row) | _people(session, row)
        record(session, "teams.delete", target_of(row), before, restates=True)
        about = (SummarySubscription.scope_kind == "team", SummarySubscription.scope_id == team_id)
        session.execute(
            delete(SummarySubscription).where(SummarySubscription.organization_id == organization_id, *about)
        )
        session.delete(row)


def existing_team(session: Session, organization_id: str, team_id: str) -> Team:
    """The row of a team. Raises NotFound, also for a team of another organization."""
    return existing(session, Team, organization_id, team_id, "team", "teams:tree")


def refuse_showing_leads(
    session: Session, actor: Principal, organization_id: str, team_id: str, what: str
) -> None:
    """Raises NotAllowed for root where somebody leads the team or one above it: `what` shows them more for good."""
    if actor.root is None:
        return
    above = _upwards(session, organization_id, team_id)
    if session.scalar(select(TeamLead.account_id).where(TeamLead.team_id.in_(above)).limit(1)) is not None:
        refuse_lasting(actor, what)


def _place(session: Session, organization_id: str, parent_id: str) -> list[str]:
    """The parent and every team above it. Raises InvalidSetting where another level would be too deep."""
    above = _upwards(session, organization_id, parent_id)
    if len(above) >= MAX_DEPTH:
        raise InvalidSetting("parentId", TOO_DEEP)
    return above


def _upwards(session: Session, organization_id: str, team_id: str) -> list[str]:
    """The team and every team above it. Raises NotFound."""
    above: list[str] = []
    current: str | None = team_id
    while current is not None and len(above) < MAX_DEPTH:
        above.append(current)
        current = existing_team(session, organization_id, current).parent_id
    return above


def _refuse_circle(session: Session, row: Team, parent_id: str | None) -> None:
    if parent_id is None:
        return
    above = _place(session, row.organization_id, parent_id)
    if row.id in above:
        parent = existing_team(session, row.organization_id, parent_id)
        where = "itself" if parent_id == row.id else f"{parent.name!r}, which is one of its sub-teams"
        raise NotPossible(f"team {row.name!r} cannot be moved below {where}; choose another parent")
    if len(above) + _height(session, row) > MAX_DEPTH:
        raise InvalidSetting("parentId", TOO_DEEP)


def _height(session: Session, row: Team) -> int:
    """Levels of the team and its sub-teams, at most one more than a tree may have."""
    height, level = 0, [row.id]
    while level and height <= MAX_DEPTH:
        height += 1
        level = list(session.scalars(select(Team.id).where(Team.parent_id.in_(level))))
    return height


def _refuse_duplicate(
    session: Session, organization_id: str, name: str, except_id: str | None = None
) -> None:
    found = session.scalar(owned(Team, organization_id, Team.name_key == name_key(name)))
    if found is not None and found.id != except_id:
        raise AlreadyExists(
            f"there is already a team {found.name!r} in this organization; choose another name"
        )


def _seen(found: TeamRecord, parents: Mapping[str, str | None] | None) -> TeamRecord:
    return found if parents is None else TeamRecord(found.id, found.name, parents.get(found.id))


def target_of(row: Team) -> Target:
    return Target("team", row.id, row.name)


def _state(row: Team) -> dict[str, Any]:
    return {"name": row.name, "parentId": row.parent_id}


def _people(session: Session, row: Team) -> dict[str, Any]:
    leads = session.scalars(
        select(TeamLead.account_id).where(TeamLead.team_id == row.id).order_by(TeamLead.account_id)
    )
    memberships = session.scalars(
        select(TeamMembership)
        .where(TeamMembership.team_id == row.id)
        .order_by(TeamMembership.start_on, TeamMembership.developer_id)
    )
    return {
        "leads": list(leads),
        "memberships": [
            {
                "developerId": one.developer_id,
                "startDate": one.start_on.isoformat(),
                "endDate": one.end_on.isoformat() if one.end_on else None,
            }
            for one in memberships
        ],
    }


def _record(row: Team) -> TeamRecord:
    return TeamRecord(row.id, row.name, row.parent_id)
