"""Time series of every metric, one line or one per repository, developer, team or category."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from api.paging import Position
from api.read.columns import Column, Kind, select_list
from api.read.figures import DEVELOPERS, REPOSITORIES, TEAMS, Entity, Slice, figures_sql
from api.read.metrics import CATEGORIES, METRICS, Metric, aggregates
from api.read.ordering import TRUE, Condition, Term, both, one_of
from api.read.pages import page
from api.read.periods import Bucket, Interval, buckets
from api.read.scope import Scope
from api.warehouse import Build, Row

# Groups times points is what an answer costs.
MOST_GROUPS = 100

ENTITIES: dict[str, Entity] = {"REPOSITORY": REPOSITORIES, "DEVELOPER": DEVELOPERS, "TEAM": TEAMS}
_KEY = Column("key", Kind.TEXT, "key")
_NAME = Column("name", Kind.TEXT, "name")
_ETV = Column("etv", Kind.MICRO, "etv")


@dataclass(frozen=True, slots=True)
class SeriesQuery:
    """What is asked: the rows, the cut, the metrics, the grouping (None, REPOSITORY, DEVELOPER, TEAM or CATEGORY)."""

    piece: Slice
    interval: Interval
    metrics: Sequence[Metric]
    group: str | None
    limit: int


@dataclass(frozen=True, slots=True)
class Series:
    """Lines of a page, where the next page of groups starts, and all groups."""

    lines: list[dict[str, Any]]
    next_values: list[Any] | None
    total: int


def series(build: Build, scope: Scope, query: SeriesQuery, today: date, position: Position | None) -> Series:
    """The lines, each with one point per bucket whether or not there was work."""
    cut = buckets(query.interval, query.piece.days, today)
    groups, next_values, total = _groups(build, scope, query, position)
    keys = [key for key, _ in groups]
    worked = _worked(build, scope, query, keys)
    performed = _performed(build, scope, query, keys)
    idle = {metric.field: None if metric.nullable else 0 for metric in query.metrics}
    lines = []
    for key, name in groups:
        points = []
        for bucket in cut:
            at = (key, bucket.start)
            point = _shown(bucket) | worked.get(at, idle)
            if "performance" in idle:
                point["performance"] = None if bucket.is_partial else performed.get(at)
            points.append(point)
        lines.append({"key": key, "name": name, "points": points})
    return Series(lines, next_values, total)


def _shown(bucket: Bucket) -> Row:
    return {
        "start": bucket.start,
        "end": bucket.end,
        "label": bucket.label,
        "weekNumber": bucket.week,
        "isPartial": bucket.is_partial,
        "isDraft": bucket.is_draft,
    }


def _groups(
    build: Build, scope: Scope, query: SeriesQuery, position: Position | None
) -> tuple[list[tuple[str | None, str]], list[Any] | None, int]:
    if query.group is None:
        return [(None, "Total")], None, 1
    if query.group == "CATEGORY":
        wanted = [name for name in CATEGORIES if not query.piece.categories or name in query.piece.categories]
        return [(name.upper(), name.capitalize()) for name in wanted], None, len(wanted)
    entity = ENTITIES[query.group]
    figures = figures_sql(scope, query.piece, entity.key, [METRICS["etv"]])
    found = page(
        build,
        source=Condition(
            f"select figures.{entity.key} as key, entities.name, figures.etv from ({figures.sql}) as figures "
            f"join {scope.table(entity.table)} as entities using ({entity.key})",
            figures.parameters,
        ),
        shown=(_KEY, _NAME),
        condition=TRUE,
        terms=(Term(_ETV, True), Term(_KEY, False)),
        limit=query.limit,
        position=position,
    )
    return [(row["key"], row["name"]) for row in found.rows], found.next_values, found.total


def _worked(
    build: Build, scope: Scope, query: SeriesQuery, keys: Sequence[str | None]
) -> dict[tuple[str | None, date], Row]:
    column = ENTITIES[query.group].key if query.group in ENTITIES else query.group and "category"
    chosen = [metric for metric in query.metrics if metric.expression is not None]
    if not chosen or not keys:
        return {}
    wanted = query.piece.condition
    if query.group in ENTITIES:
        wanted = both(wanted, one_of(ENTITIES[query.group].key, [key for key in keys if key is not None]))
    rows = build.rows(
        f'select bucket as "_bucket", key as "_key", {select_list(metric.column for metric in chosen)} from ('
        f"select date_trunc('{query.interval.sql}', delivered_on)::date as bucket, {column or 'null'} as key, "
        f"{aggregates(chosen)} from {scope.table(query.piece.table(column))} "
        f"where {wanted.sql} group by 1, 2) as summed",
        wanted.parameters,
    )
    found = {}
    for row in rows:
        key = row.pop("_key")
        found[key.upper() if query.group == "CATEGORY" else key, row.pop("_bucket")] = row
    return found


def _performed(
    build: Build, scope: Scope, query: SeriesQuery, keys: Sequence[str | None]
) -> dict[tuple[str | None, date], float | None]:
    """Published performance per bucket. A mixture of several things has none: its employed weeks are unknown."""
    piece = query.piece
    if query.interval is Interval.DAY or "performance" not in {m.field for m in query.metrics}:
        return {}
    named = {"REPOSITORY": piece.repositories, "DEVELOPER": piece.developers, "TEAM": piece.teams}
    narrowed = [group for group, ids in named.items() if ids]
    wanted: dict[str | None, str | None]
    if piece.categories:
        return {}
    if query.group in ENTITIES and narrowed in ([], [query.group]):
        kind, wanted = ENTITIES[query.group].kind, {key: key for key in keys}
    elif query.group is None and not narrowed:
        kind, wanted = "organization", {scope.organization_id: None}
    elif query.group is None and len(narrowed) == 1 and len(named[narrowed[0]]) == 1:
        kind, wanted = ENTITIES[narrowed[0]].kind, {named[narrowed[0]][0]: None}
    else:
        return {}
    if not wanted:
        return {}
    rows = build.rows(
        f"select entity_id, period_start, cast(performance as double) as performance from {scope.table('performance')} "
        f"where entity_kind = '{kind}' and period = '{query.interval.sql}' "
        f"and period_start between date '{piece.days.first}' and date '{piece.days.last}' "
        f"and {one_of('entity_id', [entity for entity in wanted if entity is not None]).sql}"
    )
    return {(wanted[row["entity_id"]], row["period_start"]): row["performance"] for row in rows}
