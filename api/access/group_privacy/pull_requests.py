"""The figures of pull requests that stay hidden because too few people opened the pull requests.

The rules are those of groups.py, with the authors of merged pull requests in place of the people with counted work.
Each month is decided by itself. Accounts of no known developer count together as one person.
"""

from collections import defaultdict
from collections.abc import Hashable
from datetime import date

from api.access.group_privacy.groups import months_of
from api.access.group_privacy.trees import hidden_with_few
from api.access.row_access import RowAccess
from api.query.periods import Range
from api.snapshot.build import Build

_UNKNOWN = "unknown"


def hidden_pull_requests(build: Build, access: RowAccess, kind: str, days: Range) -> frozenset[str]:
    """Ids of the teams, repositories or organization (`kind`) with hidden figures over the range."""
    if access.has_individuals:
        return frozenset()
    found: frozenset[str] = frozenset()
    for month in months_of(days):
        found |= _hidden_in(build, access, kind, month)
    return found


def _hidden_in(build: Build, access: RowAccess, kind: str, month: date) -> frozenset[str]:
    def find(build: Build) -> frozenset[str]:
        own = _authors(build, access, kind, month, is_sandbox=False)
        few = hidden_with_few(build, access, kind, own)
        if kind != "repository":
            return few
        # A sandbox is in no total, so that nothing can be subtracted from one.
        sandboxes = _authors(build, access, kind, month, is_sandbox=True)
        return few | {
            key for key, people in sandboxes.items() if key and len(people) < access.minimum_group_size
        }

    return build.remembered(f"hidden pull requests {access.rows_key} {kind} {month}", find)


def _authors(
    build: Build, access: RowAccess, kind: str, month: date, *, is_sandbox: bool
) -> dict[str | None, set[Hashable]]:
    column = {"team": "team_id", "repository": "repository_id", "organization": "null"}[kind]
    rows = build.rows(
        f"select distinct {column} as key, coalesce(developer_id, '{_UNKNOWN}') as person "
        f"from {access.table(build, 'merged_pull_requests')} "
        f"where date_trunc('month', merged_on) = date '{month}' and not is_bot and is_sandbox = {is_sandbox}"
    )
    found: dict[str | None, set[Hashable]] = defaultdict(set)
    for row in rows:
        found[row["key"]].add(row["person"])
    return found
