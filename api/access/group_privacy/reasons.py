"""Hides splits by reason that would reveal the work of fewer people than the minimum group size.

A month hides the split of a team, a repository or the organization as soon as one of its parts (counted work is a
part too) is the work of too few people, or can be computed from shown parts. A range hides a split that one of its
months hides. Keep out: figures that are hidden as a whole (groups.py).
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date

from api.access.group_privacy.hiding import hide, people_of
from api.access.row_access import RowAccess
from api.query.periods import Range
from api.snapshot.build import Build

_People = dict[tuple[date, str | None], dict[str | None, set[str]]]


@dataclass(frozen=True, slots=True)
class HiddenSplits:
    """The teams and repositories with a hidden split, and whether the split of all work is hidden."""

    teams: frozenset[str] = frozenset()
    repositories: frozenset[str] = frozenset()
    is_whole_hidden: bool = False

    def covers(self, repositories: Collection[str], teams: Collection[str]) -> bool:
        """Whether the split is hidden for these repositories or teams, or for all work if none are given."""
        if repositories or teams:
            return not self.repositories.isdisjoint(repositories) or not self.teams.isdisjoint(teams)
        return self.is_whole_hidden


def hidden_splits(build: Build, access: RowAccess, days: Range) -> HiddenSplits:
    """The splits that are hidden over whole months; none if the access shows figures of single people."""
    if access.has_individuals:
        return HiddenSplits()
    key = f"hidden splits {access.rows_key} {days.first} {days.last}"
    return build.remembered(key, lambda found: _find(found, access, days))


def _find(build: Build, access: RowAccess, days: Range) -> HiddenSplits:
    rows = build.rows(
        "select distinct date_trunc('month', delivered_on)::date as month, zero_reason, team_id, repository_id, "
        f"developer_id, is_sandbox from {access.table(build, 'zero_reason_days', days)} "
        f"where not is_bot and delivered_on between date '{days.first}' and date '{days.last}'"
    )
    tree = build.rows(f"select team_id, parent_id from {access.table(build, 'teams')}")
    parents = {row["team_id"]: row["parent_id"] for row in tree}
    teams: _People = defaultdict(lambda: defaultdict(set))
    repositories: _People = defaultdict(lambda: defaultdict(set))
    sandboxes: _People = defaultdict(lambda: defaultdict(set))
    for row in rows:
        part = (row["month"], row["zero_reason"])
        if row["is_sandbox"]:
            sandboxes[part][row["repository_id"]].add(row["developer_id"])
        else:
            teams[part][row["team_id"]].add(row["developer_id"])
            repositories[part][row["repository_id"]].add(row["developer_id"])
    few = {
        str(key)
        for own in sandboxes.values()
        for key, people in own.items()
        if len(people) < access.minimum_group_size
    }
    return HiddenSplits(
        frozenset().union(
            *(hide(parents, people_of(own), access.minimum_group_size) for own in teams.values())
        ),
        frozenset(few).union(
            *(_hidden_repositories(own, access.minimum_group_size) for own in repositories.values())
        ),
        any(len(set().union(*own.values())) < access.minimum_group_size for own in repositories.values()),
    )


def _hidden_repositories(own: Mapping[str | None, set[str]], minimum_group_size: int) -> frozenset[str]:
    return hide({str(key): None for key in own}, people_of(own), minimum_group_size)
