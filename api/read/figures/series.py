"""Time series of every metric: one line, or one per repository, developer, team or category."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from api.access.group_privacy.groups import hidden, hidden_splits
from api.access.row_access import NO_INDIVIDUALS, RowAccess
from api.errors import PermissionDenied
from api.presentation.metrics import METRICS, Metric, aggregates
from api.query.columns import Column, Kind, select_list
from api.query.conditions import TRUE, Condition, both, one_of
from api.query.ordering import Term
from api.query.pages import Position, page
from api.query.periods import Interval, buckets
from api.read.figures.category_groups import group_sql, groups
from api.read.figures.figures import Slice, figures_sql, hidden_condition
from api.read.figures.points import ENTITIES, bucket_row, closed_points
from api.read.figures.shapes import FIGURES
from api.snapshot.build import Build, Row

# The cost of an answer is the number of groups times the number of points.
MAX_GROUPS = 100

_KEY = Column("key", Kind.TEXT, "key")
_NAME = Column("name", Kind.TEXT, "name")
_ETV = Column("etv", Kind.MICRO, "etv", nullable=True)


@dataclass(frozen=True, slots=True)
class SeriesQuery:
    """The query: rows, buckets, metrics, and the grouping (None, REPOSITORY, DEVELOPER, TEAM or CATEGORY).

    `categories` is the grouping of categories (category_groups.GROUPINGS).
    """

    piece: Slice
    interval: Interval
    metrics: Sequence[Metric]
    group: str | None
    limit: int
    categories: str = "FIVE"


@dataclass(frozen=True, slots=True)
class Series:
    """Lines of a page, where the next page of groups starts, and all groups."""

    lines: list[dict[str, Any]]
    next_values: list[Any] | None
    total: int


def series(
    build: Build, access: RowAccess, query: SeriesQuery, today: date, position: Position | None
) -> Series:
    """The lines, each with one point per bucket, also for buckets without work."""
    cut = buckets(query.interval, query.piece.days, today)
    groups, next_values, total = _groups(build, access, query, position)
    keys = [key for key, _ in groups]
    is_split = query.group == "CATEGORY" or bool(query.piece.categories)
    unsplit = closed_points(build, access, query.piece, query.group, cut, keys, hidden_splits)
    closed = (
        unsplit if is_split else closed_points(build, access, query.piece, query.group, cut, keys, hidden)
    )
    by_category = {metric.field for metric in query.metrics if metric.is_split}
    worked = _worked(build, access, query, keys)
    performed = _performed(build, access, query, keys)
    idle = {metric.field: None if metric.nullable else 0 for metric in query.metrics}
    lines = []
    for key, name in groups:
        points = []
        for bucket in cut:
            at = (key, bucket.start)
            point = bucket_row(bucket) | worked.get(at, idle)
            if "performance" in idle:
                point["performance"] = None if bucket.is_partial else performed.get(at)
            point["isSuppressed"] = at in closed
            if at in closed:
                point |= dict.fromkeys(idle)
            elif at in unsplit:
                point |= dict.fromkeys(by_category)
            points.append(point)
        lines.append({"key": key, "name": name, "points": points})
    return Series(lines, next_values, total)


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


def _groups(
    build: Build, access: RowAccess, query: SeriesQuery, position: Position | None
) -> tuple[list[tuple[str | None, str]], list[Any] | None, int]:
    if query.group is None:
        return [(None, "Total")], None, 1
    if query.group == "CATEGORY":
        found_groups = groups(query.categories, query.piece.categories)
        return list(found_groups), None, len(found_groups)
    entity = ENTITIES[query.group]
    figures = figures_sql(build, access, query.piece, entity.key, [METRICS["etv"]])
    by_category = bool(query.piece.categories)
    few = hidden_condition(build, access, entity, query.piece.days, by_category=by_category)
    found = page(
        build,
        source=Condition(
            f"select figures.{entity.key} as key, entities.name, case when not ({few.sql}) then figures.etv end as etv "
            f"from ({figures.sql}) as figures "
            f"join {access.table(build, entity.table)} as entities using ({entity.key})",
            (*few.parameters, *figures.parameters),
        ),
        shown=(_KEY, _NAME),
        condition=TRUE,
        terms=(Term(_ETV, True), Term(_KEY, False)),
        limit=query.limit,
        position=position,
    )
    return [(row["key"], row["name"]) for row in found.rows], found.next_values, found.total


def _worked(
    build: Build, access: RowAccess, query: SeriesQuery, keys: Sequence[str | None]
) -> dict[tuple[str | None, date], Row]:
    column = ENTITIES[query.group].key if query.group in ENTITIES else query.group and "category"
    key_sql = group_sql(query.categories) if query.group == "CATEGORY" else column or "null"
    chosen = [metric for metric in query.metrics if metric.expression is not None]
    if not chosen or not keys:
        return {}
    wanted = query.piece.condition
    if query.group in ENTITIES:
        wanted = both(wanted, one_of(ENTITIES[query.group].key, [key for key in keys if key is not None]))
    rows = build.rows(
        f'select bucket as "_bucket", key as "_key", {select_list(FIGURES[metric.field] for metric in chosen)} from ('
        f"select date_trunc('{query.interval.sql}', delivered_on)::date as bucket, {key_sql} as key, "
        f"{aggregates(chosen)} from {access.table(build, query.piece.table(column))} "
        f"where {wanted.sql} group by 1, 2) as summed",
        wanted.parameters,
    )
    return {(row.pop("_key"), row.pop("_bucket")): row for row in rows}


def _performed(
    build: Build, access: RowAccess, query: SeriesQuery, keys: Sequence[str | None]
) -> dict[tuple[str | None, date], float | None]:
    """Published performance per bucket. A mixture of several things has none: its employed weeks are unknown."""
    piece = query.piece
    if query.interval is Interval.DAY or "performance" not in {m.field for m in query.metrics}:
        return {}
    named = {"REPOSITORY": piece.repositories, "DEVELOPER": piece.developers, "TEAM": piece.teams}
    narrowed = [group for group, ids in named.items() if ids]
    if piece.categories:
        return {}
    if query.group in ENTITIES and narrowed in ([], [query.group]):
        wanted = _performers(ENTITIES[query.group].kind, [key for key in keys if key is not None])
    elif query.group is None and not narrowed:
        wanted = access.total_entity
    elif query.group is None and len(narrowed) == 1 and len(named[narrowed[0]]) == 1:
        wanted = _performers(ENTITIES[narrowed[0]].kind, named[narrowed[0]])
    else:
        return {}
    rows = build.rows(
        "select entity_id, period_start, cast(performance as double) as performance "
        f"from {access.table(build, 'performance')} "
        f"where {wanted} and period = '{query.interval.sql}' "
        f"and period_start between date '{piece.days.first}' and date '{piece.days.last}'"
    )
    return {
        (row["entity_id"] if query.group else None, row["period_start"]): row["performance"] for row in rows
    }


def _performers(kind: str, ids: Sequence[str]) -> str:
    return f"entity_kind = '{kind}' and {one_of('entity_id', ids).sql}"
