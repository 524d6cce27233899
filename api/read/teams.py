"""Teams with the figures of their people and sub-teams over a range."""

from typing import Annotated

from pydantic import Field

from api.access.row_access import RowAccess
from api.query.fields import Id, Stored
from api.query.pages import Page, Position
from api.query.parameters import FigureQuery
from api.read.benchmarks.groups import Reference
from api.read.entities import TEAMS
from api.read.figures.entities import entity_page
from api.read.figures.shapes import Figures, entity_columns
from api.snapshot.build import Build


class ListedTeam(Figures):
    """A team with the figures of the team and all its sub-teams for the range of days."""

    id: Annotated[Id, Stored("team_id")]
    name: str = Field(examples=["Payments"])
    parent_id: Id | None = Field(description="Id of the team above; null for a team at the top.")
    depth: int = Field(description="The number of teams above.")
    sub_team_count: int = Field(description="The number of teams below, at any depth.")
    developer_count: int = Field(
        description="Developers in the team and its sub-teams on the day of the build."
    )
    own_developer_count: int = Field(description="Developers in the team itself on that day.")
    calculation_version: str


COLUMNS = entity_columns(ListedTeam)
SEARCHED = ("name",)


def list_teams(
    build: Build,
    access: RowAccess,
    query: FigureQuery,
    position: Position | None,
    benchmark: Reference | None = None,
) -> Page:
    """A page of teams with their figures. Raises InvalidArgument."""
    return entity_page(build, access, TEAMS, COLUMNS, SEARCHED, query, position, benchmark)
