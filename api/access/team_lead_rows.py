"""The published rows that a team lead may read: work written by people while they were in a led team or below it.

Add: the team-lead rows of a new published table; a table without an entry here cannot be read. Only row_access.py uses
this module. A commit belongs to its author. A lead of a co-author does not see the commit in lists, but the co-author's
days include their share. The hashes in a visible commit (parents, delivering step, duplicate) stay, because they open
nothing. Team ids are those of the control database and therefore UUIDs. Keep out: the tree (team_lead_tree.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from api.access import plan_rows, pull_request_rows
from api.access.team_lead_tree import TeamLeadTree
from api.control.visibility import LedTeam
from api.query.ordering import one_of
from api.query.periods import Range
from api.snapshot.build import Build

SEEN = (
    "sum(commit_count)::bigint as commit_count, sum(delivered_commit_count)::bigint as delivered_commit_count, "
    "count(distinct case when not is_bot then developer_number end) as developer_count, "
    "min(first_delivered_at) as first_delivered_at, max(last_delivered_at) as last_delivered_at"
)
_FIRST_OF_PERIOD_BEFORE = (
    "(rows.period_start - case rows.period when 'week' then interval 7 days when 'month' then interval 1 month "
    "when 'quarter' then interval 3 months else interval 1 year end)"
)
# Tables without personal rows.
OPEN = ("line_kinds", "zero_reasons")
# Tables for administrators only, and the keys from addresses and former ids to developers.
CLOSED = (
    "merge_suggestions",
    "billable_developers",
    "developer_identities",
    "developer_known_ids",
    "import_bursts",
)


def team_row_numbers(build: Build) -> Mapping[str, int]:
    """The row_number of every team that the build knows."""

    def found(build: Build) -> dict[str, int]:
        return {row["team_id"]: row["position"] for row in build.rows("select team_id, position from teams")}

    return build.remembered("team row_numbers", found)


@dataclass(frozen=True)
class TeamLeadRows:
    """The rows of these teams, of a build that knows teams by these row numbers.

    With `days`, rows of periods that are not within these may be missing.
    """

    teams: tuple[LedTeam, ...]
    row_numbers: Mapping[str, int]
    days: Range | None = None

    def table(self, name: str) -> str:
        """SQL in parentheses, or the name of a table without personal rows."""
        if name in OPEN:
            return name
        if name in CLOSED:
            return f"(select * from {name} where false)"
        sql: str = getattr(self, f"_{name}")
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
    def _visible_commits(self) -> str:
        return f"select commit_id from commit_numbers where {self._written}"

    def _without_others(self, developer: str, first: str, last: str) -> str:
        """Condition: nothing that a developer delivered on these days was written outside of the teams."""
        within = (
            f"and other.period_start between date '{self.days.first}' and date '{self.days.last}' "
            if self.days
            else ""
        )
        return (
            "not exists (select 1 from developer_periods as other where other.period = 'day' "
            f"and other.developer_number = {developer} and other.period_start between {first} and {last} {within}"
            f"and not other.is_sandbox and (other.team_number is null or not {self._in_teams('other.team_number')}))"
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
        return seen_repositories(self._in_teams("team_number"))

    @property
    def _developers(self) -> str:
        """Current and past members with the counts of their work in the led teams."""
        return (
            "select developers.* replace (coalesce(seen.commit_count, 0) as commit_count, "
            "coalesce(seen.delivered_commit_count, 0) as delivered_commit_count, "
            "seen.first_delivered_at as first_delivered_at, seen.last_delivered_at as last_delivered_at, "
            "[{'name': a.name, 'email': a.email, 'reason': a.reason, 'commits': null::bigint} for a in addresses] "
            "as addresses, merge_suggestions[:0] as merge_suggestions, known_ids[:0] as known_ids, "
            f"case when developers.team_id in ({self._team_ids}) then developers.team_id end as team_id, "
            f"case when developers.team_id in ({self._team_ids}) then developers.team end as team) "
            f"from developers left join (select developer_number, {SEEN} from commit_counts "
            f"where {self._in_teams('team_number')} group by developer_number) as seen "
            f"on seen.developer_number = developers.position where developers.position in ({self._members})"
        )

    def _rows_of_teams(self, table: str) -> str:
        return f"select * from {table} where {self._in_teams('team_number')}"

    @property
    def _team_members(self) -> str:
        return self._rows_of_teams("team_members")

    @property
    def _commit_counts(self) -> str:
        return self._rows_of_teams("commit_counts")

    @property
    def _people_of_months(self) -> str:
        return self._rows_of_teams("people_of_months")

    @property
    def _commits_by_time(self) -> str:
        return self._rows("commits_by_time")

    @property
    def _commits_by_repository(self) -> str:
        return self._rows("commits_by_repository")

    @property
    def _commits_by_developer(self) -> str:
        return self._rows("commits_by_developer")

    @property
    def _commit_numbers(self) -> str:
        return self._rows("commit_numbers")

    @property
    def _commit_files(self) -> str:
        return f"select * from commit_files where commit_id in ({self._visible_commits})"

    @property
    def _commit_ai_evidence(self) -> str:
        return f"select * from commit_ai_evidence where commit_id in ({self._visible_commits})"

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
    def _merged_pull_requests(self) -> str:
        return self._rows("merged_pull_requests")

    @property
    def _reviews(self) -> str:
        """Reviews by people who were in a led team on that day."""
        return self._rows("reviews")

    @property
    def _objectives(self) -> str:
        """Objectives of the whole organization and of led teams."""
        return plan_rows.objectives(f"team_id is null or {self._written}", self._written)

    @property
    def _issues(self) -> str:
        """As objectives. An issue of a repository, without a team, is visible with the repository."""
        places = f"select repository_number from commit_counts where {self._in_teams('team_number')}"
        repositories = f"select repository_id from repositories where position in ({places})"
        of_all = f"team_id is null and (repository_id is null or repository_id in ({repositories}))"
        return plan_rows.issues(f"({of_all}) or {self._written}", self._written)

    @property
    def _commit_issues(self) -> str:
        return plan_rows.commit_issues(self._written, self._objectives, self._issues)

    @property
    def _objective_days(self) -> str:
        return self._rows("objective_days")

    @property
    def _uncertain_commits(self) -> str:
        return self._rows("uncertain_commits")

    @property
    def _daily(self) -> str:
        return self._rows("daily_by_team")

    # Readers of these sum rows, so that finer ones give the same.
    _daily_totals = _daily
    _daily_by_repository = _daily
    _daily_by_developer = _daily
    _daily_by_team = _daily

    @property
    def _zero_reason_days(self) -> str:
        return self._rows("zero_reason_days")

    @property
    def _zero_reason_commits(self) -> str:
        return self._rows("zero_reason_commits")

    @property
    def _developer_team_periods(self) -> str:
        return self._rows_of_teams("developer_team_periods")

    @property
    def _repository_team_periods(self) -> str:
        return self._rows_of_teams("repository_team_periods")

    # Readers of these sum rows, too.
    _developer_periods = _developer_team_periods
    _repository_periods = _repository_team_periods

    @property
    def _team_periods(self) -> str:
        return self._rows_of_teams("team_periods")

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

    # Readers of these sum rows, too.
    _team_days = _team_daily

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
        return self._periods("movements", _FIRST_OF_PERIOD_BEFORE, "rows.period_end")

    def _periods(self, table: str, first: str, last: str) -> str:
        # Only these days are checked for other work, so other days reveal nothing.
        within = (
            f"{first} >= date '{self.days.first}' and {last} <= date '{self.days.last}' and "
            if self.days
            else ""
        )
        return (
            f"select * from {table} where entity_kind = 'team' and {self._in_teams('entity_number')} "
            f"union all select rows.* from {table} as rows where rows.entity_kind = 'developer' "
            f"and {within}rows.entity_number in ({self._members}) "
            f"and {self._without_others('rows.entity_number', first, last)}"
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


def seen_repositories(visible: str) -> str:
    """Repositories with visible commits, with the numbers of these."""
    return (
        "select repositories.* replace (null::varchar as head_sha, seen.commit_count as commit_count, "
        "seen.delivered_commit_count as delivered_commit_count, seen.developer_count as developer_count, "
        "seen.first_delivered_at as first_delivered_at, seen.last_delivered_at as last_delivered_at) "
        f"from repositories join (select repository_number, {SEEN} from commit_counts where {visible} "
        "group by repository_number) as seen on seen.repository_number = repositories.position"
    )
