"""The caller's own work: the developer with the verified address of the account, and the teams of that developer.

Keep out: the account and the teams that it leads, which no build has (v1/members/me.py).
"""

from api.access.row_access import RowAccess
from api.access.self_identity import own_developer, own_teams
from api.query.parameters import RangeQuery
from api.read.developers import get_developer
from api.read.organizations import shown_days
from api.snapshot.build import Build, Row


def get_me(build: Build, access: RowAccess, query: RangeQuery) -> Row:
    """The developer with figures over a range of days, or None where nobody has the address, and the own teams.

    Raises InvalidArgument.
    """
    days = shown_days(build, access, query)
    found = own_developer(build, access)
    return {
        "developer": found and get_developer(build, access, query, found),
        "teams": own_teams(build, access),
        "startDate": days.first,
        "endDate": days.last,
    }
