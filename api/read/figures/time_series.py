"""What every kind of time series has: the days, buckets and metrics of a query, the groups of its lines, and its page.

Keep out: the figures of one kind (`series`, `api.read.pull_requests.figures`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from api.access.group_privacy.groups import shown_interval
from api.access.row_access import RowAccess
from api.errors import InvalidArgument
from api.presentation.metrics import Metric
from api.query.columns import Column, Kind, camel
from api.query.conditions import TRUE, Condition
from api.query.ordering import Term
from api.query.pages import Page, Position, page
from api.query.parameters import FirstDayByInterval, IntervalName, LastDay, PageQuery
from api.query.periods import Bucket, Interval, Range, allowed, buckets, coarsened
from api.read.figures.figures import Slice, refuse_fine, visible_slice
from api.read.figures.points import ENTITIES
from api.read.organizations import local_date, shown_days
from api.snapshot.build import Build, Row

# The cost of an answer is the number of groups times the number of points.
MAX_GROUPS = 100
GROUP_BY = "One series per value of this dimension. Default: one series for the total."

_KEY = Column("key", Kind.TEXT, "key")
_NAME = Column("name", Kind.TEXT, "name")


class TimeSeriesQuery(PageQuery):
    """The first parameters of every time series."""

    interval: IntervalName = "WEEK"
    start_date: FirstDayByInterval = None
    end_date: LastDay = None
    group_by: str | None = None
    metrics: str = ""

    def selected(self, days: Range) -> Slice:
        """The rows of these days that the other parameters select."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Cut:
    """The lines and points of an answer: rows, buckets, metrics, grouping (None for the total), lines of a page.

    `fields` are those of every answer.
    """

    piece: Slice
    interval: Interval
    buckets: Sequence[Bucket]
    metrics: Sequence[Metric]
    group: str | None
    limit: int
    fields: Mapping[str, Any]

    @property
    def idle(self) -> Row:
        """The metrics of a point without rows."""
        return {metric.field: None if metric.nullable else 0 for metric in self.metrics}

    def groups(self, build: Build, source: Condition, most: Column, position: Position | None) -> Page:
        """A page of the groups of `source`, which has the key and name of each, and a column that orders them."""
        return page(
            build,
            source=source,
            shown=(_KEY, _NAME),
            condition=TRUE,
            terms=(Term(most, True), Term(_KEY, False)),
            limit=self.limit,
            position=position,
        )


def all_groups(groups: Sequence[tuple[str | None, str]]) -> Page:
    """The only page of these groups."""
    return Page([{"key": key, "name": name} for key, name in groups], None, len(groups))


TOTAL = all_groups([(None, "Total")])


def cut(build: Build, access: RowAccess, query: TimeSeriesQuery, metrics: Mapping[str, Metric]) -> Cut:
    """The part of a query that the access may see, with those of the metrics that it names.

    Raises InvalidArgument, PermissionDenied, and the error of `RowAccess.unknown` for an unknown id.
    """
    requested = Interval(query.interval)
    days = shown_days(build, access, query, requested)
    interval = coarsened(shown_interval(access, requested), days)
    asked = query.selected(days)
    refuse_fine(access, asked, query.group_by)
    fields = {
        "startDate": days.first,
        "endDate": days.last,
        "interval": interval,
        "requestedInterval": requested,
        "allowedIntervals": allowed(shown_interval(access, Interval.DAY), days),
    }
    return Cut(
        visible_slice(build, access, asked),
        interval,
        buckets(interval, days, local_date(build, access)),
        chosen_metrics(query.metrics, _shown_metrics(access, query.group_by, asked, metrics)),
        query.group_by,
        min(query.limit, MAX_GROUPS),
        fields,
    )


def _shown_metrics(
    access: RowAccess, group: str | None, asked: Slice, metrics: Mapping[str, Metric]
) -> Mapping[str, Metric]:
    """The metrics without those about AI where the organization hides these of the entities of the lines, or of the
    entities that are selected: a line of one developer tells what the list of developers hides.
    """
    selected = {"DEVELOPER": asked.developers, "REPOSITORY": asked.repositories, "TEAM": asked.teams}
    kinds = {entity.kind for name, entity in ENTITIES.items() if name == group or selected.get(name)}
    if kinds.isdisjoint(access.without_ai):
        return metrics
    return {field: metric for field, metric in metrics.items() if not metric.is_ai}


def chosen_metrics(text: str, metrics: Mapping[str, Metric]) -> list[Metric]:
    """The metrics that a list separated by commas names, all for an empty one. Raises InvalidArgument."""
    names = [camel(name.strip()) for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in metrics]
    if unknown:
        raise InvalidArgument(
            "metrics", f"there is no metric {unknown[0]!r}; choose from {', '.join(metrics)}"
        )
    return [metrics[name] for name in dict.fromkeys(names)] or list(metrics.values())
