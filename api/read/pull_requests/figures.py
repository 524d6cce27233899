"""Time series of metrics of merged pull requests: one line, or one per repository, developer or team.

A pull request counts on the day of its merge, for its author and for the author's team on the day of creation. Ratios
and medians are over the rows of a point, never over other figures.
"""

from collections.abc import Sequence
from datetime import date
from typing import Annotated

from pydantic import Field

from api.access.group_privacy.pull_requests import hidden_pull_requests
from api.access.row_access import RowAccess
from api.presentation.metrics import aggregates
from api.presentation.pull_request_metrics import PULL_REQUEST_METRICS
from api.query.columns import Column, Kind, select_list
from api.query.conditions import TRUE, Condition, both, one_of
from api.query.pages import Page, Position
from api.query.parameters import Id, OneOf, several
from api.query.periods import Range
from api.read.figures.figures import Slice
from api.read.figures.points import ENTITIES, bucket_row, closed_points
from api.read.figures.shapes import PULL_REQUEST_FIGURES
from api.read.figures.time_series import GROUP_BY, TOTAL, Cut, TimeSeriesQuery, cut
from api.read.ids import with_sub_teams
from api.snapshot.build import Build, Row

_MERGED = Column("merged", Kind.INTEGER, "merged")


class PullRequestSeriesQuery(TimeSeriesQuery):
    """Parameters of a time series of pull requests."""

    group_by: Annotated[str, OneOf(*ENTITIES)] | None = Field(None, description=GROUP_BY)
    metrics: str = Field(
        "",
        max_length=500,
        description="Names of metrics, separated by commas; empty means all. `…/pullRequestMetrics:describe` lists "
        "them.",
        examples=["mergedPullRequests,cycleHours"],
    )
    repository: list[Id] = several("Ids of repositories.")
    developer: list[Id] = several("Ids of the authors.")
    team: list[Id] = Field(
        [],
        max_length=50,
        description="Ids of teams, each including its sub-teams: pull requests of authors in one of these teams on the "
        "day of creation.",
    )
    include_bots: bool = Field(False, description="Include the pull requests of bots.")

    def selected(self, days: Range) -> Slice:
        """The rows of these days that the other parameters select."""
        return Slice(
            days,
            tuple(self.repository),
            tuple(self.developer),
            tuple(self.team),
            with_bots=self.include_bots,
        )


def list_series(
    build: Build, access: RowAccess, query: PullRequestSeriesQuery, position: Position | None
) -> Page:
    """The lines with most merged pull requests first, each with one point per bucket, also for buckets without a merge.

    Raises InvalidArgument, PermissionDenied, and the error of `RowAccess.unknown` for an unknown id.
    """
    asked = cut(build, access, query, PULL_REQUEST_METRICS)
    found = _groups(build, access, asked, position)
    keys = [row["key"] for row in found.rows]
    measured = _measured(build, access, asked, keys)
    idle = asked.idle
    closed = closed_points(build, access, asked.piece, asked.group, asked.buckets, keys, hidden_pull_requests)
    lines = []
    for group in found.rows:
        points = []
        for bucket in asked.buckets:
            at = (group["key"], bucket.start)
            figures = dict.fromkeys(idle) if at in closed else measured.get(at, idle)
            points.append(bucket_row(bucket) | figures | {"isSuppressed": at in closed})
        lines.append(group | {"points": points})
    return Page(lines, found.next_values, found.total, before_rows=asked.fields)


def _source(build: Build, access: RowAccess, asked: Cut) -> tuple[str, Condition]:
    """A query with `key` and the columns of merged pull requests, and the condition on it."""
    table = access.table(build, "merged_pull_requests")
    piece = asked.piece
    if asked.group == "TEAM":
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
        chosen = Slice(piece.days, piece.repositories, piece.developers, with_bots=piece.with_bots)
        wanted = both(chosen.condition, one_of("key", piece.teams) if piece.teams else TRUE)
        return rows, wanted
    key = ENTITIES[asked.group].key if asked.group else "null::varchar"
    rows = f"select *, {key} as key, merged_on as delivered_on from {table}"
    teams = with_sub_teams(build, access, piece.teams)
    chosen = Slice(piece.days, piece.repositories, piece.developers, teams, with_bots=piece.with_bots)
    return rows, chosen.condition


def _groups(build: Build, access: RowAccess, asked: Cut, position: Position | None) -> Page:
    if asked.group is None:
        return TOTAL
    rows, wanted = _source(build, access, asked)
    entity = ENTITIES[asked.group]
    # The order would tell which group with a hidden figure has more.
    merged = "count(*)" if access.has_individuals else "0"
    source = Condition(
        f"select counted.key, entities.name, counted.merged from (select key, {merged} as merged from ({rows}) "
        f"where {wanted.sql} group by key) as counted "
        f"join {access.table(build, entity.table)} as entities on entities.{entity.key} = counted.key",
        wanted.parameters,
    )
    return asked.groups(build, source, _MERGED, position)


def _measured(
    build: Build, access: RowAccess, asked: Cut, keys: Sequence[str | None]
) -> dict[tuple[str | None, date], Row]:
    if not keys:
        return {}
    rows, wanted = _source(build, access, asked)
    if asked.group is not None:
        wanted = both(wanted, one_of("key", [key for key in keys if key is not None]))
    shown = select_list(PULL_REQUEST_FIGURES[metric.field] for metric in asked.metrics)
    found = build.rows(
        f'select bucket as "_bucket", key as "_key", {shown} from ('
        f"select date_trunc('{asked.interval.sql}', merged_on)::date as bucket, key, {aggregates(asked.metrics)} "
        f"from ({rows}) where {wanted.sql} group by 1, 2)",
        wanted.parameters,
    )
    return {(row.pop("_key"), row.pop("_bucket")): row for row in found}
