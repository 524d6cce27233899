"""How many of the active developers use AI tools, and the ETV of people before and after their first recorded use."""

from collections.abc import Iterator, Sequence
from datetime import date
from statistics import median
from typing import Annotated, Any

from pydantic import Field

from api.access.group_privacy.groups import shown_interval
from api.access.group_privacy.usage import hidden_usage
from api.access.row_access import RowAccess
from api.presentation.metrics import MICRO
from api.query.columns import Column, Kind
from api.query.conditions import TRUE, Condition, both, days, one_of
from api.query.parameters import FileFormat, FirstDayByInterval, Id, LastDay, OneOf, Query
from api.query.periods import Interval, Range, buckets
from api.read.ai_usage.switches import refuse_switched_off
from api.read.entities import TEAMS
from api.read.figures.figures import Slice
from api.read.figures.points import bucket_row, closed_points
from api.read.figures.usage import usage_rows
from api.read.ids import visible_ids, with_sub_teams
from api.read.organizations import local_date, shown_days
from api.snapshot.build import Build, Row

WEEKS = 12
# Of twelve weeks, so many with employment on each side: holidays and a late start are no reason to leave somebody out.
MIN_WEEKS = 8
# Fewer people have no interval of 95 % by ranks.
MIN_PEOPLE = 6
# A person whose first use is as early as the records may have used tools before.
UNKNOWN_DAYS = 28
# An interval misses the median in one of twenty samples at most.
MISSED_OF = 20
_EVER = date(1970, 1, 1)


class AiAdoptionQuery(Query):
    """Parameters of the adoption of AI tools."""

    interval: Annotated[str, OneOf(Interval.WEEK, Interval.MONTH, Interval.QUARTER)] = Field(
        "MONTH", description="Length of a bucket. With a minimum group size, at least a month."
    )
    start_date: FirstDayByInterval = None
    end_date: LastDay = None
    team: list[Id] = Field([], max_length=1, description="Id of a team, which includes its sub-teams.")
    format: Annotated[
        FileFormat,
        Field(description="JSON is the whole answer. The other formats are one file with the points."),
    ] = "JSON"


_KINDS = {
    "start": Kind.DATE, "end": Kind.DATE, "label": Kind.TEXT, "week_number": Kind.INTEGER, "is_partial": Kind.FLAG,
    "is_draft": Kind.FLAG, "active_developers": Kind.INTEGER, "ai_developers": Kind.INTEGER, "adoption": Kind.NUMBER,
    "first_uses": Kind.INTEGER, "phases": Kind.TEXT, "is_suppressed": Kind.FLAG,
}  # fmt: skip
POINT_COLUMNS = {
    column.field: column for column in (Column(name, kind, name) for name, kind in _KINDS.items())
}
"""The columns of a point in files. Phases are one text, such as `engaged: 4, new: 1`."""


def adoption_batches(
    build: Build, access: RowAccess, query: AiAdoptionQuery
) -> Iterator[list[tuple[Any, ...]]]:
    """The points in one batch. Raises as `get_adoption`."""
    points = get_adoption(build, access, query)["points"]
    for point in points:
        point["phases"] = ", ".join(f"{one['phase']}: {one['people']}" for one in point["phases"]) or None
    yield [tuple(point[name] for name in POINT_COLUMNS) for point in points]


def get_adoption(build: Build, access: RowAccess, query: AiAdoptionQuery) -> Row:
    """Points by bucket, and the comparison of people before and after their first use.

    Raises InvalidArgument, and the error of `RowAccess.unknown` for an unknown id.
    """
    refuse_switched_off(access, "", developers=False, teams=bool(query.team))
    interval = Interval(query.interval)
    asked = shown_days(build, access, query, interval)
    interval = shown_interval(access, interval)
    teams = visible_ids(build, access, TEAMS, query.team)
    piece = Slice(asked, teams=teams)
    cut = buckets(interval, asked, local_date(build, access))
    closed = {start for _, start in closed_points(build, access, piece, None, cut, [None], hidden_usage)}
    counts = {row["bucket"]: row for row in build.rows(*_counts(build, access, piece, interval))}
    started = {row["bucket"]: row["people"] for row in build.rows(_started(build, access, piece, interval))}
    phases: dict[date, list[Row]] = {}
    if access.has_individuals:
        for row in build.rows(*_phases(build, access, piece, interval)):
            phases.setdefault(row["bucket"], []).append({"phase": row["phase"], "people": row["people"]})
    points = []
    for bucket in cut:
        row = counts.get(bucket.start, {"active": 0, "users": 0})
        shown: Row = {
            "activeDevelopers": row["active"],
            "aiDevelopers": row["users"],
            "adoption": row["users"] / row["active"] if row["active"] else None,
            "firstUses": started.get(bucket.start, 0) if access.has_individuals else None,
            "phases": phases.get(bucket.start, []),
        }
        if bucket.start in closed:
            shown = dict.fromkeys(shown) | {"phases": []}
        points.append(bucket_row(bucket) | shown | {"isSuppressed": bucket.start in closed})
    return {
        "startDate": asked.first,
        "endDate": asked.last,
        "interval": interval,
        "points": points,
        "beforeAfter": _before_after(build, access, piece),
    }


def _used(build: Build, access: RowAccess, piece: Slice) -> str:
    return f"select * from ({usage_rows(build, access, piece, None)}) as used where usage_days > 0"


def _counts(build: Build, access: RowAccess, piece: Slice, interval: Interval) -> tuple[str, tuple[Any, ...]]:
    """A query with the people with delivered work or usage, and those with usage, by bucket."""
    worked = both(
        days("delivered_on", piece.days.first, piece.days.last),
        Condition("not is_bot and not is_sandbox"),
        one_of("team_id", with_sub_teams(build, access, piece.teams)) if piece.teams else TRUE,
    )
    bucket = f"date_trunc('{interval.sql}', {{}})::date as bucket"
    sql = (
        "select bucket, count(distinct developer_id) as active, count(distinct developer_id) filter (is_user) as users "
        f"from (select {bucket.format('used_on')}, developer_id, true as is_user from ({_used(build, access, piece)}) "
        f"union all select {bucket.format('delivered_on')}, developer_id, false from "
        f"{access.table(build, 'daily_by_developer')} where {worked.sql}) group by bucket"
    )
    return sql, worked.parameters


def _firsts(build: Build, access: RowAccess, piece: Slice) -> str:
    """A query with the day of the first recorded use of each developer, up to the end of the slice."""
    ever = Slice(Range(_EVER, piece.days.last), teams=piece.teams)
    return f"select developer_id, min(used_on) as first_on from ({_used(build, access, ever)}) group by developer_id"


def _started(build: Build, access: RowAccess, piece: Slice, interval: Interval) -> str:
    return (
        f"select date_trunc('{interval.sql}', first_on)::date as bucket, count(*) as people "
        f"from ({_firsts(build, access, piece)}) where {days('first_on', piece.days.first, piece.days.last).sql} "
        "group by bucket"
    )


def _phases(build: Build, access: RowAccess, piece: Slice, interval: Interval) -> tuple[str, tuple[Any, ...]]:
    """A query with the people in each phase of adoption that a vendor sees: the last one of each person and bucket."""
    wanted = both(
        days("used_on", piece.days.first, piece.days.last),
        Condition("adoption_phase is not null and developer_id is not null"),
        one_of("team_id", with_sub_teams(build, access, piece.teams)) if piece.teams else TRUE,
    )
    sql = (
        "select bucket, phase, count(*) as people from ("
        f"select date_trunc('{interval.sql}', used_on)::date as bucket, arg_max(adoption_phase, used_on) as phase "
        f"from {access.table(build, 'ai_usage')} where {wanted.sql} group by 1, developer_id) "
        "group by 1, 2 order by 1, 2"
    )
    return sql, wanted.parameters


def _before_after(build: Build, access: RowAccess, piece: Slice) -> Row:
    """The ETV per week of people before and after their first recorded use; null of too few people."""
    nothing: Row = {
        "people": None, "medianBefore": None, "medianAfter": None, "medianDifference": None, "low": None, "high": None,
    }  # fmt: skip
    if not access.has_individuals and piece.teams:
        # The difference of a team and the organization could be one person's.
        return nothing
    weeks = f"interval {7 * WEEKS} day"
    sql = (
        f"with firsts as ({_firsts(build, access, piece)}), "
        "chosen as (select developer_id, date_trunc('week', first_on)::date as week from firsts "
        f"where first_on >= (select min(first_on) from firsts) + {UNKNOWN_DAYS} "
        f"and date_trunc('week', first_on) + {weeks} + interval 7 day <= date '{local_date(build, access)}'), "
        "weeks as (select entity_id, period_start, etv_micro "
        f"from {access.table(build, 'performance')} "
        "where entity_kind = 'developer' and period = 'week' and developer_weeks > 0), "
        "sides as (select developer_id, median(etv_micro) filter (period_start < week) as before, "
        "count(*) filter (period_start < week) as weeks_before, "
        "median(etv_micro) filter (period_start > week) as after, "
        "count(*) filter (period_start > week) as weeks_after "
        "from chosen join weeks on entity_id = developer_id "
        f"and period_start between week - {weeks} and week + {weeks} group by developer_id) "
        "select before, after from sides "
        f"where weeks_before >= {MIN_WEEKS} and weeks_after >= {MIN_WEEKS}"
    )
    people = build.rows(sql)
    if len(people) < max(MIN_PEOPLE, access.minimum_group_size):
        return nothing
    differences = sorted((row["after"] - row["before"]) / MICRO for row in people)
    low, high = rank_interval(differences)
    return {
        "people": len(people),
        "medianBefore": median(row["before"] for row in people) / MICRO,
        "medianAfter": median(row["after"] for row in people) / MICRO,
        "medianDifference": median(differences),
        "low": low,
        "high": high,
    }


def rank_interval(ordered: Sequence[float]) -> tuple[float, float]:
    """The interval of the median by ranks: two of the values, between which it lies in 95 of 100 samples or more.

    It assumes nothing of the distribution. Of fewer than six values, the smallest and the largest.
    """
    number = len(ordered)
    # Of 2**number samples: those with just so many values on one side of the median, and those with at most so many.
    exactly, at_most, left_out = 1, 1, 0
    most = 2**number // (2 * MISSED_OF)
    while at_most <= most and 2 * left_out < number:
        left_out += 1
        # The next binomial coefficient. Each one anew takes a second for 5,000 people.
        exactly = exactly * (number - left_out + 1) // left_out
        at_most += exactly
    left_out = max(0, left_out - 1)
    return ordered[left_out], ordered[number - 1 - left_out]
