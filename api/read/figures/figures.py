"""Metrics per repository, developer, team or category over a range, as SQL for time series.

This module decides which rows count: bots count only in rows of their own, sandboxes only when selected by id. Ratios
come from sums over the same rows; performance comes from the published periods.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from api.access.group_privacy.groups import hidden, hidden_splits
from api.access.row_access import NO_INDIVIDUALS, RowAccess
from api.errors import PermissionDenied
from api.presentation.metrics import Metric, aggregates
from api.query.conditions import TRUE, Condition, both, days, one_of
from api.query.periods import Range
from api.read.entities import DEVELOPERS, REPOSITORIES, TEAMS, Entity
from api.read.ids import visible_ids
from api.snapshot.build import Build

NOBODY = Condition("false")

# Up to this many days, figures of all entities are read faster from the table sorted by day, by its range alone, than
# from the smaller one sorted by entity (12 weeks of 5 years: 12 ms instead of 49).
SORTED_BY_DAY_WINS = 366


@dataclass(frozen=True, slots=True)
class Slice:
    """The requested daily rows; empty means all."""

    days: Range
    repositories: tuple[str, ...] = ()
    developers: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    with_bots: bool = False

    @property
    def condition(self) -> Condition:
        """Condition on daily rows."""
        conditions = [days("delivered_on", self.days.first, self.days.last)]
        if self.repositories:
            conditions.append(one_of("repository_id", self.repositories))
        if self.developers:
            conditions.append(one_of("developer_id", self.developers))
        if self.teams:
            conditions.append(one_of("team_id", self.teams))
        if self.categories:
            marks = ", ".join("?" * len(self.categories))
            conditions.append(Condition(f"category in ({marks})", self.categories))
        if not self.with_bots:
            conditions.append(Condition("not is_bot"))
        if not self.repositories:
            conditions.append(Condition("not is_sandbox"))
        return both(*conditions)

    def table(self, group: str | None) -> str:
        """The daily table with the columns this slice and grouping need that reads the fewest rows."""
        if self.teams or group == "team_id":
            whole = not (self.teams or self.repositories or self.developers)
            return "team_days" if whole else "team_daily"
        by_repository = bool(self.repositories) or group == "repository_id"
        by_developer = bool(self.developers) or group == "developer_id"
        named = bool(self.repositories) or bool(self.developers)
        grouped = group in ("repository_id", "developer_id")
        if (by_repository and by_developer) or (
            grouped and not named and self.days.length <= SORTED_BY_DAY_WINS
        ):
            return "daily"
        if by_repository:
            return "daily_by_repository"
        return "daily_by_developer" if by_developer else "daily_totals"


def figures_sql(
    build: Build,
    access: RowAccess,
    piece: Slice,
    group: str,
    chosen: Iterable[Metric],
) -> Condition:
    """A query with one row per value of `group` and a column per chosen metric, performance excepted."""
    condition = piece.condition
    return Condition(
        f"select {group}, {aggregates(chosen)} from {access.table(build, piece.table(group))} "
        f"where {condition.sql} group by {group}",
        condition.parameters,
    )


def hidden_condition(
    build: Build, access: RowAccess, entity: Entity, days: Range, *, by_category: bool = False
) -> Condition:
    """The condition for entities whose figures (all, or those by category) too few people made over the range."""
    if access.has_individuals:
        return NOBODY
    if entity is DEVELOPERS:
        return TRUE
    few = sorted((hidden_splits if by_category else hidden)(build, access, entity.kind, days))
    # One parameter: thousands of literals would take longer to parse than to look up.
    return (
        Condition(f"{entity.key} in (select unnest(string_split(?, ',')))", (",".join(few),))
        if few
        else NOBODY
    )


def visible_slice(build: Build, access: RowAccess, asked: Slice) -> Slice:
    """The slice under the ids that the build has. Raises as `visible_ids`."""
    return replace(
        asked,
        repositories=visible_ids(build, access, REPOSITORIES, asked.repositories),
        developers=visible_ids(build, access, DEVELOPERS, asked.developers),
        teams=visible_ids(build, access, TEAMS, asked.teams),
    )


def refuse_fine(access: RowAccess, piece: Slice, group: str | None) -> None:
    """Raises PermissionDenied for figures that the minimum group size does not allow."""
    if access.has_individuals:
        return
    if piece.developers or group == "DEVELOPER":
        raise PermissionDenied(NO_INDIVIDUALS)
    if (piece.teams or group == "TEAM") and (piece.repositories or group == "REPOSITORY"):
        raise PermissionDenied(
            "this organization hides figures of few people, so a request cannot combine teams with repositories; "
            "select only teams or only repositories"
        )
