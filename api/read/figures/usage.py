"""Days of usage of AI tools, by developer and team.

Usage has no repository and no category: a slice or grouping by one of these has none.
"""

from api.access.row_access import RowAccess
from api.presentation.metrics import USAGE
from api.query.conditions import Condition, both, days, one_of
from api.query.periods import Range
from api.read.entities import DEVELOPERS, TEAMS, Entity
from api.read.figures.figures import Slice
from api.read.ids import with_sub_teams
from api.snapshot.build import Build

# Rows of all groups together have this key, because a join finds no null.
ALL = "''"
SUMS = ", ".join(f"{sql} as {name}" for name, sql in USAGE.items())


def usage_rows(build: Build, access: RowAccess, piece: Slice, column: str | None) -> str | None:
    """A query with the days of usage of a slice, each with its `key`: the value of a column of an entity.

    With the column of a team, a day counts for every team above it. Without a column, all days have the key `ALL`.
    None for a slice or column that usage does not know.
    """
    if piece.repositories or piece.categories or column not in (None, DEVELOPERS.key, TEAMS.key):
        return None
    conditions = [days("used_on", piece.days.first, piece.days.last)]
    if piece.developers:
        conditions.append(one_of("developer_id", piece.developers))
    if not piece.with_bots:
        conditions.append(Condition("not is_bot"))
    rows = access.table(build, "ai_days")
    if column == TEAMS.key:
        lines = (
            f"select own.team_id, above.team_id as key from {access.table(build, 'team_lines')} as lines "
            "join teams as own on own.position = lines.team_number "
            "join teams as above on above.position = lines.ancestor_number"
        )
        rows = f"(select used.*, lines.key from {rows} as used join ({lines}) as lines using (team_id))"
        if piece.teams:
            conditions.append(one_of("key", piece.teams))
    else:
        rows = f"(select *, {column or ALL} as key from {rows})"
        if piece.teams:
            conditions.append(one_of("team_id", with_sub_teams(build, access, piece.teams)))
    return f"select * from {rows} where {both(*conditions).sql}"


def usage_of_entities(
    build: Build, access: RowAccess, entity: Entity, asked: Range, row_number: int | None
) -> str | None:
    """A query with the sums of usage over a range by the `row_number` of an entity; None where it has no usage."""
    rows = usage_rows(build, access, Slice(asked, with_bots=entity.with_bots), entity.key)
    if rows is None:
        return None
    only = "" if row_number is None else f" where position = {row_number}"
    numbers = f"select {entity.key} as key, position as row_number from {entity.table}{only}"
    return (
        f"select row_number, {SUMS} from ({rows}) as used join ({numbers}) as numbers using (key) group by 1"
    )
