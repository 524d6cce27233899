"""Figures of every repository, developer or team over a range, from sums over days, months and years.

Lists keep them in memory per build, scope and range (api/held.py); one entity is asked for by itself. What is left
out and what is hidden is decided in figures.py and groups.py.
"""

from collections.abc import Mapping
from contextlib import ExitStack

from api.read.columns import Column
from api.read.figures import DEVELOPERS, NOBODY, TEAMS, Entity, hidden_condition
from api.read.groups import REASON
from api.read.metrics import MEASURES, METRICS, performance_sql
from api.read.ordering import Condition, both
from api.read.ordering import days as on_days
from api.read.periods import Range, parts_of, whole_period
from api.read.scope import Scope
from api.warehouse import Build

_TOTALS = ", ".join(f"sum({name})::bigint as {name}" for name in MEASURES)


def range_sql(build: Build, scope: Scope, entity: Entity, days: Range, place: int | None = None) -> Condition:
    """A query with a row per entity that has figures over the range, or is hidden; with `place` only of that one.

    Columns: `place`; the sum of each measure; `is_outside`, whether totals leave it out; `performance`; `is_hidden`.
    """
    few = hidden_condition(build, scope, entity, days) if entity is not DEVELOPERS else NOBODY
    hidden = f"select position as place from {entity.table} where {few.sql}"
    measures = ", ".join(f"coalesce(summed.{name}, 0) as {name}" for name in MEASURES)
    only = "" if place is None else f" where place = {place}"
    return Condition(
        f"select place, {measures}, coalesce(summed.is_outside, false) as is_outside, performed.performance, "
        f"hidden.place is not null as is_hidden from ({_summed(build, scope, entity, days, place)}) as summed "
        f"full join ({performance_of(build, scope, entity, days, place)}) as performed using (place) "
        f"full join ({hidden}) as hidden using (place){only}",
        few.parameters,
    )


def listed_sql(scope: Scope, entity: Entity, entities: str, figures: str) -> str:
    """A query with every row of `entities` and its metrics of `figures`; without work they are 0 or null.

    All metrics are null, and `suppressed_reason` is not, where too few people made them.
    """
    is_hidden = "figures.is_hidden"
    if scope.has_individuals:
        is_hidden = "false"
    elif entity is DEVELOPERS:
        is_hidden = "true"
    columns = []
    for metric in METRICS.values():
        value = metric.formula or f"figures.{metric.name}"
        if not metric.nullable:
            value = f"coalesce({value}, 0)"
        if not scope.has_individuals:
            value = f"case when not coalesce({is_hidden}, false) then {value} end"
        columns.append(f"{value} as {metric.name}")
    return (
        f"select entities.*, {', '.join(columns)}, "
        f"case when {is_hidden} then '{REASON}' end as suppressed_reason "
        f"from {entities} as entities left join {figures} as figures on figures.place = entities.position"
    )


def held_list(
    stack: ExitStack, build: Build, scope: Scope, entity: Entity, columns: Mapping[str, Column], days: Range
) -> tuple[str, str]:
    """As `listed_sql`, of what memory keeps of the scope and the range to the end of `stack`; and the figures alone."""
    entities = entity.table
    if not scope.is_whole:
        own = [column.sql for column in columns.values() if column.sql not in _MADE]
        entities = stack.enter_context(
            build.held.table(f"select position, {', '.join(own)} from {scope.table(build, entity.table)}")
        )
    asked = range_sql(build, scope, entity, days)
    figures = stack.enter_context(build.held.table(asked.sql, asked.parameters))
    return listed_sql(scope, entity, entities, figures), figures


def totals_sql(figures: str, places: Condition) -> Condition:
    """A query with one row: every metric over the rows of `figures` that count in totals and are of these places."""
    metrics = ", ".join(f"{metric.formula} as {metric.name}" for metric in METRICS.values() if metric.formula)
    sums = f"select {_TOTALS} from {figures} where not is_outside and {places.sql}"
    filled = ", ".join(f"coalesce({name}, 0) as {name}" for name in MEASURES)
    return Condition(f"select {metrics} from (select {filled} from ({sums}))", places.parameters)


def performance_of(build: Build, scope: Scope, entity: Entity, days: Range, place: int | None = None) -> str:
    """A query with the performance over the range of every entity of a kind, or of that at one place.

    A range that is a published period has that period's figure. Any other is judged by its whole weeks, against the
    reference of the last of them; a range without a whole week has none.
    """
    table = scope.table(build, "performance_by_period", days)
    only = f"entity_kind = '{entity.kind}'" + ("" if place is None else f" and entity_place = {place}")
    period = whole_period(days)
    if period is not None:
        name, start = period
        return (
            f"select entity_place as place, cast(performance as double) as performance from {table} "
            f"where {only} and period = '{name}' and period_start = date '{start}'"
        )
    if not scope.has_individuals:
        # The weeks of a range are not all of its days, and the difference may be one person's.
        return "select null::integer as place, null::double as performance where false"
    weeks = f"period = 'week' and period_start >= date '{days.first}' and period_end <= date '{days.last}'"
    ratio = performance_sql(
        "sum(etv_micro)", "sum(developer_weeks)", "any_value(per_week)", "any_value(weeks_behind)"
    )
    return (
        f"select entity_place as place, cast({ratio} as double) as performance from "
        f"(select * from {table} where {only} and {weeks}) as own, "
        "(select reference_etv_per_week_micro as per_week, reference_developer_weeks as weeks_behind "
        f"from {scope.table(build, 'performance_reference')} where {weeks} order by period_start desc limit 1) "
        "as reference group by entity_place"
    )


_MADE = {metric.name for metric in METRICS.values()} | {"suppressed_reason"}


def _summed(build: Build, scope: Scope, entity: Entity, days: Range, place: int | None) -> str:
    key, rows = f"{entity.kind}_place", scope.table(build, f"{entity.kind}_periods")
    outside = entity.outside_totals or "false"
    conditions = [] if entity.with_bots else [Condition("not is_bot")]
    if not entity.with_sandboxes:
        conditions.append(Condition("not is_sandbox"))
    if place is not None and entity is not TEAMS:
        conditions.append(Condition(f"{key} = {place}"))
    stretches = " union all ".join(
        f"select * from {rows} where period = '{interval.sql}' "
        f"and {both(on_days('period_start', part.first, part.last), *conditions).sql}"
        for interval, part in parts_of(days)
    )
    sums = f"select {key} as place, bool_or({outside}) as is_outside, {_TOTALS} from ({stretches}) group by {key}"
    if entity is not TEAMS:
        return sums
    return (
        f"select ancestor_place as place, false as is_outside, {_TOTALS} from ({sums}) as own "
        f"join {scope.table(build, 'team_lines')} as lines on lines.team_place = own.place group by ancestor_place"
    )
