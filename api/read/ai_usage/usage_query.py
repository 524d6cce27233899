"""What the lists of AI spend have in common: their parameters, and the usage of people that these select."""

from pydantic import Field

from api.access.row_access import RowAccess
from api.query.conditions import Condition, both, days, named, selected
from api.query.parameters import FileQuery, Filter, FirstDay, Id, LastDay, OrderBy, several
from api.query.periods import Range, chosen_range
from api.read.ai_usage.switches import refuse_switched_off
from api.read.entities import DEVELOPERS
from api.read.ids import visible_ids, visible_teams
from api.read.organizations import local_date
from api.snapshot.build import Build


class UsageQuery(FileQuery):
    """The parameters of every list of AI spend. A list says which groupings it has."""

    start_date: FirstDay = None
    end_date: LastDay = None
    group_by: str
    tool: list[str] = Field([], max_length=50, description="Names of tools, such as `claude_code`.")
    developer: list[Id] = several("Ids of developers.")
    team: list[Id] = Field(
        [],
        max_length=50,
        description="Ids of teams, each including its sub-teams: usage of people in one of these teams on the day.",
    )
    filter: Filter = ""
    order_by: OrderBy = ""


def usage_of_people(
    build: Build, access: RowAccess, table: str, query: UsageQuery
) -> tuple[Condition, Range]:
    """The condition on the rows of usage that a request selects, and its days.

    Raises PermissionDenied for a caller who may not read the table, InvalidArgument for what the organization switched
    off, and the error of `RowAccess.unknown` for an unknown id.
    """
    access.refuse_closed(table)
    refuse_switched_off(access, query.group_by, developers=bool(query.developer), teams=bool(query.team))
    asked = chosen_range(query.start_date, query.end_date, local_date(build, access))
    wanted = both(
        days("used_on", asked.first, asked.last),
        named("tool", query.tool),
        selected("developer_id", visible_ids(build, access, DEVELOPERS, query.developer)),
        selected("team_id", visible_teams(build, access, query.team)),
    )
    return wanted, asked
