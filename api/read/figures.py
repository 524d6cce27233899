"""Metrics per repository, developer, team or category over a range, as SQL that lists and series build on.

What is left out of figures is decided here: bots count on their own lines only, sandboxes only where one is asked
for by id. Ratios come from sums over the same rows; performance from the published periods.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from api.read.columns import Column, Kind
from api.read.groups import REASON, hidden
from api.read.metrics import METRICS, Metric, aggregates, performance_sql
from api.read.ordering import TRUE, Condition, both, days, one_of
from api.read.periods import Range, whole_period
from api.read.scope import Scope
from api.warehouse import Build

NOBODY = Condition("false")
# Why all metrics of a row are null.
SUPPRESSED_REASON = Column("suppressed_reason", Kind.ENUM, "suppressed_reason", nullable=True)

# Days up to which everybody's figures are read faster from the table sorted by day, of which only the range is
# looked at, than from the smaller one sorted by whose they are (12 weeks of 5 years: 12 ms instead of 49).
SORTED_BY_DAY_WINS = 366


@dataclass(frozen=True, slots=True)
class Slice:
    """Which daily rows are meant; empty means all."""

    days: Range
    repositories: tuple[str, ...] = ()
    developers: tuple[str, ...] = ()
    teams: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    with_bots: bool = False
    with_sandboxes: bool = False

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
        if not self.with_sandboxes and not self.repositories:
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


@dataclass(frozen=True, slots=True)
class Entity:
    """A resource with figures: its table, its key in daily rows, what of its own rows is left out."""

    kind: str
    table: str
    key: str
    with_bots: bool
    with_sandboxes: bool
    # Which of its rows a total over many of them leaves out; None where rows contain others, so that none can be made.
    outside_totals: str | None

    def slice(self, days: Range) -> Slice:
        """The daily rows behind the figures of these entities."""
        return Slice(days, with_bots=self.with_bots, with_sandboxes=self.with_sandboxes)


REPOSITORIES = Entity("repository", "repositories", "repository_id", False, True, "is_sandbox")
DEVELOPERS = Entity("developer", "developers", "developer_id", True, False, "is_bot")
TEAMS = Entity("team", "teams", "team_id", False, False, None)


def figures_sql(
    scope: Scope,
    piece: Slice,
    group: str,
    chosen: Iterable[Metric] = METRICS.values(),
    only: Condition = TRUE,
) -> Condition:
    """A query with one row per value of `group`, of those that `only` leaves, and a column per chosen metric.

    Performance excepted.
    """
    condition = both(piece.condition, only)
    return Condition(
        f"select {group}, {aggregates(chosen)} from {scope.table(piece.table(group))} "
        f"where {condition.sql} group by {group}",
        condition.parameters,
    )


def hidden_condition(build: Build, scope: Scope, entity: Entity, days: Range) -> Condition:
    """Condition on those entities whose figures over the range too few people made."""
    if scope.has_individuals:
        return NOBODY
    if entity is DEVELOPERS:
        return TRUE
    few = sorted(hidden(build, scope, entity.kind, days))
    # One parameter: thousands of literals would take longer to parse than to look up.
    return (
        Condition(f"{entity.key} in (select unnest(string_split(?, ',')))", (",".join(few),))
        if few
        else NOBODY
    )


def listed_sql(
    build: Build,
    scope: Scope,
    entity: Entity,
    days: Range,
    *,
    ids: Sequence[str] | None = None,
    named: str | None = None,
) -> Condition:
    """A query with every entity, its own columns and its metrics over the range; without work they are 0 or null.

    All metrics are null, and `suppressed_reason` is not, where too few people made them. With `ids` only of those;
    metrics that the SQL `named` does not name are left out.
    """
    only = TRUE if ids is None else one_of(entity.key, ids)
    chosen = [metric for metric in METRICS.values() if named is None or is_named(metric.name, named)]
    summed = [metric for metric in chosen if metric.expression is not None]
    parts: list[str] = []
    joins, columns = "", ""
    parameters: tuple[Any, ...] = ()
    if summed:
        figures = figures_sql(scope, entity.slice(days), entity.key, summed, only)
        parts.append(f"figures as ({figures.sql})")
        joins += f" left join figures on figures.{entity.key} = entities.{entity.key}"
        parameters = figures.parameters
    if len(summed) < len(chosen):
        parts.append(f"performed as ({performance_of(scope, entity.kind, days, ids)})")
        joins += f" left join performed on performed.entity_id = entities.{entity.key}"
    for metric in chosen:
        if metric.expression is None:
            columns += f", performed.{metric.name}"
        elif metric.nullable:
            columns += f", figures.{metric.name}"
        else:
            columns += f", coalesce(figures.{metric.name}, 0) as {metric.name}"
    few = hidden_condition(build, scope, entity, days)
    parts.append(
        f"listed as (select entities.*{columns}, {_of_entities(few, entity)} as is_hidden "
        f"from {scope.table(entity.table)} as entities{joins} where {_of_entities(only, entity)})"
    )
    return Condition(
        f"with {', '.join(parts)} {_shown(few, [metric.name for metric in chosen])}",
        (*parameters, *few.parameters),
    )


def is_named(column: str, sql: str) -> bool:
    """Whether SQL names a column; texts of callers are parameters, so none is taken for one."""
    return re.search(rf"\b{column}\b", sql) is not None


def _of_entities(only: Condition, entity: Entity) -> str:
    return only.sql.replace(entity.key, f"entities.{entity.key}", 1)


def _shown(few: Condition, metrics: Sequence[str]) -> str:
    if few is NOBODY:
        return "select * exclude (is_hidden), null::varchar as suppressed_reason from listed"
    nulls = ", ".join(f"case when not is_hidden then {name} end as {name}" for name in metrics)
    replaced = f" replace ({nulls})" if nulls else ""
    return (
        f"select * exclude (is_hidden){replaced}, case when is_hidden then '{REASON}' end as suppressed_reason "
        "from listed"
    )


def performance_of(scope: Scope, kind: str, days: Range, ids: Sequence[str] | None = None) -> str:
    """A query with the performance over the range of every entity of a kind, or of those of these ids.

    A range that is a published period has that period's figure. Any other is judged by its whole weeks, against the
    reference of the last of them; a range without a whole week has none.
    """
    table, reference = scope.table("performance_by_period"), scope.table("performance_reference")
    only = f"entity_kind = '{kind}'" + ("" if ids is None else f" and {one_of('entity_id', ids).sql}")
    period = whole_period(days)
    if period is not None:
        name, start = period
        return (
            f"select entity_id, cast(performance as double) as performance from {table} "
            f"where {only} and period = '{name}' and period_start = date '{start}'"
        )
    if not scope.has_individuals:
        # The weeks of a range are not all of its days, and the difference may be one person's.
        return "select null::varchar as entity_id, null::double as performance where false"
    weeks = f"period = 'week' and period_start >= date '{days.first}' and period_end <= date '{days.last}'"
    ratio = performance_sql(
        "sum(etv_micro)", "sum(developer_weeks)", "any_value(per_week)", "any_value(weeks_behind)"
    )
    return (
        "select entity_id, cast(" + ratio + " as double) as performance from "
        f"(select * from {table} where {only} and {weeks}) as own, "
        "(select reference_etv_per_week_micro as per_week, reference_developer_weeks as weeks_behind "
        f"from {reference} where {weeks} order by period_start desc limit 1) as reference "
        "group by entity_id"
    )
