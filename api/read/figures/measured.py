"""Metrics per bucket and value of a grouping, from days of work and days of usage of AI tools.

Keep out: the choice of rows (figures.py, usage.py), the decision which figures stay hidden (access/group_privacy).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from api.access.row_access import RowAccess
from api.presentation.metrics import MEASURES, Metric, formulas
from api.presentation.usage_measures import USAGE
from api.query.conditions import TRUE, Condition
from api.query.periods import Interval
from api.read.figures.figures import Slice
from api.read.figures.points import PointKey
from api.read.figures.usage import ALL, SUMS, usage_rows
from api.snapshot.build import Build


@dataclass(frozen=True, slots=True)
class Grouping:
    """Rows by bucket and by `key`, which is SQL over rows of work; None for all rows together.

    `column` is the column of these rows that the key needs. Of `hidden_usage` too few people used a tool.
    """

    interval: Interval
    key: str | None
    column: str | None
    hidden_usage: frozenset[PointKey] = frozenset()


def measured_sql(
    build: Build, access: RowAccess, piece: Slice, grouping: Grouping, chosen: Iterable[Metric]
) -> Condition:
    """A query with a row per `bucket` and `key` with work or usage, and a column per chosen metric but performance."""
    metrics = [metric for metric in chosen if metric.formula is not None]
    named = {name for metric in metrics for name in metric.measures}
    measures = {name: sql for name, sql in MEASURES.items() if name in named}
    worked = _worked(build, access, piece, grouping, measures)
    used = _used(build, access, piece, grouping) if named & USAGE.keys() else None
    if used is None:
        source, usage = f"({worked.sql}) as worked", [f"null::bigint as {name}" for name in USAGE]
    else:
        source = f"({worked.sql}) as worked full join ({used.sql}) as used using (bucket, key)"
        usage = list(USAGE)
    # Days of usage without work: zero.
    sums = ", ".join(["bucket", "key", *(f"coalesce({name}, 0) as {name}" for name in measures), *usage])
    figures = formulas(metrics) or "null as nothing"
    return Condition(
        f"select bucket, nullif(key, {ALL}) as key, {figures} from (select {sums} from {source}) as sums",
        (*worked.parameters, *(used.parameters if used else ())),
    )


def _worked(
    build: Build, access: RowAccess, piece: Slice, grouping: Grouping, measures: Mapping[str, str]
) -> Condition:
    wanted = piece.condition
    sums = "".join(f", {sql} as {name}" for name, sql in measures.items())
    key = ALL if grouping.key is None else f"coalesce({grouping.key}, {ALL})"
    return Condition(
        f"select date_trunc('{grouping.interval.sql}', delivered_on)::date as bucket, {key} as key{sums} "
        f"from {access.table(build, piece.table(grouping.column))} where {wanted.sql} group by 1, 2",
        wanted.parameters,
    )


def _used(build: Build, access: RowAccess, piece: Slice, grouping: Grouping) -> Condition | None:
    rows = usage_rows(build, access, piece, grouping.column)
    if rows is None:
        return None
    shown = TRUE
    if grouping.hidden_usage:
        # One parameter: thousands of literals would take longer to parse than to look up.
        points = ",".join(f"{bucket} {key or ''}" for key, bucket in grouping.hidden_usage)
        shown = Condition("concat(bucket, ' ', key) not in (select unnest(string_split(?, ',')))", (points,))
    return Condition(
        f"select bucket, key, {SUMS} from (select *, date_trunc('{grouping.interval.sql}', used_on)::date as bucket "
        f"from ({rows}) as used) as used where {shown.sql} group by 1, 2",
        shown.parameters,
    )
