"""Time series of metrics of merged pull requests: one line, or one per repository, developer or team.

A pull request counts on the day of its merge, for its author and for the author's team on the day of creation. Ratios
and medians are over the rows of a point, never over other figures.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from api.access.group_privacy.pull_requests import hidden_pull_requests
from api.access.row_access import RowAccess
from api.presentation.metrics import Metric, aggregates
from api.query.columns import Column, Kind, select_list
from api.query.conditions import TRUE, Condition, both, one_of
from api.query.ordering import Term
from api.query.pages import Position, page
from api.query.periods import Interval, buckets
from api.read.figures.figures import Slice
from api.read.figures.points import ENTITIES, bucket_row, closed_points
from api.read.figures.series import Series
from api.read.figures.shapes import PULL_REQUEST_FIGURES
from api.read.ids import with_sub_teams
from api.snapshot.build import Build, Row

_KEY = Column("key", Kind.TEXT, "key")
_NAME = Column("name", Kind.TEXT, "name")
_MERGED = Column("merged", Kind.INTEGER, "merged")


@dataclass(frozen=True, slots=True)
class PullRequestSeries:
    """The query: rows, buckets, metrics, and the grouping (None, REPOSITORY, DEVELOPER or TEAM)."""

    piece: Slice
    interval: Interval
    metrics: Sequence[Metric]
    group: str | None
    limit: int


def pull_request_series(
    build: Build, access: RowAccess, query: PullRequestSeries, today: date, position: Position | None
) -> Series:
    """The lines, each with one point per bucket, also for buckets without a merge."""
    cut = buckets(query.interval, query.piece.days, today)
    groups, next_values, total = _groups(build, access, query, position)
    keys = [key for key, _ in groups]
    found = _measured(build, access, query, keys)
    idle: Row = {metric.field: None if metric.nullable else 0 for metric in query.metrics}
    closed = closed_points(build, access, query.piece, query.group, cut, keys, hidden_pull_requests)
    lines = []
    for key, name in groups:
        points = []
        for bucket in cut:
            at = (key, bucket.start)
            figures = dict.fromkeys(idle) if at in closed else found.get(at, idle)
            points.append(bucket_row(bucket) | figures | {"isSuppressed": at in closed})
        lines.append({"key": key, "name": name, "points": points})
    return Series(lines, next_values, total)


def _source(build: Build, access: RowAccess, query: PullRequestSeries) -> tuple[str, Condition]:
    """A query with `key` and the columns of merged pull requests, and the condition on it."""
    table = access.table(build, "merged_pull_requests")
    piece = query.piece
    if query.group == "TEAM":
        # A team has the pull requests of its sub-teams.
        lines = (
            f"(select part.team_id, top.team_id as key from {access.table(build, 'team_lines')} as lines "
            "join teams as part on part.position = lines.team_number "
            "join teams as top on top.position = lines.ancestor_number)"
        )
        rows = (
            f"select merged.*, lines.key, merged_on as delivered_on from {table} as merged "
            f"join {lines} as lines using (team_id)"
        )
        asked = Slice(piece.days, piece.repositories, piece.developers, with_bots=piece.with_bots)
        wanted = both(asked.condition, one_of("key", piece.teams) if piece.teams else TRUE)
        return rows, wanted
    key = ENTITIES[query.group].key if query.group else "null::varchar"
    rows = f"select *, {key} as key, merged_on as delivered_on from {table}"
    teams = with_sub_teams(build, access, piece.teams)
    asked = Slice(piece.days, piece.repositories, piece.developers, teams, with_bots=piece.with_bots)
    return rows, asked.condition


def _groups(
    build: Build, access: RowAccess, query: PullRequestSeries, position: Position | None
) -> tuple[list[tuple[str | None, str]], list[str] | None, int]:
    if query.group is None:
        return [(None, "Total")], None, 1
    rows, wanted = _source(build, access, query)
    entity = ENTITIES[query.group]
    # The order would tell which group with a hidden figure has more.
    merged = "count(*)" if access.has_individuals else "0"
    found = page(
        build,
        source=Condition(
            f"select counted.key, entities.name, counted.merged from (select key, {merged} as merged from ({rows}) "
            f"where {wanted.sql} group by key) as counted "
            f"join {access.table(build, entity.table)} as entities on entities.{entity.key} = counted.key",
            wanted.parameters,
        ),
        shown=(_KEY, _NAME),
        condition=TRUE,
        terms=(Term(_MERGED, True), Term(_KEY, False)),
        limit=query.limit,
        position=position,
    )
    return [(row["key"], row["name"]) for row in found.rows], found.next_values, found.total


def _measured(
    build: Build, access: RowAccess, query: PullRequestSeries, keys: Sequence[str | None]
) -> dict[tuple[str | None, date], Row]:
    if not keys:
        return {}
    rows, wanted = _source(build, access, query)
    if query.group is not None:
        wanted = both(wanted, one_of("key", [key for key in keys if key is not None]))
    shown = select_list(PULL_REQUEST_FIGURES[metric.field] for metric in query.metrics)
    found = build.rows(
        f'select bucket as "_bucket", key as "_key", {shown} from ('
        f"select date_trunc('{query.interval.sql}', merged_on)::date as bucket, key, {aggregates(query.metrics)} "
        f"from ({rows}) where {wanted.sql} group by 1, 2)",
        wanted.parameters,
    )
    return {(row.pop("_key"), row.pop("_bucket")): row for row in found}
