"""Teams with the figures of their people and sub-teams over a range, and the teams below a team."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from api.access.row_access import RowAccess
from api.query.conditions import one_of
from api.query.fields import Id, Stored
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


def with_sub_teams(build: Build, access: RowAccess, teams: Sequence[str]) -> tuple[str, ...]:
    """These teams, which the access must know, and every team below them in the tree that it sees.

    A team that no build has yet is returned without teams below it.
    """
    if not teams:
        return ()
    rows = build.rows(
        f"select distinct part.team_id from {access.table(build, 'team_lines')} as lines "
        "join teams as part on part.position = lines.team_number "
        f"join teams as top on top.position = lines.ancestor_number where {one_of('top.team_id', teams).sql}"
    )
    return tuple(sorted({*teams, *(row["team_id"] for row in rows)}))
