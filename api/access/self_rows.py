"""The published rows of one person's own work, in every team.

Add: the query of a table that declares `self: query` (declared_access.py). Only row_access.py uses this module. The
key is a UUID made of the account's verified address.
"""

from dataclasses import dataclass

from api.access import counted_rows, declared_access, plan_rows
from api.query.columns import id_literals

# Sums over several people. They have no rows of one person, and an empty answer would look like no work.
OF_SEVERAL = declared_access.tables_where(own="several")


@dataclass(frozen=True, slots=True)
class OwnRows:
    """The rows of the developer that a key finds."""

    key: str

    def table(self, name: str) -> str:
        """SQL in parentheses, or the name of a table without personal rows."""
        rule = declared_access.of_table(name).own
        if rule.kind == "open":
            return rule.table
        return f"({self._sql(rule.kind, rule.table)})"

    @property
    def _key(self) -> str:
        literals = id_literals([self.key])
        return literals[0] if literals else "null"

    @property
    def _own(self) -> str:
        return f"(select developer_id from developer_identities where own_developer_id = {self._key})"

    def _sql(self, kind: str, table: str) -> str:
        own = self._own
        match kind:
            case "developer":
                return f"select * from {table} where developer_id = {own}"
            case "number":
                return f"select * from {table} where developer_number = {self._number}"
            case "commit":
                return f"select * from {table} where commit_id in {self._commits}"
            case "entity":
                return f"select * from {table} where entity_kind = 'developer' and entity_id = {own}"
            case "query":
                return self._query(table)
            case "several":
                raise LookupError(f"{table}: sums over several people")
        return f"select * from {table} where false"

    @property
    def _number(self) -> str:
        return f"(select position from developers where developer_id = {self._own})"

    @property
    def _commits(self) -> str:
        return f"(select commit_id from commit_numbers where developer_id = {self._own})"

    def _query(self, table: str) -> str:
        key, own, commits = self._key, self._own, self._commits
        work = f"developer_id = {own}"
        match table:
            # Of trackers: those that one's own work reaches, with the figures of this work.
            case "objectives":
                visible = f"objective_id in (select objective_id from objective_days where {work})"
                return plan_rows.objectives(visible, work)
            case "issues":
                return plan_rows.issues(f"issue_id in (select item_id from commit_issues where {work})", work)
            case "developer_identities":
                return f"select * from developer_identities where own_developer_id = {key}"
            case "developers":
                return (
                    "select * replace (merge_suggestions[:0] as merge_suggestions) "
                    f"from developers where developer_id = {own}"
                )
            case "repositories":
                visible = f"developer_number = {self._number}"
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
        raise LookupError(f"{table}: no query for somebody's own rows")
