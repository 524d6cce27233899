"""Teams with the figures of their people and sub-teams over a range, and the teams below a team."""

from collections.abc import Sequence

from api.access.row_access import RowAccess
from api.query.columns import Column, Kind, columns
from api.query.ordering import Term, one_of
from api.read.figures.figures import SUPPRESSED_REASON
from api.read.metrics import METRICS
from api.snapshot.builds import Build

COLUMNS = columns(
    Column("id", Kind.ID, "team_id"),
    Column("name", Kind.TEXT, "name"),
    Column("parent_id", Kind.ID, "parent_id", nullable=True),
    Column("depth", Kind.INTEGER, "depth"),
    Column("sub_team_count", Kind.INTEGER, "sub_team_count"),
    Column("developer_count", Kind.INTEGER, "developer_count"),
    Column("own_developer_count", Kind.INTEGER, "own_developer_count"),
    Column("calculation_version", Kind.TEXT, "calculation_version"),
    *(metric.column for metric in METRICS.values()),
    SUPPRESSED_REASON,
)
SEARCHED = ("name",)
MOST_VALUE_FIRST = (Term(COLUMNS["etv"], True), Term(COLUMNS["name"], False))


def with_sub_teams(build: Build, access: RowAccess, teams: Sequence[str]) -> tuple[str, ...]:
    """These teams, which the access must know, and every team below them in the tree that it sees.

    Of a team that no build has yet there is nothing below; it is still no other.
    """
    if not teams:
        return ()
    rows = build.rows(
        f"select distinct part.team_id from {access.table(build, 'team_lines')} as lines "
        "join teams as part on part.position = lines.team_number "
        f"join teams as top on top.position = lines.ancestor_number where {one_of('top.team_id', teams).sql}"
    )
    return tuple(sorted({*teams, *(row["team_id"] for row in rows)}))
