"""Team memberships that follow the groups of a directory.

A group keeps the memberships of the team that has its name when the group is first written; the link outlasts renames
of both. Memberships begin and end on the day of the change in the organization's time zone, so the history stays. A
group ends only memberships that it began. Keep out: rows of groups (directory_groups.py).
"""

from collections.abc import Iterable
from datetime import date

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.control.models import (
    Account,
    DirectoryGroup,
    DirectoryGroupMember,
    DirectoryUser,
    Member,
    Organization,
    Team,
    TeamMembership,
)
from api.control.names import name_key
from api.control.records import owned
from api.control.store import ControlStore, Write
from api.control.teams.memberships import add_membership, change_membership, remove_membership
from api.control.visibility import own_key

USER = "User"


def link_team(session: Session, group: DirectoryGroup, display_name: str) -> bool:
    """Link a group to the team of its name, if it has none. Returns whether that is new."""
    if group.team_id is not None:
        return False
    named = owned(Team, group.organization_id, Team.name_key == name_key(display_name))
    team = session.scalar(named)
    group.team_id = team.id if team is not None else None
    return team is not None


def begin_memberships(
    session: Write, store: ControlStore, group: DirectoryGroup, members: Iterable[DirectoryGroupMember]
) -> None:
    """Put users who joined a group into its team from today on. A user without a membership here is left out."""
    if group.team_id is None:
        return
    today = _today(session, store)
    for row in members:
        if row.kind != USER or row.team_membership_id is not None:
            continue
        developer = _developer_of(session, group.organization_id, row.member_id)
        if developer is not None:
            row.team_membership_id = _begin(session, store, group.team_id, developer, today)
    session.flush()


def end_memberships(session: Write, store: ControlStore, members: Iterable[DirectoryGroupMember]) -> None:
    """End the team memberships that a group began; today is their last day."""
    today = _today(session, store)
    for row in members:
        began = row.team_membership_id and session.get(TeamMembership, row.team_membership_id)
        row.team_membership_id = None
        if not began or (began.end_on is not None and began.end_on <= today):
            continue
        joined = store.joined(session)
        if began.start_on >= today:
            remove_membership(joined, session.actor, session.organization_id, began.id)
        else:
            change_membership(joined, session.actor, session.organization_id, began.id, end_on=today)
    session.flush()


def enter_teams(session: Write, store: ControlStore, user: DirectoryUser) -> None:
    """Begin the team memberships of a user who became a member, by the groups that have the user already."""
    for row, group in _in_groups(session, user):
        begin_memberships(session, store, group, [row])


def leave_teams(session: Write, store: ControlStore, user: DirectoryUser) -> None:
    """End the team memberships that groups began for a user."""
    end_memberships(session, store, [row for row, _ in _in_groups(session, user)])


def _in_groups(session: Session, user: DirectoryUser) -> list[tuple[DirectoryGroupMember, DirectoryGroup]]:
    rows = session.execute(
        select(DirectoryGroupMember, DirectoryGroup)
        .join(DirectoryGroup, DirectoryGroup.id == DirectoryGroupMember.group_id)
        .where(DirectoryGroup.organization_id == user.organization_id)
        .where(DirectoryGroupMember.member_id == user.id)
        .order_by(DirectoryGroup.id)
    ).all()
    return [(row, group) for row, group in rows]


def _begin(session: Write, store: ControlStore, team_id: str, developer: str, today: date) -> str | None:
    """The id of the new membership; None where the developer is in the team already."""
    present = session.scalars(
        owned(
            TeamMembership,
            session.organization_id,
            TeamMembership.developer_id == developer,
            TeamMembership.start_on <= today,
            TeamMembership.end_on.is_(None) | (TeamMembership.end_on >= today),
        )
    ).all()
    if any(row.team_id == team_id for row in present):
        return None
    joined = store.joined(session)
    for row in present:
        if row.start_on == today:
            # It began today: no earlier day is left on which it could end.
            remove_membership(joined, session.actor, session.organization_id, row.id)
    session.flush()
    return add_membership(joined, session.actor, session.organization_id, team_id, developer, today).id


def _developer_of(session: Session, organization_id: str, user_id: str) -> str | None:
    """The developer of a user's address, where the user is a member whose address counts as the user's own."""
    account = session.scalar(
        select(Account)
        .join(DirectoryUser, DirectoryUser.account_id == Account.id)
        .join(Member, (Member.account_id == Account.id) & (Member.organization_id == organization_id))
        .where(DirectoryUser.id == user_id)
    )
    return own_key(session, organization_id, account)


def _today(session: Write, store: ControlStore) -> date:
    return session.get_one(Organization, session.organization_id).day_of(store.now())
