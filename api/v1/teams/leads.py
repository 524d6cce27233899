"""`/organizations/{organization}/teams/{team}/leads`: the leads of a team and of all teams below it."""

from datetime import datetime
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.callers.dependencies import MemberReader, TeamManager
from api.control.teams import leads as team_leads
from api.http.parameters import NoQuery, PagedQuery
from api.query.fields import Stored
from api.query.parameters import Id
from api.shapes import Empty, Shape, page_of
from api.v1.answers import answer_change
from api.v1.control_lists import answer_list
from api.v1.paths import LeadPath, TeamPath

router = APIRouter(prefix="/organizations/{organization}/teams/{team}/leads", tags=["teams"])


class TeamLead(Shape):
    """A member who leads a team. A member with the role team lead sees only the teams that they lead and all teams
    below them.
    """

    team_id: str
    member_id: Annotated[str, Stored("account_id")] = Field(
        description="Id of the member, as in `…/members`."
    )
    email: str = Field(examples=["ada@acme.example"])
    name: str = Field(examples=["Ada Lovelace"])
    created_at: datetime


TeamLeadPage = page_of("TeamLeadPage", "A page of leads.", team_leads=TeamLead)


class NewLead(Shape):
    """The member who leads the team."""

    member_id: Id = Field(description="Id of the member who leads the team.")


@router.get("", summary="Leads of a team", response_model=TeamLeadPage)
async def list_team_leads(
    reader: MemberReader, team: TeamPath, query: PagedQuery, request: Request
) -> Response:
    """The direct leads of a team, by name. Sortable by name, email, createdAt.

    The leads of the teams above lead this team, too; this list leaves them out.
    """
    organization = reader.organization_id
    find = partial(team_leads.list_leads, team_id=team)
    bound_to = f"{team} {organization}"
    return await answer_list(request, organization, query, "teamLeads", find, TeamLead, bound_to=bound_to)


@router.post("", summary="Add a team lead", response_model=TeamLead)
async def create_team_lead(
    manager: TeamManager, team: TeamPath, body: NewLead, _: NoQuery, request: Request
) -> Response:
    """Make a member a lead of a team. A team can have several leads. A member with the role team lead sees only the
    teams that they lead; members with other roles keep their access.
    """
    return await answer_change(request, manager, TeamLead, team_leads.add_lead, team, body.member_id)


@router.delete("/{member}", summary="Remove a team lead", response_model=Empty)
async def delete_team_lead(
    manager: TeamManager, team: TeamPath, member: LeadPath, _: NoQuery, request: Request
) -> Response:
    """Remove a lead of a team. From its next request on, a member with the role team lead does not see the team."""
    return await answer_change(request, manager, Empty, team_leads.remove_lead, team, member)
