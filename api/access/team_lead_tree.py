"""The tree of the teams that a lead sees. It replaces the tree of the build.

It comes from the control database, where all ids are UUIDs, because a build may be older.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from api.control.visibility import LedTeam


@dataclass(frozen=True)
class TeamLeadTree:
    """The led teams and those below, each with its parent among them."""

    teams: tuple[LedTeam, ...]

    def team_lines(self, row_numbers: Mapping[str, int]) -> str:
        """SQL for the rows of `team_lines`, of a build that knows teams by these row numbers."""
        pairs = ", ".join(
            f"({row_numbers[team]}, {row_numbers[ancestor]})"
            for team, ancestor in self._ancestors
            if team in row_numbers and ancestor in row_numbers
        )
        if not pairs:
            return "select * from team_lines where false"
        return f"select * from (values {pairs}) as ancestors (team_number, ancestor_number)"

    @property
    def teams_sql(self) -> str:
        """SQL for the rows of `teams`, as if there were no others."""
        if not self.teams:
            return "select * from teams where false"
        depth = {team.id: -1 for team in self.teams}
        below = {team.id: -1 for team in self.teams}
        for team, ancestor in self._ancestors:
            depth[team] += 1
            below[ancestor] += 1
        tree = ", ".join(
            f"('{team.id}', {_literal(team.parent_id)}, {depth[team.id]}, {below[team.id]})"
            for team in self.teams
        )
        return (
            "select teams.* replace (tree.parent_id as parent_id, tree.depth::integer as depth, "
            "tree.below::bigint as sub_team_count) from teams "
            f"join (values {tree}) as tree (team_id, parent_id, depth, below) on tree.team_id = teams.team_id"
        )

    @property
    def team_daily(self) -> str:
        """SQL for the rows of `team_daily`: the days of each team and of all below."""
        if not self.teams:
            return "select * from team_daily where false"
        pairs = ", ".join(f"('{team}', '{ancestor}')" for team, ancestor in self._ancestors)
        return (
            "select daily.* replace (tree.ancestor_id as team_id) from daily_by_team as daily "
            f"join (values {pairs}) as tree (team_id, ancestor_id) on tree.team_id = daily.team_id"
        )

    @cached_property
    def _ancestors(self) -> list[tuple[str, str]]:
        """Each team with itself and with every visible team that it is a part of."""
        above = {team.id: team.parent_id for team in self.teams}
        pairs: dict[tuple[str, str], None] = {}
        for team in self.teams:
            current: str | None = team.id
            while current is not None and (team.id, current) not in pairs:
                pairs[team.id, current] = None
                current = above[current]
        return list(pairs)


def _literal(team_id: str | None) -> str:
    return "null::varchar" if team_id is None else f"'{team_id}'"
