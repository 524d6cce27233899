"""The published rows that a team lead may read: work written by people while they were in a led team or below it.

Add: the query of a table that declares `lead: query` (declared_access.py). Only row_access.py uses this module. A
commit belongs to its author. A lead of a co-author does not see the commit in lists, but the co-author's days include
their share. The hashes in a visible commit (parents, delivering step, duplicate) stay, because they open nothing.
Team ids are those of the control database and therefore UUIDs. Keep out: the tree (team_lead_tree.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from api.access import counted_rows, declared_access, period_rows, plan_rows, pull_request_rows
from api.access.team_lead_tree import TeamLeadTree
from api.control.visibility import LedTeam
from api.query.conditions import one_of
from api.query.periods import Range
from api.snapshot.build import Build


def team_row_numbers(build: Build) -> Mapping[str, int]:
    """The row number of each team of the build, by its id."""

    def found(build: Build) -> dict[str, int]:
        return {row["team_id"]: row["position"] for row in build.rows("select team_id, position from teams")}

    return build.remembered("team row_numbers", found)


@dataclass(frozen=True)
class TeamLeadRows:
    """The rows of these teams. The build numbers its teams by `row_numbers`.

    With `days`, rows of periods that are not within these may be missing.
    """

    teams: tuple[LedTeam, ...]
    row_numbers: Mapping[str, int]
    days: Range | None = None

    def table(self, name: str) -> str:
        """SQL in parentheses, or the name of a table without personal rows."""
        rule = declared_access.of_table(name).lead
        match rule.kind:
            case "open":
                return rule.table
            case "written":
                sql = self._rows(rule.table)
            case "team":
                sql = self._rows_of_teams(rule.table)
            case "commit":
                sql = self._rows_of_commits(rule.table)
            case "query":
                sql = getattr(self, f"_{rule.table}")
            case _:
                sql = f"select * from {rule.table} where false"
        return f"({sql})"

    @cached_property
    def _ids(self) -> list[str]:
        return [team.id for team in self.teams]

    @cached_property
    def _written(self) -> str:
        """Condition on rows that name the team of writing."""
        return one_of("team_id", self._ids).sql

    @cached_property
    def _stretches(self) -> list[tuple[int, int]]:
        """First and last row number of each series of consecutive teams. A tree of teams is mostly one series."""
        stretches: list[tuple[int, int]] = []
        for row_number in sorted(self.row_numbers[key] for key in self._ids if key in self.row_numbers):
            if stretches and stretches[-1][1] == row_number - 1:
                stretches[-1] = (stretches[-1][0], row_number)
            else:
                stretches.append((row_number, row_number))
        return stretches

    def _in_teams(self, column: str) -> str:
        """Condition on the row number of a team."""
        found = " or ".join(f"{column} between {first} and {last}" for first, last in self._stretches)
        return f"({found})" if found else "false"

    @cached_property
    def _members(self) -> str:
        """Row numbers of the developers who are or were in a led team."""
        return f"select developer_number from team_members where {self._in_teams('team_number')}"

    @cached_property
    def _team_ids(self) -> str:
        return f"select team_id from teams where {self._in_teams('position')}"

    @cached_property
    def _repository_ids(self) -> str:
        """Ids of the repositories with work of a led team, as `_repositories` has them."""
        places = f"select repository_number from commit_counts where {self._in_teams('team_number')}"
        return f"select repository_id from repositories where position in ({places})"

    @cached_property
    def _visible_commits(self) -> str:
        return f"select commit_id from commit_numbers where {self._written}"

    def _without_others(self, developer: str, first: str, last: str) -> str:
        """Condition: nothing that a developer delivered on these days was written outside of the teams."""
        return period_rows.without_others(
            developer, first, last, self._in_teams("other.team_number"), self.days
        )

    def _rows(self, table: str) -> str:
        return f"select * from {table} where {self._written}"

    @property
    def _organizations(self) -> str:
        bounds = ", ".join(
            f"(select {kind}(delivered_on) from daily_by_team where {self._written}) as {column}"
            for kind, column in (("min", "first_delivered_on"), ("max", "last_delivered_on"))
        )
        return f"select * replace ({bounds}, null::bigint as waiting_commits) from organizations"

    @property
    def _repositories(self) -> str:
        return counted_rows.repositories(self._in_teams("team_number"))

    @property
    def _developers(self) -> str:
        """Current and past members with the counts of their work in the led teams."""
        return counted_rows.developers(self._in_teams("team_number"), self._members, self._team_ids)

    def _rows_of_teams(self, table: str) -> str:
        return f"select * from {table} where {self._in_teams('team_number')}"

    def _rows_of_commits(self, table: str) -> str:
        return f"select * from {table} where commit_id in ({self._visible_commits})"

    @property
    def _commit_credits(self) -> str:
        return f"{self._rows('commit_credits')} and commit_id in ({self._visible_commits})"

    @property
    def _commit_origins(self) -> str:
        return (
            f"select * from commit_origins where commit_id in ({self._visible_commits}) "
            f"and origin_commit_id in ({self._visible_commits})"
        )

    @property
    def _pull_requests(self) -> str:
        return pull_request_rows.pull_requests(self._written)

    @property
    def _pull_request_times(self) -> str:
        return pull_request_rows.times(self._written)

    @property
    def _pull_request_commits(self) -> str:
        return pull_request_rows.commits(self._written, self._visible_commits)

    @property
    def _pull_request_issues(self) -> str:
        return pull_request_rows.issues(self._written, one_of("item_team_id", self._ids).sql)

    @property
    def _check_occurrences(self) -> str:
        """As objectives: those of people and issues in led teams, and of objectives of the whole organization.

        Those of a repository or file name nobody, and are visible with the repository.
        """
        return self._checked("check_occurrences")

    @property
    def _check_stretches(self) -> str:
        return self._checked("check_stretches")

    @property
    def _check_episodes(self) -> str:
        seen = f"select occurrence_id from ({self._check_occurrences}) as seen"
        return f"select * from check_episodes where occurrence_id in ({seen})"

    def _checked(self, table: str) -> str:
        of_repositories = (
            "subject_type in ('repository', 'file') and developer_id is null "
            f"and repository_id in ({self._repository_ids})"
        )
        of_all = f"team_id is null and (subject_type = 'objective' or ({of_repositories}))"
        return f"select * from {table} where ({of_all}) or {self._written}"

    @property
    def _objectives(self) -> str:
        """Objectives of the whole organization and of led teams."""
        return plan_rows.objectives(f"team_id is null or {self._written}", self._written)

    @property
    def _issues(self) -> str:
        """As objectives. An issue of a repository, without a team, is visible with the repository."""
        of_all = f"team_id is null and (repository_id is null or repository_id in ({self._repository_ids}))"
        return plan_rows.issues(f"({of_all}) or {self._written}", self._written)

    @property
    def _commit_issues(self) -> str:
        return plan_rows.commit_issues(self._written, self._objectives, self._issues)

    @property
    def _summary_facts(self) -> str:
        """Facts about led teams; those of the organization and of repositories contain the work of others."""
        return (
            f"select * from summary_facts where scope_kind = 'TEAM' and {one_of('scope_id', self._ids).sql}"
        )

    @cached_property
    def _tree(self) -> TeamLeadTree:
        return TeamLeadTree(self.teams)

    @property
    def _team_lines(self) -> str:
        return self._tree.team_lines(self.row_numbers)

    @property
    def _teams(self) -> str:
        return self._tree.teams_sql

    @property
    def _team_daily(self) -> str:
        return self._tree.team_daily

    @property
    def _performance(self) -> str:
        """Performance of teams, and of developers in periods whose delivered work was all written in the teams."""
        return self._performed("performance")

    @property
    def _performance_by_period(self) -> str:
        return self._performed("performance_by_period")

    def _performed(self, table: str) -> str:
        return self._periods(table, "rows.period_start", "rows.period_end")

    @property
    def _movements(self) -> str:
        return self._periods("movements", period_rows.FIRST_OF_PERIOD_BEFORE, "rows.period_end")

    def _periods(self, table: str, first: str, last: str) -> str:
        return period_rows.periods(
            table,
            first,
            last,
            led=self._in_teams("entity_number"),
            members=self._members,
            alone=self._without_others("rows.entity_number", first, last),
            days=self.days,
        )

    @property
    def _capex(self) -> str:
        """The months with a led team as team, if all work delivered in them was written in led teams."""
        end = "(rows.month + interval 1 month - interval 1 day)"
        return (
            f"select rows.* from capex as rows where {one_of('rows.team_id', self._ids).sql} "
            f"and {self._without_others('rows.developer_number', 'rows.month', end)}"
        )

    @property
    def _capex_evidence(self) -> str:
        visible = f"select month, developer_id from ({self._capex}) as visible"
        return f"select * from capex_evidence where (month, developer_id) in ({visible})"
