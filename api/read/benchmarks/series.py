"""A benchmark as a time series: one value per bucket and metric."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from api.access.group_privacy.groups import hidden
from api.access.row_access import RowAccess
from api.errors import InvalidArgument
from api.presentation.metrics import METRICS, Metric
from api.query.conditions import TRUE, Condition, both, one_of
from api.query.pages import Page
from api.query.periods import Bucket, Interval, Range
from api.read.benchmarks.cells import aggregated, cells, rows_for
from api.read.benchmarks.described import described
from api.read.benchmarks.groups import Group, Reference
from api.read.entities import DEVELOPERS, REPOSITORIES
from api.read.figures.figures import Slice
from api.read.figures.measured import Grouping, measured_sql
from api.read.figures.points import bucket_row
from api.read.figures.time_series import Cut, TimeSeriesQuery, cut
from api.read.organizations import local_date
from api.snapshot.build import Build, Row


def series_figures(build: Build, access: RowAccess, asked: Reference, part: Cut) -> Row:
    """The benchmark with a point for each bucket of a part. Raises InvalidArgument for categories of few people."""
    group = asked.group
    may_see = cells(build, access, asked, part.piece.days, local_date(build, access))
    if part.piece.categories and not may_see.has_splits:
        raise InvalidArgument("benchmark", "a benchmark by category could show the work of single developers")
    found = _values(build, access, group, part)
    points = []
    for bucket in part.buckets:
        days = Range(max(bucket.start, part.piece.days.first), min(bucket.end, part.piece.days.last))
        points.append(bucket_row(bucket) | may_see.shown(found.get(bucket.start), days, part.metrics))
    return described(build, group) | {"isIndex": group.is_index, "points": points}


def _values(build: Build, access: RowAccess, group: Group, part: Cut) -> dict[date, Row]:
    """The aggregated figures by bucket."""
    visible = rows_for(access, group)
    worked, employed = _worked(build, visible, group, part), _employed(build, visible, group, part)
    columns = [f"{_filled(metric, part.buckets)} as {metric.name}" for metric in part.metrics]
    members = both(group.members(build, "member"), _visible(build, visible, group, part.buckets))
    filled = (
        f"select bucket, member, {', '.join(columns)} from ({employed}) as employed "
        f"full join ({worked.sql}) as worked using (bucket, member) where {members.sql}"
    )
    values = _indexed(filled, part.metrics, part.buckets) if group.is_index else filled
    rows = build.rows(
        f"select bucket, {aggregated(group, part.metrics)} from ({values}) as filled group by bucket",
        (*worked.parameters, *members.parameters),
    )
    return {row["bucket"]: row for row in rows}


def _worked(build: Build, access: RowAccess, group: Group, part: Cut) -> Condition:
    """A query with the figures of every member with counted work, by bucket."""
    ids = () if group.member_ids is None else tuple(sorted(group.current_ids(build) or ()))
    piece = Slice(part.piece.days, categories=part.piece.categories)
    if group.entity is DEVELOPERS:
        piece = replace(piece, developers=ids)
    elif group.entity is REPOSITORIES:
        piece = replace(piece, repositories=ids)
    key = group.entity.key
    measured = measured_sql(build, access, piece, Grouping(part.interval, key, key), part.metrics)
    return Condition(f"select * rename (key as member) from ({measured.sql})", measured.parameters)


def _employed(build: Build, access: RowAccess, group: Group, part: Cut) -> str:
    """A query with the members who were employed, by bucket, and their performance in it."""
    days, is_by_day = part.piece.days, part.interval is Interval.DAY
    rows = (
        f"from {access.table(build, 'performance')} where entity_kind = '{group.entity.kind}' "
        f"and developer_weeks > 0 and period = '{'week' if is_by_day else part.interval.sql}' "
        f"and period_end >= date '{days.first}' and period_start <= date '{days.last}'"
    )
    if not is_by_day:
        return f"select period_start as bucket, entity_id as member, cast(performance as double) as performance {rows}"
    return (
        "select * from (select unnest(generate_series(period_start, period_end, interval 1 day))::date as bucket, "
        f"entity_id as member, null::double as performance {rows}) "
        f"where bucket between date '{days.first}' and date '{days.last}'"
    )


def _visible(build: Build, access: RowAccess, group: Group, buckets: Sequence[Bucket]) -> Condition:
    """The condition for members with shown figures: too few people may have made those of a repository or team."""
    if access.has_individuals:
        return TRUE
    conditions = []
    for bucket in buckets:
        few = hidden(build, access, group.entity.kind, Range(bucket.start, bucket.end))
        if few:
            conditions.append(
                Condition(f"bucket <> date '{bucket.start}' or not ({one_of('member', sorted(few)).sql})")
            )
    return both(*conditions)


def _filled(metric: Metric, buckets: Sequence[Bucket]) -> str:
    """SQL of the figure of a member in a bucket: without work 0, or null where the metric has none."""
    if metric.expression is None:
        # As in the lines of series, a cut bucket has no performance.
        partial = [f"date '{bucket.start}'" for bucket in buckets if bucket.is_partial]
        return (
            f"case when bucket not in ({', '.join(partial)}) then {metric.name} end"
            if partial
            else metric.name
        )
    return metric.name if metric.nullable else f"coalesce({metric.name}, 0)"


def _indexed(filled: str, metrics: Sequence[Metric], buckets: Sequence[Bucket]) -> str:
    """A query with each member's figures relative to the first complete bucket with any; before it null."""
    complete = [one.start for one in buckets if not (one.is_partial or one.is_draft)]
    is_complete = ", ".join(f"date '{day}'" for day in complete) or "null::date"
    bases, columns = [], []
    for metric in metrics:
        is_base = f"filter (where {metric.name} > 0 and bucket in ({is_complete})) over (partition by member)"
        name = metric.name
        bases += [
            f"min(bucket) {is_base} as {name}_start",
            f"arg_min({name}, bucket) {is_base} as {name}_base",
        ]
        columns.append(f"case when bucket >= {name}_start then 100.0 * {name} / {name}_base end as {name}")
    return (
        f"select bucket, member, {', '.join(columns)} from (select *, {', '.join(bases)} from ({filled}) as filled) "
        "as based"
    )


def beside(
    build: Build, access: RowAccess, asked: Reference | None, query: TimeSeriesQuery, found: Page
) -> Page:
    """The page of series of a query with the benchmark, for the same buckets and metrics, in its field `benchmark`."""
    if asked is None:
        return replace(found, before_rows={**found.before_rows, "benchmark": None})
    figures = series_figures(
        build,
        access,
        asked,
        cut(build, access, query, METRICS),
    )
    return replace(found, before_rows={**found.before_rows, "benchmark": figures})
