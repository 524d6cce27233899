"""Decides in which months a benchmark of developers may be shown to a caller who does not see every person of it.

Such a caller is a team lead, or anybody in an organization with a minimum group size. Callers who see every developer
read the figure of every member anyway. For the others a month is
- FREE if the caller sees all work of everybody in the group who worked in the month,
- HIDDEN if too few unseen people of the group worked in it, or if the group differs by too few of them from everybody,
  from a team with shown figures (with a minimum group size) or from an earlier group that is shown,
- LIMITED otherwise: whole months may be shown, and percentiles with enough people on both sides, because a percentile
  of few people is the figure of one of them.
Open stay: sums over three groups or more, what a member knows of the own work, and two states of a group before and
after a change of its members.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum
from math import ceil, floor

from api.access.group_privacy.groups import hidden
from api.access.row_access import RowAccess
from api.query.periods import Interval, Range, last_of
from api.snapshot.build import Build

# Of a group with people whom a lead does not see, at least so many are unseen, also without a minimum group size.
MIN_UNSEEN = 5
Members = frozenset[str]


class Openness(Enum):
    """What a month shows of a group."""

    FREE = "free"
    LIMITED = "limited"
    HIDDEN = "hidden"


@dataclass(frozen=True, slots=True)
class _Month:
    """The people with counted work in a month: all, those whose work the caller sees in whole, and in no part; and
    those of each team with shown figures.
    """

    active: Members
    seen: Members
    unseen: Members
    teams: Sequence[Members]


def least_people(access: RowAccess) -> int:
    """The number of people that a benchmark of developers needs for this caller; 1 if the caller sees everybody."""
    return access.minimum_group_size if access.teams is None else max(MIN_UNSEEN, access.minimum_group_size)


def is_percentile_of_enough(number: int, share: float, least: int) -> bool:
    """Whether at least `least` of this number of people are at or below the percentile, and at or above it."""
    position = (number - 1) * share
    return min(floor(position) + 1, number - ceil(position)) >= least


def openness_in(
    build: Build,
    access: RowAccess,
    members: Members | None,
    earlier: Collection[Members],
    months: Sequence[date],
) -> Mapping[date, Openness]:
    """What each month shows of a group of developers (None: of everybody), after the groups that were saved earlier."""
    if least_people(access) <= 1:
        return dict.fromkeys(months, Openness.FREE)
    return {
        month: _openness(_people(build, access, month), members, earlier, least_people(access))
        for month in months
    }


def _openness(month: _Month, members: Members | None, earlier: Collection[Members], least: int) -> Openness:
    shown: list[Members] = []

    def judged(group: Members) -> Openness:
        if group <= month.seen:
            return Openness.FREE
        differences = [group, *(group ^ other for other in shown)]
        is_few = any(not one <= month.seen and len(one & month.unseen) < least for one in differences)
        return Openness.HIDDEN if is_few else Openness.LIMITED

    everybody = judged(month.active)
    if members is None:
        return everybody
    shown += [month.active] if everybody is not Openness.HIDDEN else []
    shown += month.teams
    for other in earlier:
        group = other & month.active
        if group and judged(group) is not Openness.HIDDEN:
            shown.append(group)
    return judged(members & month.active)


def _people(build: Build, access: RowAccess, month: date) -> _Month:
    def find(build: Build) -> _Month:
        whole = RowAccess(access.organization_id)
        led = None if access.teams is None else {team.id for team in access.teams}
        rows = build.rows(
            "select developers.developer_id, list(distinct teams.team_id) as teams, "
            "bool_or(worked.team_number is null) as has_none "
            f"from {whole.table(build, 'people_of_months')} as worked "
            f"join {whole.table(build, 'developers')} as developers on developers.position = worked.developer_number "
            f"left join {whole.table(build, 'teams')} as teams on teams.position = worked.team_number "
            f"where worked.month = date '{month}' and not worked.is_bot and not worked.is_sandbox group by 1"
        )
        active = frozenset(row["developer_id"] for row in rows)
        if not access.has_individuals:
            return _Month(active, frozenset(), active, _teams(build, access, month))
        seen, unseen = set(), set()
        for row in rows:
            where = {*row["teams"]} - {None} | ({None} if row["has_none"] else set())
            if led is not None and where <= led:
                seen.add(row["developer_id"])
            elif led is not None and where.isdisjoint(led):
                unseen.add(row["developer_id"])
        return _Month(active, frozenset(seen), frozenset(unseen), ())

    return build.remembered(f"people of benchmarks {access.rows_key} {month}", find)


def _teams(build: Build, access: RowAccess, month: date) -> Sequence[Members]:
    """The people of each team with shown figures, with those of its sub-teams."""
    whole, days = RowAccess(access.organization_id), Range(month, last_of(Interval.MONTH, month))
    few = hidden(build, access, "team", days)
    rows = build.rows(
        "select teams.team_id, list(distinct developers.developer_id) as people "
        f"from {whole.table(build, 'people_of_months')} as worked "
        f"join {whole.table(build, 'developers')} as developers on developers.position = worked.developer_number "
        f"join {access.table(build, 'team_lines')} as lines on lines.team_number = worked.team_number "
        f"join {access.table(build, 'teams')} as teams on teams.position = lines.ancestor_number "
        f"where worked.month = date '{month}' and not worked.is_bot and not worked.is_sandbox group by teams.team_id"
    )
    return [frozenset(row["people"]) for row in rows if row["team_id"] not in few]
