"""The published rows that a lead sees: what people wrote while they were in one of the led teams or below.

Add: what of a new published table is a lead's; a table that is not named here cannot be read. Used by scope.py alone.
A commit is its author's: who only shares it is not listed with it, nor it for them, though their days have their share.
The hashes that Git keeps in a visible commit (parents, the step that delivered it, what it repeats) stay: they open
nothing. Team ids are those of the control database, so that they are UUIDs, and so is the tree: a build may be older.
"""

from dataclasses import dataclass
from functools import cached_property

from api.control.visibility import LedTeam
from api.read.ordering import one_of

SEEN = (
    "count(*) as commit_count, count(delivered_at) as delivered_commit_count, "
    "count(distinct case when not is_bot then developer_id end) as developer_count, "
    "min(delivered_at) as first_delivered_at, max(delivered_at) as last_delivered_at"
)
_FIRST_OF_PERIOD_BEFORE = (
    "(rows.period_start - case rows.period when 'week' then interval 7 days when 'month' then interval 1 month "
    "when 'quarter' then interval 3 months else interval 1 year end)"
)
# What is for administrators, and the key from an address to whose it is.
CLOSED = ("merge_suggestions", "billable_developers", "developer_identities")


@dataclass(frozen=True)
class LedRows:
    """The rows of these teams."""

    teams: tuple[LedTeam, ...]

    def table(self, name: str) -> str:
        """SQL in parentheses, or the name of a table that is nobody's."""
        if name == "line_kinds":
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
    def _members(self) -> str:
        """Developers who are or were in a team."""
        return f"select developer_id from team_members where {self._written}"

    @cached_property
    def _visible_commits(self) -> str:
        return f"select commit_id from commit_places where {self._written}"

    def _without_others(self, developer: str, first: str, last: str) -> str:
        """Condition: nothing that a developer delivered on these days was written outside of the teams."""
        return (
            "not exists (select 1 from daily_by_developer as other "
            f"where other.developer_id = {developer} and other.delivered_on between {first} and {last} "
            f"and not other.is_sandbox and (other.team_id is null or not ({one_of('other.team_id', self._ids).sql})))"
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
        return seen_repositories(self._written, "commits_by_repository")

    @property
    def _developers(self) -> str:
        """Members, present and past, with the numbers of what they wrote in the teams."""
        return (
            "select developers.* replace (coalesce(seen.commit_count, 0) as commit_count, "
            "coalesce(seen.delivered_commit_count, 0) as delivered_commit_count, "
            "seen.first_delivered_at as first_delivered_at, seen.last_delivered_at as last_delivered_at, "
            "[{'name': a.name, 'email': a.email, 'reason': a.reason, 'commits': null::bigint} for a in addresses] "
            "as addresses, merge_suggestions[:0] as merge_suggestions, known_ids[:0] as known_ids, "
            f"case when {one_of('developers.team_id', self._ids).sql} then developers.team_id end as team_id, "
            f"case when {one_of('developers.team_id', self._ids).sql} then developers.team end as team) "
            f"from developers left join (select developer_id, {SEEN} from commits_by_developer "
            f"where {self._written} group by developer_id) as seen on seen.developer_id = developers.developer_id "
            f"where developers.developer_id in ({self._members})"
        )

    @property
    def _team_members(self) -> str:
        return self._rows("team_members")

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
    def _commit_places(self) -> str:
        return self._rows("commit_places")

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
    def _daily(self) -> str:
        return self._rows("daily_by_team")

    # Readers of these sum rows, so that finer ones give the same.
    _daily_totals = _daily
    _daily_by_repository = _daily
    _daily_by_developer = _daily
    _daily_by_team = _daily

    @cached_property
    def _lines(self) -> list[tuple[str, str]]:
        """Each team with itself and with every visible team that it is a part of."""
        above = {team.id: team.parent_id for team in self.teams}
        lines: dict[tuple[str, str], None] = {}
        for team in self.teams:
            current: str | None = team.id
            while current is not None and (team.id, current) not in lines:
                lines[team.id, current] = None
                current = above[current]
        return list(lines)

    @property
    def _teams(self) -> str:
        if not self.teams:
            return "select * from teams where false"
        depth = {team.id: -1 for team in self.teams}
        below = {team.id: -1 for team in self.teams}
        for team, ancestor in self._lines:
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
    def _team_daily(self) -> str:
        if not self.teams:
            return "select * from team_daily where false"
        lines = ", ".join(f"('{team}', '{ancestor}')" for team, ancestor in self._lines)
        return (
            "select daily.* replace (tree.ancestor_id as team_id) from daily_by_team as daily "
            f"join (values {lines}) as tree (team_id, ancestor_id) on tree.team_id = daily.team_id"
        )

    # Readers of these sum rows, too.
    _team_days = _team_daily

    @property
    def _performance(self) -> str:
        """Of teams, and of developers for periods in which all that they delivered was written in the teams."""
        return self._performed("performance")

    @property
    def _performance_by_period(self) -> str:
        return self._performed("performance_by_period")

    def _performed(self, table: str) -> str:
        whole = self._without_others("rows.entity_id", "rows.period_start", "rows.period_end")
        return self._periods(table, whole)

    @property
    def _movements(self) -> str:
        whole = self._without_others("rows.entity_id", _FIRST_OF_PERIOD_BEFORE, "rows.period_end")
        return self._periods("movements", whole)

    def _periods(self, table: str, whole: str) -> str:
        return (
            f"select * from {table} where entity_kind = 'team' and {one_of('entity_id', self._ids).sql} "
            f"union all select rows.* from {table} as rows where rows.entity_kind = 'developer' "
            f"and rows.entity_id in ({self._members}) and {whole}"
        )

    @property
    def _capex(self) -> str:
        """Of months whose team it is, if all that was delivered in them was written in the teams."""
        end = "(rows.month + interval 1 month - interval 1 day)"
        return (
            f"select rows.* from capex as rows where {one_of('rows.team_id', self._ids).sql} "
            f"and {self._without_others('rows.developer_id', 'rows.month', end)}"
        )

    @property
    def _capex_evidence(self) -> str:
        visible = f"select month, developer_id from ({self._capex}) as visible"
        return f"select * from capex_evidence where (month, developer_id) in ({visible})"


def seen_repositories(visible: str, commits: str) -> str:
    """Repositories with visible commits, with the numbers of these."""
    return (
        "select repositories.* replace (null::varchar as head_sha, seen.commit_count as commit_count, "
        "seen.delivered_commit_count as delivered_commit_count, seen.developer_count as developer_count, "
        "seen.first_delivered_at as first_delivered_at, seen.last_delivered_at as last_delivered_at) "
        f"from repositories join (select repository_id, {SEEN} from {commits} where {visible} group by repository_id"
        ") as seen on seen.repository_id = repositories.repository_id"
    )


def _literal(team_id: str | None) -> str:
    return "null::varchar" if team_id is None else f"'{team_id}'"
