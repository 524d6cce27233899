"""Figures of every repository, developer or team over a range, summed from days, months and years.

Lists cache them per build, row access and range (snapshot/table_cache.py); a single entity is read without the cache.
Keep out: which rows count (figures.py), which figures stay hidden (access/group_privacy).
"""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from api.access.group_privacy.groups import REASON
from api.access.group_privacy.usage import hidden_usage
from api.access.row_access import RowAccess
from api.presentation.metrics import MEASURES, METRICS, formulas
from api.presentation.performance import MIN_REFERENCE_WEEKS, performance_sql
from api.presentation.usage_measures import USAGE
from api.query.columns import Column
from api.query.conditions import TRUE, Condition, both, one_of
from api.query.conditions import days as on_days
from api.query.periods import Range, parts_of, whole_period
from api.read.entities import DEVELOPERS, TEAMS, Entity
from api.read.figures.figures import NOBODY, hidden_condition
from api.read.figures.usage import SUMS, usage_of_entities
from api.snapshot.build import Build, Row
from api.snapshot.table_cache import Query

_WORK = ", ".join(f"sum({name})::bigint as {name}" for name in MEASURES)
# Work without rows is zero, usage without rows is unknown.
_FILLED = ", ".join(f"coalesce({name}, 0) as {name}" for name in MEASURES)
# The columns of a list that come from figures over a range.
MADE = frozenset(metric.name for metric in METRICS.values()) | {
    "suppressed_reason",
    "performance_missing_reason",
}
NO_COMPARISON = "no_comparison_yet"
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class CachedList:
    """A list over a range as memory keeps it: tables with the visible entities, and with their figures."""

    access: RowAccess
    entity: Entity
    entities: str
    figures: str

    def sql(self, named: str) -> str:
        """A query with every row and those of its metrics that the SQL `named` names."""
        return listed_sql(self.access, self.entity, self.entities, self.figures, named)

    def entities_of(self, row_numbers: Sequence[int]) -> str:
        """A query for the rows with these row numbers, without metrics."""
        return f"select * from {self.entities} where position in ({_literals(row_numbers)})"

    def metrics_of(self, row_numbers: Sequence[int]) -> str:
        """A query with the `position` and all metrics of those with these row numbers that have any."""
        metrics, wanted = ", ".join(_metrics(self.access, self.entity, MADE)), _literals(row_numbers)
        return f"select row_number as position, {metrics} from {self.figures} as figures where row_number in ({wanted})"

    @property
    def metrics_of_none(self) -> str:
        """A query with one row: the metrics of an entity without figures."""
        return listed_sql(self.access, self.entity, "(select null::integer as position)", self.figures)

    def totals(self, condition: Condition, *, has_usage: bool) -> Condition:
        """A query with one row: every other metric over all that counts in totals, or over the rows of a condition."""
        which = ""
        if condition is not TRUE:
            chosen = f"select position from ({self.sql(condition.sql)}) as listed where {condition.sql}"
            which = f" and row_number in ({chosen})"
        sums = f"select {_WORK}, {SUMS} from {self.figures} where not is_outside{which}"
        usage = ", ".join(name if has_usage else f"null::bigint as {name}" for name in USAGE)
        return Condition(
            f"select {formulas()} from (select {_FILLED}, {usage} from ({sums}))", condition.parameters
        )


@contextmanager
def cached_list(
    build: Build,
    access: RowAccess,
    entity: Entity,
    columns: Mapping[str, Column],
    searched: Sequence[str],
    days: Range,
) -> Iterator[CachedList]:
    """The list of a row access over a range, which exists until the end of the block.

    Beside its columns each row has its `position`, and as `searched` the text in which words are looked for.
    """

    def entities() -> Query:
        own = ", ".join(column.sql for column in columns.values() if column.sql not in MADE)
        text = " || chr(10) || ".join(f"coalesce(lower({column}), '')" for column in searched)
        return f"select position, {own}, {text} as searched from {access.table(build, entity.table)}", ()

    def figures() -> Query:
        asked = range_sql(build, access, entity, days)
        return asked.sql, asked.parameters

    seen = (access.rows_key, entity.kind)
    with (
        build.tables.table(
            ("entities", *seen, *columns, *searched), entities, key="position"
        ) as all_entities,
        build.tables.table(("figures", *seen, days), figures) as all_figures,
    ):
        yield CachedList(access, entity, all_entities, all_figures)


def range_sql(
    build: Build, access: RowAccess, entity: Entity, days: Range, row_number: int | None = None
) -> Condition:
    """A query with a row per entity that has figures over the range or is hidden; `row_number` selects one entity.

    Columns: `row_number`; the sum of each measure; `is_outside` (totals leave it out); `performance`;
    `performance_gap`, why nobody has one (a constant, null if somebody may have); `is_hidden`;
    `is_unsplit`, whether the figures by category are hidden. All but the first and the last two are null where there
    is nothing of their kind.
    """
    figures = _with_usage(build, access, entity, days, row_number)
    performed = _performed(build, access, entity, days, row_number)
    if performed is None:
        figures = f"select *, null::double as performance from ({figures})"
    else:
        figures = (
            f"select * from ({figures}) as summed full join ({performed}) as performed using (row_number)"
        )
    gap = _performance_gap(build, access, days)
    constant = "null::varchar" if gap is None else f"'{gap}'"
    figures = f"select *, {constant} as performance_gap from ({figures})"
    # Single developers are never hidden here: a minimum group size closes all their figures.
    unsplit = (
        NOBODY if entity is DEVELOPERS else hidden_condition(build, access, entity, days, by_category=True)
    )
    if unsplit is NOBODY:
        return Condition(f"select *, false as is_hidden, false as is_unsplit from ({figures})")
    few = hidden_condition(build, access, entity, days)
    only = "" if row_number is None else f" where row_number = {row_number}"
    return Condition(
        "select row_number, figures.* exclude (row_number), coalesce(hidden.is_few, false) as is_hidden, "
        f"hidden.row_number is not null as is_unsplit from ({figures}) as figures full join ("
        f"select position as row_number, {few.sql} as is_few from {entity.table} where {unsplit.sql}"
        f") as hidden using (row_number){only}",
        (*few.parameters, *unsplit.parameters),
    )


def listed_sql(
    access: RowAccess, entity: Entity, entities: str, figures: str, named: str | None = None
) -> str:
    """A query with every row of `entities` and its metrics of `figures`; without work they are 0 or null.

    All metrics are null, and `suppressed_reason` is not, where too few people made them. With the SQL `named` only
    metrics that this names; texts of callers are parameters, so none is taken for one.
    """
    metrics = _metrics(access, entity, MADE if named is None else set(_WORD.findall(named)))
    # The database cannot know that a join which nothing asks for would neither add nor remove a row.
    joined = f" left join {figures} as figures on figures.row_number = entities.position" if metrics else ""
    return f"select {', '.join(['entities.*', *metrics])} from {entities} as entities{joined}"


def _metrics(access: RowAccess, entity: Entity, words: Container[str]) -> list[str]:
    """SQL for the named metrics of a row of `figures`."""
    is_hidden = "figures.is_hidden"
    if access.has_individuals:
        is_hidden = "false"
    elif entity is DEVELOPERS:
        is_hidden = "true"
    columns = []
    for metric in METRICS.values():
        if metric.name not in words:
            continue
        value = metric.of_sums or "figures.performance"
        if not metric.nullable:
            value = f"coalesce({value}, 0)"
        if not access.has_individuals:
            closed = "figures.is_unsplit" if metric.is_split and entity is not DEVELOPERS else is_hidden
            value = f"case when not coalesce({closed}, false) then {value} end"
        columns.append(f"{value} as {metric.name}")
    if "performance_missing_reason" in words:
        reason = f"coalesce(figures.performance_gap, {_unseen(access, entity)}, 'no_etv')"
        columns.append(
            f"case when not coalesce({is_hidden}, false) and figures.performance is null "
            f"then {reason} end as performance_missing_reason"
        )
    if "suppressed_reason" in words:
        columns.append(f"case when {is_hidden} then '{REASON}' end as suppressed_reason")
    return columns


def _unseen(access: RowAccess, entity: Entity) -> str:
    """SQL for why there is no performance of delivered work: it would contain the work of others. Else null.

    Leads see all work of their teams.
    """
    is_part = access.is_narrowed and entity is not TEAMS
    return "case when figures.etv_micro > 0 then 'not_seen' end" if is_part else "null"


def _performed(
    build: Build, access: RowAccess, entity: Entity, days: Range, row_number: int | None
) -> str | None:
    """A query with the performance over the range of every entity of a kind, or of the one with that row number.

    A range that is a published period has that period's figure. Any other is judged by its whole weeks, against the
    reference of the first of them; a range without a whole week has none, and then there is no query.
    """
    table = access.table(build, "performance_by_period", days)
    only = f"entity_kind = '{entity.kind}'"
    if row_number is not None:
        only += f" and entity_number = {row_number}"
    period = whole_period(days)
    if period is not None:
        name, start = period
        return (
            f"select entity_number as row_number, cast(performance as double) as performance from {table} "
            f"where {only} and period = '{name}' and period_start = date '{start}'"
        )
    reference = _reference(build, days)
    # The weeks of a range are not all of its days, and the difference may be one person's.
    if reference is None or not access.has_individuals:
        return None
    ratio = performance_sql("sum(etv_micro)", "sum(developer_weeks)", *reference)
    return (
        f"select entity_number as row_number, cast({ratio} as double) as performance from {table} where {only} "
        f"and period = 'week' and period_start >= date '{days.first}' and period_end <= date '{days.last}' "
        "group by entity_number"
    )


def _performance_gap(build: Build, access: RowAccess, days: Range) -> str | None:
    """Why nobody has a performance over the range; None if the organization has enough to compare with."""
    period = whole_period(days)
    if period is not None:
        name, start = period
        compared = build.rows(
            "select reference_developer_weeks as weeks_behind from performance "
            f"where entity_kind = 'organization' and period = '{name}' and period_start = date '{start}'"
        )
    else:
        compared = [
            week
            for week in _weeks(build)
            if days.first <= week["period_start"] and week["period_end"] <= days.last
        ]
        if not compared or not access.has_individuals:
            return "no_whole_week"
    is_enough = bool(compared) and (compared[0]["weeks_behind"] or 0) >= MIN_REFERENCE_WEEKS
    return None if is_enough else NO_COMPARISON


def _weeks(build: Build) -> Sequence[Row]:
    """The weeks of the organization with what their performance is compared with."""

    def weeks(build: Build) -> list[Row]:
        return build.rows(
            "select period_start, period_end, reference_etv_per_week_micro as per_week, "
            "reference_developer_weeks as weeks_behind from performance "
            "where entity_kind = 'organization' and period = 'week' order by period_start"
        )

    return build.remembered("references of weeks", weeks)


def _reference(build: Build, days: Range) -> tuple[str, str] | None:
    """SQL for the reference of the first whole week of a range: ETV per developer-week, and the weeks behind it."""
    for week in _weeks(build):
        if days.first <= week["period_start"] and week["period_end"] <= days.last:
            known = week["per_week"] is not None and week["weeks_behind"] is not None
            return (f"{week['per_week']}", f"{week['weeks_behind']!r}::double") if known else None
    return None


def _literals(row_numbers: Sequence[int]) -> str:
    return ", ".join(str(row_number) for row_number in row_numbers)


def _with_usage(build: Build, access: RowAccess, entity: Entity, days: Range, row_number: int | None) -> str:
    work = _summed(build, access, entity, days, row_number)
    used = usage_of_entities(build, access, entity, days, row_number)
    if used is None:
        return f"select *, {', '.join(f'null::bigint as {name}' for name in USAGE)} from ({work})"
    if few := hidden_usage(build, access, entity.kind, days):
        hidden = f"select position from {entity.table} where {one_of(entity.key, sorted(few)).sql}"
        used = f"select * from ({used}) where row_number not in ({hidden})"
    # A person who used a tool and delivered nothing counts in totals; a bot does not.
    outside = f"select position from {entity.table} where {entity.outside_totals or 'false'}"
    return (
        f"select row_number, coalesce(is_outside, row_number in ({outside})) as is_outside, {_FILLED}, "
        f"{', '.join(USAGE)} from ({work}) as work full join ({used}) as used using (row_number)"
    )


def _summed(build: Build, access: RowAccess, entity: Entity, days: Range, row_number: int | None) -> str:
    key, rows = f"{entity.kind}_number", access.table(build, f"{entity.kind}_periods")
    outside = entity.outside_totals or "false"
    conditions = [] if entity.with_bots else [Condition("not is_bot")]
    if not entity.with_sandboxes:
        conditions.append(Condition("not is_sandbox"))
    if row_number is not None and entity is not TEAMS:
        conditions.append(Condition(f"{key} = {row_number}"))
    stretches = " union all ".join(
        f"select * from {rows} where period = '{interval.sql}' "
        f"and {both(on_days('period_start', part.first, part.last), *conditions).sql}"
        for interval, part in parts_of(days)
    )
    sums = f"select {key} as row_number, bool_or({outside}) as is_outside, {_WORK} from ({stretches}) group by {key}"
    if entity is not TEAMS:
        return sums
    return (
        f"select ancestor_number as row_number, false as is_outside, {_WORK} from ({sums}) as own "
        f"join {access.table(build, 'team_lines')} as lines on lines.team_number = own.row_number "
        "group by ancestor_number"
    )
