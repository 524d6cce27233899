"""`/organizations/{organization}/teams`: the list with figures, the current tree, and changing it."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.dependencies import TeamManager, TeamReader, Viewer
from api.control.changes import UNCHANGED
from api.control.teams import teams
from api.control.teams.teams import MAX_NAME_LENGTH
from api.http.parameters import Mask, NoQuery, PagedQuery, Queried
from api.query.parameters import FigureQuery, Id
from api.read import teams as read_teams
from api.read.entities import TEAMS
from api.read.teams import ListedTeam
from api.shapes import Days, Empty, Page, Shape, page_of
from api.v1.answers import answer_change, answer_page, answer_record
from api.v1.benchmarks.chosen import chosen_benchmark, varies_by
from api.v1.benchmarks.shapes import BENCHMARK, BenchmarkFigures
from api.v1.control_lists import answer_list
from api.v1.paths import TeamPath

router = APIRouter(prefix="/organizations/{organization}/teams", tags=["teams"])

Name = Annotated[str, Field(max_length=MAX_NAME_LENGTH, examples=["Payments"])]
ParentId = Annotated[
    Id | None, Field(description="Id of the team above; null for a team at the top.", examples=[None])
]


class TeamPage(Page, Days):
    """A page of teams. It has no totals, because a team contains its sub-teams."""

    teams: list[ListedTeam]
    benchmark: BenchmarkFigures | None = BENCHMARK


class Team(Shape):
    """The current name and parent of a team. The next build applies them to the figures."""

    id: str
    name: str = Field(examples=["Payments"])
    parent_id: str | None = Field(description="Id of the team above; null for a team at the top.")


TreePage = page_of("TreePage", "A page of current teams.", teams=Team)


class NewTeam(Shape):
    """A new team."""

    name: Name
    parent_id: ParentId = None


class TeamChange(Shape):
    """Changes to a team."""

    name: Name | None = None
    parent_id: ParentId = None


@router.get("", summary="Teams", response_model=TeamPage)
async def list_teams(viewer: Viewer, query: Queried[FigureQuery], request: Request) -> Response:
    """Teams with their figures for a range of days. Default order: most ETV first.

    A commit counts for the team of its author on the day of writing, and for all teams above that team in the current
    tree. Figures leave out bots and sandboxes.
    """
    benchmark = await chosen_benchmark(request, viewer, query.benchmark, TEAMS)
    read = partial(read_teams.list_teams, benchmark=benchmark)
    return await answer_page(request, viewer, query, "teams", read, varies=varies_by(benchmark))


# The path is the collection's with a verb, hence no slash before it.
@router.get(":tree", summary="The tree of teams", response_model=TreePage)
async def list_team_tree(reader: TeamReader, query: PagedQuery, request: Request) -> Response:
    """All current teams by name, including teams without figures yet. A team lead sees the teams that they lead."""
    organization, seen = reader.organization_id, reader.visibility
    tree = f"tree {RowAccess.of(organization, seen).key}"
    find = partial(teams.list_teams, seen=seen)
    return await answer_list(request, organization, query, "teams", find, Team, bound_to=tree)


@router.post("", summary="Create a team", response_model=Team)
async def create_team(manager: TeamManager, body: NewTeam, _: NoQuery, request: Request) -> Response:
    """Create a team. Names of teams are unique, ignoring case: ALREADY_EXISTS names the existing team."""
    return await answer_change(request, manager, Team, teams.create_team, body.name, body.parent_id)


@router.get("/{team}", summary="One team", response_model=Team)
async def get_team(reader: TeamReader, team: TeamPath, _: NoQuery, request: Request) -> Response:
    """The current name and parent of a team. For its figures, use listTeams with `filter=id="…"`, or listMetrics with
    `team=…`.
    """
    return await answer_record(request, reader, Team, teams.team, team, seen=reader.visibility)


@router.patch("/{team}", summary="Rename or move a team", response_model=Team)
async def update_team(
    manager: TeamManager, team: TeamPath, body: TeamChange, query: Queried[Mask[TeamChange]], request: Request
) -> Response:
    """Rename a team, or move it with all its sub-teams. Answers FAILED_PRECONDITION when the new parent is the team
    or one of its sub-teams.

    From the next build on, figures of all periods follow the new tree.
    """
    chosen = query.chosen(body)

    return await answer_change(
        request,
        manager,
        Team,
        teams.change_team,
        team,
        name=body.name or "" if "name" in chosen else UNCHANGED,
        parent_id=body.parent_id if "parent_id" in chosen else UNCHANGED,
    )


@router.delete("/{team}", summary="Delete a team", response_model=Empty)
async def delete_team(manager: TeamManager, team: TeamPath, _: NoQuery, request: Request) -> Response:
    """Delete a team with its current and past memberships. Answers FAILED_PRECONDITION while it has sub-teams."""
    return await answer_change(request, manager, Empty, teams.delete_team, team)
