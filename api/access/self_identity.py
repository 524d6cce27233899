"""The developer that the caller is, and the teams of that developer."""

from api.access.row_access import RowAccess
from api.errors import FailedPrecondition
from api.query.columns import Column, Kind, columns, select_list
from api.snapshot.builds import Build, Row

NOBODY = (
    "no developer of this organization has the verified address of your account; ask an admin to add it to "
    "your developer"
)
_FOR_EVER = "date '9999-12-31'"
TEAMS = columns(
    Column("team_id", Kind.TEXT, "members.team_id"),
    Column("team_name", Kind.TEXT, "teams.name"),
    Column("start_date", Kind.DATE, "members.start_on"),
    Column("end_date", Kind.DATE, f"nullif(members.end_on, {_FOR_EVER})", nullable=True),
)


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
