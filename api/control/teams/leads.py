"""The leads of teams. A lead leads all teams below the led team too, in the current tree.

Keep out: the figures that a team lead sees (visibility.py).
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from api.control.audit import record
from api.control.errors import AlreadyExists, NotFound
from api.control.list_pages import Key, ListPage, ListQuery, list_page
from api.control.models import Account, Member, Team, TeamLead
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.rights import refuse_lasting
from api.control.store import ControlStore, Write
from api.control.teams.teams import existing_team, target_of

KEYS = {
    "name": Key(func.lower(Account.name)),
    "email": Key(Account.email_key),
    "createdAt": Key(TeamLead.created_at),
    "id": Key(TeamLead.account_id),
}


@dataclass(frozen=True, slots=True)
class LeadRecord:
    """A team lead; the id is the account's."""

    team_id: str
    account_id: str
    email: str
    name: str
    created_at: datetime


def list_leads(
    store: ControlStore, organization_id: str, asked: ListQuery, team_id: str
) -> ListPage[LeadRecord]:
    """A page of the leads of a team itself, by name. Raises NotFound."""
    statement = (
        select(TeamLead, Account)
        .join(Account, Account.id == TeamLead.account_id)
        .where(TeamLead.team_id == team_id)
    )
    with store.session() as session:
        existing_team(session, organization_id, team_id)
        return list_page(session, statement, KEYS, asked, _record, default="name", unique="id")


def add_lead(
    store: ControlStore, actor: Principal, organization_id: str, team_id: str, account_id: str
) -> LeadRecord:
    """Make a member a lead of a team, which can have several leads. Raises NotFound, AlreadyExists."""
    with store.allowed_write(actor, organization_id, Permission.MANAGE_TEAMS) as session:
        refuse_lasting(actor, "make anybody a lead")
        team = existing_team(session, organization_id, team_id)
        account = _member(session, organization_id, account_id)
        if session.get(TeamLead, (team_id, account_id)) is not None:
            raise AlreadyExists(f"{account.email} already leads team {team.name!r}")
        row = TeamLead(
            team_id=team_id, account_id=account_id, organization_id=organization_id, created_at=store.now()
        )
        session.add(row)
        record(session, "teamLeads.create", target_of(team), after=_state(row, account))
        return _record(row, account)


def remove_lead(
    store: ControlStore, actor: Principal, organization_id: str, team_id: str, account_id: str
) -> None:
    """Remove a lead of a team. Raises NotFound."""
    with store.allowed_write(actor, organization_id, Permission.MANAGE_TEAMS) as session:
        team = existing_team(session, organization_id, team_id)
        row = session.get(TeamLead, (team_id, account_id))
        if row is None:
            raise NotFound(
                f"member {account_id!r} does not lead team {team.name!r}; …/teams/{{team}}/leads lists the leads"
            )
        account = session.get_one(Account, account_id)
        record(session, "teamLeads.delete", target_of(team), before=_state(row, account))
        session.delete(row)


def end_leads(session: Write, account: Account) -> None:
    """Remove an account as lead of all its teams, with a log entry each."""
    led = (
        select(TeamLead, Team)
        .join(Team, Team.id == TeamLead.team_id)
        .where(TeamLead.organization_id == session.organization_id, TeamLead.account_id == account.id)
        .order_by(Team.id)
    )
    for row, team in session.execute(led).all():
        record(session, "teamLeads.delete", target_of(team), _state(row, account))
        session.delete(row)


def _member(session: Session, organization_id: str, account_id: str) -> Account:
    if session.get(Member, (organization_id, account_id)) is None:
        raise NotFound(f"no member {account_id!r} in this organization; …/members lists them")
    return session.get_one(Account, account_id)


def _state(row: TeamLead, account: Account) -> dict[str, Any]:
    return {"memberId": row.account_id, "email": account.email}


def _record(row: TeamLead, account: Account) -> LeadRecord:
    return LeadRecord(row.team_id, account.id, account.email, account.name, row.created_at)
