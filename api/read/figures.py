"""Metrics per repository, developer, team or category over a range, as SQL that lists and series build on.

What is left out of figures is decided here: bots count on their own lines only, sandboxes only where one is asked
for by id. Ratios come from sums over the same rows; performance from the published periods.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from api.read.columns import Column, Kind
from api.read.groups import REASON, hidden
from api.read.metrics import METRICS, Metric, aggregates, performance_sql
from api.read.ordering import Condition, both, days, one_of
from api.read.periods import Range, whole_period
from api.read.scope import Scope
from api.warehouse import Build

METRIC_NAMES = [metric.name for metric in METRICS.values()]
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
            return "team_daily"
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
    scope: Scope, piece: Slice, group: str, chosen: Iterable[Metric] = METRICS.values()
) -> Condition:
    """A query with one row per value of `group` and a column per chosen metric, performance excepted."""
    condition = piece.condition
    return Condition(
        f"select {group}, {aggregates(chosen)} from {scope.table(piece.table(group))} "
        f"where {condition.sql} group by {group}",
        condition.parameters,
    )


def hidden_condition(build: Build, scope: Scope, entity: Entity, days: Range) -> str:
    """SQL for those entities whose figures over the range too few people made."""
    if scope.has_individuals:
        return "false"
    if entity is DEVELOPERS:
        return "true"
    return one_of(entity.key, hidden(build, scope, entity.kind, days)).sql


def listed_sql(build: Build, scope: Scope, entity: Entity, days: Range) -> Condition:
    """A query with every entity, its own columns and its metrics over the range; without work they are 0 or null.

    All metrics are null, and `suppressed_reason` is not, where too few people made them.
    """
    figures = figures_sql(scope, entity.slice(days), entity.key)
    additive = ", ".join(
        f"figures.{m.name}" if m.nullable else f"coalesce(figures.{m.name}, 0) as {m.name}"
        for m in METRICS.values()
        if m.expression is not None
    )
    return Condition(
        f"with figures as ({figures.sql}), performed as ({performance_of(scope, entity.kind, days)}), "
        f"listed as (select entities.*, {additive}, performed.performance "
        f"from {scope.table(entity.table)} as entities left join figures using ({entity.key}) "
        f"left join performed on performed.entity_id = entities.{entity.key}) "
        + _shown(hidden_condition(build, scope, entity, days)),
        figures.parameters,
    )


def _shown(is_hidden: str) -> str:
    if is_hidden == "false":
        return "select *, null::varchar as suppressed_reason from listed"
    nulls = ", ".join(f"case when not is_hidden then {name} end as {name}" for name in METRIC_NAMES)
    # Told once per row, as the list may be long.
    return (
        f"select * exclude (is_hidden) replace ({nulls}), case when is_hidden then '{REASON}' end as suppressed_reason "
        f"from (select *, {is_hidden} as is_hidden from listed) as told"
    )


def performance_of(scope: Scope, kind: str, days: Range) -> str:
    """A query with the performance over the range of every entity of a kind.

    A range that is a published period has that period's figure. Any other is judged by its whole weeks, against the
    reference of the last of them; a range without a whole week has none.
    """
    table, reference = scope.table("performance"), scope.table("performance_reference")
    period = whole_period(days)
    if period is not None:
        name, start = period
        return (
            f"select entity_id, cast(performance as double) as performance from {table} "
            f"where entity_kind = '{kind}' and period = '{name}' and period_start = date '{start}'"
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
        f"(select * from {table} where entity_kind = '{kind}' and {weeks}) as own, "
        "(select reference_etv_per_week_micro as per_week, reference_developer_weeks as weeks_behind "
        f"from {reference} where {weeks} order by period_start desc limit 1) as reference "
        "group by entity_id"
    )
