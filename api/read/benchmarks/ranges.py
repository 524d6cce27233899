"""A benchmark over a range of days, made of the rows of the list beside which it stands."""

from collections.abc import Mapping, Sequence

from api.access.row_access import RowAccess
from api.errors import InvalidArgument
from api.presentation.metrics import METRICS
from api.query.columns import Column
from api.query.conditions import TRUE, Condition, both
from api.query.periods import Range
from api.read.benchmarks.cells import aggregated, cells, rows_for
from api.read.benchmarks.described import described
from api.read.benchmarks.groups import BuiltIn, Reference
from api.read.entities import Entity
from api.read.figures.ranges import cached_list
from api.read.organizations import local_date
from api.snapshot.build import Build, Row


def range_figures(
    build: Build,
    access: RowAccess,
    asked: Reference,
    entity: Entity,
    columns: Mapping[str, Column],
    searched: Sequence[str],
    days: Range,
) -> Row:
    """The benchmark of a list with these columns over a range.

    Raises InvalidArgument for the zero-day index, and for a group of another kind.
    """
    group = asked.group
    if group.entity is not entity:
        raise InvalidArgument(
            "benchmark",
            f"{group.name!r} is a group of {group.entity.table}, and this list has {entity.table}; use a benchmark of "
            f"{entity.table} or {BuiltIn.ORGANIZATION_AVERAGE}",
        )
    if group.is_index:
        raise InvalidArgument(
            "benchmark",
            f"{BuiltIn.ZERO_DAY_INDEX} compares the buckets of a time series; use it in …/metrics, and "
            f"{BuiltIn.ORGANIZATION_AVERAGE} here",
        )
    metrics = [METRICS[field] for field in columns if field in METRICS]
    visible, key = rows_for(access, group), group.entity.key
    employed = Condition(
        f"{key} in (select entity_id from {visible.table(build, 'performance')} "
        f"where entity_kind = '{group.entity.kind}' and period = 'week' and developer_weeks > 0 "
        f"and period_start <= date '{days.last}' and period_end >= date '{days.first}')"
        " or commits > 0 or files > 0 or etv > 0"
    )
    # Figures of too few people are null, and their repositories or teams are no members.
    shown = TRUE if visible.has_individuals else Condition("suppressed_reason is null")
    wanted = both(group.members(build, key), employed, shown)
    with cached_list(build, visible, group.entity, columns, searched, days) as cached:
        named = " ".join(["suppressed_reason", *(metric.name for metric in metrics)])
        found = build.only_row(
            f"select {aggregated(group, metrics)} from ({cached.sql(named)}) as listed where {wanted.sql}",
            wanted.parameters,
        )
    may_see = cells(build, access, asked, days, local_date(build, access))
    row = may_see.shown(found, days, metrics)
    return described(build, group) | row
