"""Team memberships with their dates. A developer has one team at a time, and the history is kept.

A new membership ends the one in force on its first day, and ends before the next planned one. Developers have the ids
of the analysis. Keep out: teams themselves (teams.py).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, select, true
from sqlalchemy.orm import Session

from api.control.audit import Target, record
from api.control.changes import UNCHANGED, Unchanged
from api.control.errors import AlreadyExists, InvalidSetting, NotAllowed, NotPossible
from api.control.identities.dependencies import refuse_vanished
from api.control.ids import new_id
from api.control.list_pages import Key, ListPage, ListQuery, among, list_page
from api.control.models import Organization, Team, TeamMembership
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.records import copied, existing, owned
from api.control.store import ControlStore
from api.control.teams.teams import existing_team, refuse_showing_leads
from api.control.visibility import EVERYTHING, OTHER_TEAMS, Visibility

KEYS = {
    "startDate": Key(TeamMembership.start_on),
    "endDate": Key(TeamMembership.end_on, nullable=True),
    "developerId": Key(TeamMembership.developer_id),
    "id": Key(TeamMembership.id),
}
DAY = timedelta(days=1)
MAX_TARGET_LENGTH = 255


class MembershipState(StrEnum):
    """Where today lies, in the organization's time zone: before, within or after a membership."""

    PLANNED = "PLANNED"
    ACTIVE = "ACTIVE"
    HISTORICAL = "HISTORICAL"


@dataclass(frozen=True, slots=True)
class MembershipRecord:
    """A membership of a developer in a team. Both dates are included; `end_on` is None for one without an end."""

    id: str
    team_id: str
    team_name: str
    developer_id: str
    start_on: date
    end_on: date | None
    state: MembershipState


def list_memberships(
    store: ControlStore,
    organization_id: str,
    asked: ListQuery,
    *,
    team_id: str | None = None,
    developer_ids: Sequence[str] = (),
    holding_on: date | None = None,
    seen: Visibility = EVERYTHING,
) -> ListPage[MembershipRecord]:
    """A page of memberships, historical and active, the latest first; of a developer by all ids that they have had.

    Raises NotFound for an unknown team, NotAllowed for one of others.
    """
    # Ids are in lower case, however they are spelled.
    team_id = team_id and team_id.lower()
    statement = owned(TeamMembership, organization_id)
    if team_id is not None:
        seen.refuse_other(team_id)
        # Its organization is looked at below. With that in the query too, SQLite reads all memberships in the order of
        # the list, and 62,500 take 25 ms.
        statement = select(TeamMembership).where(TeamMembership.team_id == team_id)
    if developer_ids:
        statement = statement.where(TeamMembership.developer_id.in_(developer_ids))
    if holding_on is not None:
        statement = statement.where(
            TeamMembership.start_on <= holding_on,
            TeamMembership.end_on.is_(None) | (TeamMembership.end_on >= holding_on),
        )
    with store.session() as session:
        if team_id is not None:
            existing_team(session, organization_id, team_id)
        named = statement.join(Team, Team.id == TeamMembership.team_id).add_columns(Team.name)
        # The session holds what is used alone: to get team and zone anew took two queries for each membership.
        record_of = partial(_record_on, _today(store, session, organization_id))
        return list_page(
            session,
            named.where(_seen(session, seen)),
            KEYS,
            asked,
            record_of,
            default="startDate desc",
            unique="id",
        )


def has_memberships(
    store: ControlStore, organization_id: str, developer_ids: Sequence[str], *, seen: Visibility = EVERYTHING
) -> bool:
    """Whether a developer of these ids is or was in a visible team."""
    with store.session() as session:
        found = session.scalar(
            select(TeamMembership.id).where(
                TeamMembership.organization_id == organization_id,
                TeamMembership.developer_id.in_(developer_ids),
                _seen(session, seen),
            )
        )
        return found is not None


def add_membership(
    store: ControlStore,
    actor: Principal,
    organization_id: str,
    team_id: str,
    developer_id: str,
    start_on: date | None,
    known_ids: Sequence[str] = (),
) -> MembershipRecord:
    """Add a developer to a team from a day on. A membership in another team ends the day before.

    `known_ids` are further ids of the developer, from merges. Raises NotFound, also for a developer of an undone
    split, InvalidSetting without a day, AlreadyExists for a membership that begins on that day or is in this team
    already, and NotAllowed for root and a team that somebody leads.
    """
    with store.allowed_write(actor, organization_id, Permission.MANAGE_TEAMS) as session:
        team = existing_team(session, organization_id, team_id)
        refuse_showing_leads(session, actor, organization_id, team_id, "put a developer into a led team")
        refuse_vanished(session, organization_id, [developer_id])
        others = _of_developer(session, organization_id, {developer_id, *known_ids})
        if start_on is None:
            raise InvalidSetting(
                "startDate", f"give the first day in team {team.name!r}{_ending(session, others)}"
            )
        holding = [row for row in others if row.start_on <= start_on <= (row.end_on or date.max)]
        # Memberships of merged developers can overlap; the later one applies.
        current = holding[-1] if holding else None
        if current is not None and current.team_id == team_id:
            raise AlreadyExists(
                f"this developer has been in team {team.name!r} since {current.start_on}; "
                "choose another team, or change that membership"
            )
        if current is not None and current.start_on == start_on:
            name = existing_team(session, organization_id, current.team_id).name
            raise AlreadyExists(
                f"this developer joins team {name!r} on {start_on}, so no earlier day is left on which that membership "
                "could end; choose a later day, or change or delete that membership first"
            )
        # The earlier memberships end for good: none continues after the new one.
        for held in holding:
            before, left = _state(held), existing_team(session, organization_id, held.team_id)
            held.end_on = start_on - DAY
            record(session, "teamMemberships.end", _target(held, left), before, _state(held), restates=True)
        following = min((row.start_on for row in others if row.start_on > start_on), default=None)
        row = TeamMembership(
            id=new_id(),
            organization_id=organization_id,
            team_id=team_id,
            developer_id=developer_id,
            start_on=start_on,
            end_on=following - DAY if following else None,
        )
        session.add(row)
        record(session, "teamMemberships.create", _target(row, team), None, _state(row), restates=True)
        return _record(store, session, row)


def change_membership(
    store: ControlStore,
    actor: Principal,
    organization_id: str,
    membership_id: str,
    *,
    start_on: date | Unchanged = UNCHANGED,
    end_on: date | Unchanged | None = UNCHANGED,
    known_ids: Sequence[str] = (),
) -> MembershipRecord:
    """Change the dates of a membership; it has no end if the end is None. `known_ids` as in `add_membership`.

    Raises NotFound, InvalidSetting, NotPossible where the developer is in another team on one of them, and NotAllowed
    for root and more days in a team that somebody leads.
    """
    with store.allowed_write(actor, organization_id, Permission.MANAGE_TEAMS) as session:
        row = _existing(session, organization_id, membership_id)
        start_on = row.start_on if isinstance(start_on, Unchanged) else start_on
        end_on = row.end_on if isinstance(end_on, Unchanged) else end_on
        if end_on is not None and end_on < start_on:
            raise InvalidSetting(
                "endDate",
                f"the last day ({end_on}) is before the first day ({start_on}); use that day or a later one",
            )
        for other in _of_developer(session, organization_id, {row.developer_id, *known_ids}):
            if (
                other.id != row.id
                and start_on <= (other.end_on or date.max)
                and other.start_on <= (end_on or date.max)
            ):
                name = existing_team(session, organization_id, other.team_id).name
                until = f"to {other.end_on}" if other.end_on else "on"
                raise NotPossible(
                    f"this developer is in team {name!r} from {other.start_on} {until}, and a developer has "
                    "one team at a time; choose other days or change that membership first"
                )
        team = existing_team(session, organization_id, row.team_id)
        if start_on < row.start_on or (end_on or date.max) > (row.end_on or date.max):
            what = "lengthen the membership of a led team"
            refuse_showing_leads(session, actor, organization_id, team.id, what)
        before = _state(row)
        row.start_on, row.end_on = start_on, end_on
        after = _state(row)
        if after != before:
            record(session, "teamMemberships.update", _target(row, team), before, after, restates=True)
        return _record(store, session, row)


def remove_membership(
    store: ControlStore, actor: Principal, organization_id: str, membership_id: str
) -> None:
    """Remove a membership. An earlier membership that it ended stays ended. Raises NotFound."""
    with store.allowed_write(actor, organization_id, Permission.MANAGE_TEAMS) as session:
        row = _existing(session, organization_id, membership_id)
        team = existing_team(session, organization_id, row.team_id)
        record(session, "teamMemberships.delete", _target(row, team), _state(row), restates=True)
        session.delete(row)


def membership(
    store: ControlStore, organization_id: str, membership_id: str, *, seen: Visibility = EVERYTHING
) -> MembershipRecord:
    """A membership. Raises NotFound, and NotAllowed for every membership outside of the led teams, existing or not."""
    with store.session() as session:
        row = session.get(TeamMembership, membership_id)
        if seen.teams is not None and (row is None or row.team_id not in {led.id for led in seen.teams}):
            raise NotAllowed(f"no membership {membership_id!r} in the teams that you lead: {OTHER_TEAMS}")
        return _record(store, session, _existing(session, organization_id, membership_id))


def _seen(session: Session, seen: Visibility) -> ColumnElement[bool]:
    if seen.teams is None:
        return true()
    return among(session, TeamMembership.team_id, (team.id for team in seen.teams))


def _of_developer(
    session: Session, organization_id: str, developer_ids: Collection[str]
) -> Sequence[TeamMembership]:
    return session.scalars(
        owned(TeamMembership, organization_id, TeamMembership.developer_id.in_(developer_ids)).order_by(
            TeamMembership.start_on, TeamMembership.developer_id
        )
    ).all()


def _ending(session: Session, others: Sequence[TeamMembership]) -> str:
    """What a first day does to the membership that has no end."""
    for row in others:
        if row.end_on is None:
            left = session.get_one(Team, row.team_id)
            return f"; the membership in team {left.name!r} since {row.start_on} ends the day before"
    return ""


def _existing(session: Session, organization_id: str, membership_id: str) -> TeamMembership:
    return existing(
        session, TeamMembership, organization_id, membership_id, "team membership", "teamMemberships"
    )


def _target(row: TeamMembership, team: Team) -> Target:
    return Target("teamMembership", row.id, f"{row.developer_id} in {team.name}"[:MAX_TARGET_LENGTH])


def _state(row: TeamMembership) -> dict[str, Any]:
    return {
        "teamId": row.team_id,
        "developerId": row.developer_id,
        "startDate": row.start_on.isoformat(),
        "endDate": row.end_on.isoformat() if row.end_on else None,
    }


def _record(store: ControlStore, session: Session, row: TeamMembership) -> MembershipRecord:
    today = _today(store, session, row.organization_id)
    return _record_on(today, row, session.get_one(Team, row.team_id).name)


def _today(store: ControlStore, session: Session, organization_id: str) -> date:
    """The present day in the zone of the organization."""
    return session.get_one(Organization, organization_id).day_of(store.now())


def _record_on(today: date, row: TeamMembership, team_name: str) -> MembershipRecord:
    state = MembershipState.ACTIVE
    if today < row.start_on:
        state = MembershipState.PLANNED
    elif row.end_on is not None and row.end_on < today:
        state = MembershipState.HISTORICAL
    return copied(MembershipRecord, row, team_name=team_name, state=state)
