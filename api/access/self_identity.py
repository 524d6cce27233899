"""The developer that the caller is, and the teams of that developer."""

from datetime import date
from typing import Annotated

from pydantic import Field

from api.access.row_access import RowAccess
from api.errors import FailedPrecondition
from api.query.columns import select_list
from api.query.fields import Stored, columns_of
from api.shapes import Shape
from api.snapshot.build import Build, Row

NOBODY = (
    "no developer of this organization has the verified address of your account; verify it "
    "if your commits have it, or ask an owner or admin to invite the address that you write commits with, and sign in "
    "with it"
)
_FOR_EVER = "date '9999-12-31'"


class OwnTeam(Shape):
    """A membership in a team."""

    team_id: Annotated[str, Stored("members.team_id")]
    team_name: Annotated[str, Stored("teams.name")] = Field(examples=["Payments"])
    start_date: Annotated[date, Stored("members.start_on")]
    end_date: Annotated[date, Stored(f"nullif(members.end_on, {_FOR_EVER})")] | None = Field(
        description="Last day in the team; null: no end."
    )


TEAMS = columns_of(OwnTeam)


def own_developer(build: Build, access: RowAccess) -> str | None:
    """The id of the developer with the account's verified address, or None. `access` must be that of own rows."""
    rows = build.rows(f"select developer_id from {access.table(build, 'developer_identities')}")
    return str(rows[0]["developer_id"]) if rows else None


def known_developer(build: Build, access: RowAccess) -> str:
    """Like `own_developer`, but raises FailedPrecondition instead of returning None."""
    found = own_developer(build, access)
    if found is None:
        raise FailedPrecondition(NOBODY)
    return found


def own_teams(build: Build, access: RowAccess) -> list[Row]:
    """The teams that the developer was in, the latest first."""
    return build.rows(
        f"select {select_list(TEAMS.values())} from {access.table(build, 'team_members')} as members "
        f"join {access.table(build, 'teams')} as teams on teams.team_id = members.team_id "
        "order by members.start_on desc"
    )
