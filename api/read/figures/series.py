"""Time series of every metric of work: one line, or one per repository, developer, team or category."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated

from pydantic import Field

from api.access.group_privacy.groups import hidden, hidden_splits
from api.access.group_privacy.usage import hidden_usage
from api.access.row_access import RowAccess
from api.errors import InvalidArgument
from api.presentation.metrics import METRICS
from api.presentation.performance import MIN_REFERENCE_WEEKS
from api.query.columns import Column, Kind, select_list
from api.query.conditions import TRUE, Condition, one_of
from api.query.pages import Page, Position
from api.query.parameters import Category, Id, OneOf, several
from api.query.periods import Interval, Range
from api.read.figures.category_groups import GROUPINGS, group_sql, groups, own_grouping
from api.read.figures.figures import Slice, figures_sql, hidden_condition
from api.read.figures.measured import Grouping, measured_sql
from api.read.figures.points import ENTITIES, bucket_row, closed_points
from api.read.figures.shapes import FIGURES
from api.read.figures.time_series import (
    GROUP_BY,
    TOTAL,
    Cut,
    TimeSeriesQuery,
    all_groups,
    cut,
)
from api.read.figures.usage import usage_rows
from api.snapshot.build import Build, Row

_Place = tuple[str | None, date]


@dataclass(frozen=True, slots=True)
class _Performed:
    """The performance by group and bucket, or the reason why there is none; `otherwise` is that of all other places."""

    found: Mapping[_Place, tuple[float | None, str | None]]
    otherwise: str

    def at(self, place: _Place) -> tuple[float | None, str | None]:
        """The performance and the reason why it is missing: one of them."""
        return self.found.get(place, (None, self.otherwise))


_ETV = Column("etv", Kind.MICRO, "etv", nullable=True)


class SeriesQuery(TimeSeriesQuery):
    """Parameters of a time series."""

    group_by: Annotated[str, OneOf(*ENTITIES, "CATEGORY")] | None = Field(None, description=GROUP_BY)
    category_grouping: Annotated[str, OneOf(*GROUPINGS)] | None = Field(
        None,
        description="The grouping of categories for groupBy=CATEGORY. Default: the organization's setting.",
    )
    metrics: str = Field(
        "",
        max_length=500,
        description="Names of metrics, separated by commas; empty means all. `…/metrics:describe` "
        "lists them.",
        examples=["etv,performance"],
    )
    repository: list[Id] = several("Ids of repositories.")
    developer: list[Id] = several("Ids of developers.")
    team: list[Id] = Field(
        [],
        max_length=50,
        description="Ids of teams, each including its sub-teams: one, or several with groupBy=TEAM.",
    )
    category: list[Category] = Field(
        [], max_length=5, description="Categories. Repeat the parameter for several."
    )
    include_bots: bool = Field(False, description="Include the work of bots.")

    def selected(self, days: Range) -> Slice:
        """The rows of these days that the other parameters select."""
        return Slice(
            days,
            tuple(self.repository),
            tuple(self.developer),
            tuple(self.team),
            tuple(category.lower() for category in self.category),
            with_bots=self.include_bots,
        )


def list_series(build: Build, access: RowAccess, query: SeriesQuery, position: Position | None) -> Page:
    """The lines with most ETV first, each with one point per bucket, also for buckets without work.

    Raises InvalidArgument, PermissionDenied, and the error of `RowAccess.unknown` for an unknown id.
    """
    if len(query.team) > 1 and query.group_by != "TEAM":
        raise InvalidArgument(
            "team",
            "a sum over several teams could count work twice, because teams contain sub-teams; name one team, or use "
            "groupBy=TEAM",
        )
    asked = cut(build, access, query, METRICS)
    grouping = query.category_grouping or own_grouping(build)
    found = _groups(build, access, asked, grouping, position)
    keys = [row["key"] for row in found.rows]
    is_split = asked.group == "CATEGORY" or bool(asked.piece.categories)
    unsplit = closed_points(build, access, asked.piece, asked.group, asked.buckets, keys, hidden_splits)
    closed = (
        unsplit
        if is_split
        else closed_points(build, access, asked.piece, asked.group, asked.buckets, keys, hidden)
    )
    by_category = {metric.field for metric in asked.metrics if metric.is_split}
    worked = _worked(build, access, asked, grouping, keys)
    performed = _performed(build, access, asked, keys)
    idle = asked.idle
    lines = []
    for group in found.rows:
        points = []
        for bucket in asked.buckets:
            at = (group["key"], bucket.start)
            point = bucket_row(bucket) | worked.get(at, idle)
            if "performance" in idle:
                value, reason = (None, "PARTIAL") if bucket.is_partial else performed.at(at)
                point |= {"performance": value, "performanceMissingReason": reason}
            point["isSuppressed"] = at in closed
            if at in closed:
                point |= dict.fromkeys(idle)
                if "performance" in idle:
                    point["performanceMissingReason"] = None
            elif at in unsplit:
                point |= dict.fromkeys(by_category)
            points.append(point)
        lines.append(group | {"points": points})
    fields = {
        "categoryGrouping": grouping if asked.group == "CATEGORY" else None,
        "isCoarsened": asked.interval != query.interval,
    }
    return Page(lines, found.next_values, found.total, before_rows={**asked.fields, **fields})


def _groups(build: Build, access: RowAccess, asked: Cut, grouping: str, position: Position | None) -> Page:
    if asked.group is None:
        return TOTAL
    if asked.group == "CATEGORY":
        return all_groups(groups(grouping, asked.piece.categories))
    entity = ENTITIES[asked.group]
    figures = figures_sql(build, access, asked.piece, entity.key, [METRICS["etv"]])
    used = usage_rows(build, access, asked.piece, entity.key)
    if used is not None and any(metric.is_of_usage for metric in asked.metrics):
        every = f"{figures.sql} union all select key, 0 from ({used}) as used"
        figures = Condition(
            f"select {entity.key}, sum(etv)::bigint as etv from ({every}) group by 1", figures.parameters
        )
    by_category = bool(asked.piece.categories)
    few = hidden_condition(build, access, entity, asked.piece.days, by_category=by_category)
    source = Condition(
        f"select figures.{entity.key} as key, entities.name, case when not ({few.sql}) then figures.etv end as etv "
        f"from ({figures.sql}) as figures "
        f"join {access.table(build, entity.table)} as entities using ({entity.key})",
        (*few.parameters, *figures.parameters),
    )
    return asked.groups(build, source, _ETV, position)


def _worked(
    build: Build, access: RowAccess, asked: Cut, grouping: str, keys: Sequence[str | None]
) -> dict[tuple[str | None, date], Row]:
    column = ENTITIES[asked.group].key if asked.group in ENTITIES else asked.group and "category"
    key_sql = group_sql(grouping) if asked.group == "CATEGORY" else column
    chosen = [metric for metric in asked.metrics if metric.formula is not None]
    if not chosen or not keys:
        return {}
    closed = closed_points(build, access, asked.piece, asked.group, asked.buckets, keys, hidden_usage)
    grouped = Grouping(asked.interval, key_sql, column, frozenset(closed))
    measured = measured_sql(build, access, asked.piece, grouped, chosen)
    wanted = TRUE
    if asked.group in ENTITIES:
        wanted = one_of("key", [key for key in keys if key is not None])
    rows = build.rows(
        f'select bucket as "_bucket", key as "_key", {select_list(FIGURES[metric.field] for metric in chosen)} '
        f"from ({measured.sql}) as measured where {wanted.sql}",
        measured.parameters,
    )
    return {(row.pop("_key"), row.pop("_bucket")): row for row in rows}


def _performed(build: Build, access: RowAccess, asked: Cut, keys: Sequence[str | None]) -> _Performed:
    """Published performance per bucket. A mixture of several things has none: its employed weeks are unknown."""
    piece = asked.piece
    if asked.interval is Interval.DAY or "performance" not in {m.field for m in asked.metrics}:
        return _Performed({}, "NO_WHOLE_WEEK")
    mixture = _Performed({}, "MIXTURE")
    named = {"REPOSITORY": piece.repositories, "DEVELOPER": piece.developers, "TEAM": piece.teams}
    narrowed = [group for group, ids in named.items() if ids]
    if piece.categories:
        return mixture
    if asked.group in ENTITIES and narrowed in ([], [asked.group]):
        wanted = _performers(ENTITIES[asked.group].kind, [key for key in keys if key is not None])
    elif asked.group is None and not narrowed:
        wanted = access.total_entity
    elif asked.group is None and len(narrowed) == 1 and len(named[narrowed[0]]) == 1:
        wanted = _performers(ENTITIES[narrowed[0]].kind, named[narrowed[0]])
    else:
        return mixture
    rows = build.rows(
        "select entity_id, period_start, cast(performance as double) as performance, "
        "coalesce(reference_developer_weeks, 0) as weeks_behind "
        f"from {access.table(build, 'performance')} "
        f"where {wanted} and period = '{asked.interval.sql}' "
        f"and period_start between date '{piece.days.first}' and date '{piece.days.last}'"
    )
    return _Performed(
        {(row["entity_id"] if asked.group else None, row["period_start"]): _judged(row) for row in rows},
        # A caller who sees part of the work does not see the other people in a repository.
        "NOT_SEEN" if access.is_narrowed and "REPOSITORY" in (asked.group, *narrowed) else "NO_ETV",
    )


def _judged(row: Row) -> tuple[float | None, str | None]:
    if row["performance"] is not None:
        return row["performance"], None
    return None, "NO_COMPARISON_YET" if row["weeks_behind"] < MIN_REFERENCE_WEEKS else "NO_ETV"


def _performers(kind: str, ids: Sequence[str]) -> str:
    return f"entity_kind = '{kind}' and {one_of('entity_id', ids).sql}"
