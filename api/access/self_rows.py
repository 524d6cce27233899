"""The published rows of one person's own work, in every team.

Add: the own rows of a new published table; a table without an entry here cannot be read. Only row_access.py uses this
module. The key is a UUID made of the account's verified address.
"""

from dataclasses import dataclass

from api.access import counted_rows, plan_rows
from api.query.columns import id_literals

# Tables with the developer of the work in each row.
OF_A_DEVELOPER = {
    # A single commit is looked up by row number in this table.
    "commits_by_time": "commits_by_time",
    "commits_by_repository": "commits_by_developer",
    "commits_by_developer": "commits_by_developer",
    "commit_numbers": "commit_numbers",
    "daily": "daily",
    "daily_totals": "daily_by_developer",
    "daily_by_repository": "daily",
    "daily_by_developer": "daily_by_developer",
    "daily_by_team": "daily",
    "team_daily": "team_daily",
    "team_days": "team_daily",
    "team_members": "team_members",
    "capex": "capex",
    "capex_evidence": "capex_evidence",
    "zero_reason_days": "zero_reason_days",
    "zero_reason_commits": "zero_reason_commits",
    "uncertain_commits": "uncertain_commits",
    "pull_requests": "pull_requests",
    "pull_request_times": "pull_request_times",
    "pull_request_issues": "pull_request_issues",
    "reviews": "reviews",
    "merged_pull_requests": "merged_pull_requests",
    "commit_issues": "commit_issues",
    "objective_days": "objective_days",
}
OF_A_PLACE = ("developer_periods", "developer_team_periods", "commit_counts", "people_of_months")
# Tables without personal rows.
OPEN = ("line_kinds", "zero_reasons", "organizations", "team_lines")
# Tables for administrators only.
CLOSED = ("merge_suggestions", "billable_developers", "developer_known_ids", "import_bursts")
# Sums over several people. They have no rows of one person, and an empty answer would look like no work.
OF_SEVERAL = ("repository_periods", "repository_team_periods", "team_periods")
# Of trackers: those that one's own work reaches, with the figures of this work.
PLANS = ("objectives", "issues")
OF_A_COMMIT = ("commit_files", "commit_ai_evidence", "pull_request_commits")


@dataclass(frozen=True, slots=True)
class OwnRows:
    """The rows of the developer that a key finds."""

    key: str

    def table(self, name: str) -> str:
        """SQL in parentheses, or the name of a table without personal rows."""
        if name in OPEN:
            return name
        return f"({self._plans(name) if name in PLANS else self._sql(name)})"

    @property
    def _key(self) -> str:
        literals = id_literals([self.key])
        return literals[0] if literals else "null"

    @property
    def _own(self) -> str:
        return f"(select developer_id from developer_identities where own_developer_id = {self._key})"

    def _plans(self, name: str) -> str:
        work = f"developer_id = {self._own}"
        if name == "objectives":
            visible = f"objective_id in (select objective_id from objective_days where {work})"
            return plan_rows.objectives(visible, work)
        return plan_rows.issues(f"issue_id in (select item_id from commit_issues where {work})", work)

    def _sql(self, name: str) -> str:
        key, own = self._key, self._own
        commits = f"(select commit_id from commit_numbers where developer_id = {own})"
        if name in OF_A_DEVELOPER:
            return f"select * from {OF_A_DEVELOPER[name]} where developer_id = {own}"
        if name in CLOSED:
            return f"select * from {name} where false"
        if name in OF_A_COMMIT:
            return f"select * from {name} where commit_id in {commits}"
        if name in ("performance", "performance_by_period", "movements"):
            return f"select * from {name} where entity_kind = 'developer' and entity_id = {own}"
        if name in OF_A_PLACE:
            row_number = f"(select position from developers where developer_id = {own})"
            return f"select * from {name} where developer_number = {row_number}"
        match name:
            case "developer_identities":
                return f"select * from developer_identities where own_developer_id = {key}"
            case "developers":
                return (
                    "select * replace (merge_suggestions[:0] as merge_suggestions) "
                    f"from developers where developer_id = {own}"
                )
            case "repositories":
                visible = f"developer_number = (select position from developers where developer_id = {own})"
                # Repositories in which the developer only shares commits of others have figures, but no commits.
                return (
                    f"{counted_rows.repositories(visible)} union all select * replace (null::varchar as head_sha, "
                    "0::bigint as commit_count, 0::bigint as delivered_commit_count, 0::bigint as developer_count, "
                    "null::timestamptz as first_delivered_at, null::timestamptz as last_delivered_at) "
                    "from repositories where position in "
                    f"(select repository_number from people_of_months where {visible}) "
                    f"and position not in (select repository_number from commit_counts where {visible})"
                )
            case "teams":
                return (
                    "select * from teams where team_id in "
                    f"(select team_id from team_members where developer_id = {own})"
                )
            case "commit_credits":
                return f"select * from commit_credits where developer_id = {own} and commit_id in {commits}"
            case "commit_origins":
                return f"select * from commit_origins where commit_id in {commits} and origin_commit_id in {commits}"
        reason = (
            "sums over several people" if name in OF_SEVERAL else "nothing says what of it is somebody's own"
        )
        raise LookupError(f"{name}: {reason}")
