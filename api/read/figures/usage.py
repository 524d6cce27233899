"""Days of usage of AI tools, by developer, team and repository.

Usage names no repository: that of a repository is the cost that its commits have (`ai_costs`), and nothing else. Usage
has no category: a slice or grouping by category has none.
"""

from api.access.row_access import RowAccess
from api.presentation.usage_measures import USAGE
from api.query.conditions import Condition, both, days, one_of
from api.query.periods import Range
from api.read.entities import DEVELOPERS, REPOSITORIES, TEAMS, Entity
from api.read.figures.figures import Slice
from api.read.ids import with_sub_teams
from api.snapshot.build import Build

# Rows of all groups together have this key, because a join finds no null.
ALL = "''"
SUMS = ", ".join(f"{sql} as {name}" for name, sql in USAGE.items())


def usage_rows(
    build: Build, access: RowAccess, piece: Slice, column: str | None, *, with_sandboxes: bool = False
) -> str | None:
    """A query with the days of usage of a slice, each with its `key`: the value of a column of an entity.

    With the column of a team, a day counts for every team above it. Without a column, all days have the key `ALL`.
    None for a slice or column that usage does not know. `with_sandboxes` is for all repositories; those of the slice
    count in any case.
    """
    if piece.categories or column not in (None, DEVELOPERS.key, TEAMS.key, REPOSITORIES.key):
        return None
    conditions = [days("used_on", piece.days.first, piece.days.last)]
    if piece.developers:
        conditions.append(one_of("developer_id", piece.developers))
    if not piece.with_bots:
        conditions.append(Condition("not is_bot"))
    if piece.repositories or column == REPOSITORIES.key:
        if not access.has_individuals:
            # Nearly every link is of one person.
            return None
        rows = _through_commits(build, access)
        if piece.repositories:
            conditions.append(one_of("repository_id", piece.repositories))
        elif not with_sandboxes:
            conditions.append(Condition("not is_sandbox"))
    else:
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


def _through_commits(build: Build, access: RowAccess) -> str:
    """SQL with the days of usage whose cost is linked to commits of repositories."""
    unknown = ", ".join(f"null::bigint as {name}" for name in USAGE if name != "usage_cost_nano")
    return (
        "(select costs.used_on, costs.developer_id, costs.team_id, costs.repository_id, people.is_bot, "
        f"repositories.is_sandbox, costs.cost_nano as usage_cost_nano, {unknown} "
        f"from {access.table(build, 'ai_costs')} as costs join developers as people using (developer_id) "
        "join repositories using (repository_id) where costs.cost_currency = 'USD')"
    )


def cost_without_commit(build: Build, access: RowAccess, asked: Range) -> float | None:
    """AI spend of these days in US dollars that reaches no commit, and so no repository.

    It is that of people, of bots and of nobody known. None without usage that has a cost, and where the spend of
    repositories is hidden.
    """
    if not access.has_individuals or REPOSITORIES.kind in access.without_ai:
        return None
    wanted = both(days("used_on", asked.first, asked.last), Condition("cost_currency = 'USD'"))
    found = build.only_row(
        "select count(*) as links, coalesce(sum(cost_nano) filter (commit_id is null), 0)::bigint as nano "
        f"from {access.table(build, 'ai_costs')} where {wanted.sql}",
        wanted.parameters,
    )
    # As precise as the amounts beside it.
    return round(found["nano"] / 1000) / 1_000_000 if found["links"] else None


def usage_of_entities(
    build: Build, access: RowAccess, entity: Entity, asked: Range, row_number: int | None
) -> str | None:
    """A query with the sums of usage over a range by the `row_number` of an entity; None where it has no usage."""
    piece = Slice(asked, with_bots=entity.with_bots)
    rows = usage_rows(build, access, piece, entity.key, with_sandboxes=entity.with_sandboxes)
    if rows is None:
        return None
    only = "" if row_number is None else f" where position = {row_number}"
    numbers = f"select {entity.key} as key, position as row_number from {entity.table}{only}"
    return (
        f"select row_number, {SUMS} from ({rows}) as used join ({numbers}) as numbers using (key) group by 1"
    )
