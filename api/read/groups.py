"""Which figures too few people made, where an organization asks for a least number of them.

The people of a figure are those, bots aside, who have counted work in its months, repository or team; the kind of work
does not matter. Decided month by month, so that every figure, whatever its months, is a sum of parts that may be
shown. In a month a team or repository is hidden
1. that fewer than `least` people worked in, and
2. as many more, the smallest first, as it takes until what can be subtracted (a team less its shown sub-teams, the
   total less the shown top teams or repositories) is the work of nobody or of at least `least` people.
What that leaves open: figures of a team less those of a repository in which nobody else is known to work; what a
person subtracts of their own; the change between two builds that restate a month, also by settings that somebody
changes for it; and the counts of a repository over all time, watched from day to day. What is told of a group is also
told of each when all of it did the same.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta

from api.errors import InvalidArgument
from api.read.led_rows import team_places
from api.read.periods import Interval, Range, chosen_range, last_of, months_before, start_of
from api.read.scope import Scope
from api.warehouse import Build

REASON = "minimum_group_size"
# As without a least number it is twelve weeks.
DEFAULT_MONTHS = 3


def shown_range(
    scope: Scope,
    first: date | None,
    last: date | None,
    today: date,
    interval: Interval = Interval.WEEK,
) -> Range:
    """The range asked for; where a least number of people is asked for, its whole months that are over.

    Without any it is the default of the interval, of what is finer than a month the last complete three months.

    Raises InvalidArgument as `chosen_range`, and where no month of it is over.
    """
    if scope.has_individuals:
        return chosen_range(first, last, today, interval)
    over = start_of(Interval.MONTH, today) - timedelta(days=1)
    if first is None and last is None and shown_interval(scope, interval) is not interval:
        return Range(months_before(start_of(Interval.MONTH, over), DEFAULT_MONTHS - 1), over)
    asked = chosen_range(first, last, today, interval)
    start, end = start_of(Interval.MONTH, asked.first), start_of(Interval.MONTH, asked.last)
    whole = Range(start, min(last_of(Interval.MONTH, end), over))
    if whole.last < whole.first:
        raise InvalidArgument(
            "startDate",
            f"figures of this organization are of whole months that are over; the last is {over:%Y-%m}",
        )
    return whole


def shown_interval(scope: Scope, interval: Interval) -> Interval:
    """The interval asked for, where a least number of people is asked for no finer than a month."""
    fine = interval in (Interval.DAY, Interval.WEEK)
    return Interval.MONTH if fine and not scope.has_individuals else interval


def months_of(days: Range) -> list[date]:
    """First days of the months that the range touches."""
    months, month = [], start_of(Interval.MONTH, days.first)
    while month <= days.last:
        months.append(month)
        month = last_of(Interval.MONTH, month) + timedelta(days=1)
    return months


def hidden(build: Build, scope: Scope, kind: str, days: Range) -> frozenset[str]:
    """Ids of the teams, repositories or organization (`kind`) whose figures over the range are not shown."""
    if scope.has_individuals:
        return frozenset()
    return frozenset().union(*(_hidden_in(build, scope, month)[kind] for month in months_of(days)))


def hidden_months(build: Build, scope: Scope, kind: str, days: Range) -> list[tuple[str, date]]:
    """Each hidden team, repository or organization with each month of the range in which it is."""
    return [(one, month) for month in months_of(days) for one in _hidden_in(build, scope, month)[kind]]


def _hidden_in(build: Build, scope: Scope, month: date) -> Mapping[str, frozenset[str]]:
    def find(build: Build) -> Mapping[str, frozenset[str]]:
        teams = _people_of_teams(build, scope, month)
        everybody = len(set().union(*teams.values()))
        return {
            "team": hide(_tree(build, scope), teams, scope.least),
            "repository": _hidden_repositories(build, scope, month),
            "organization": frozenset({scope.organization_id} if 0 < everybody < scope.least else ()),
        }

    return build.remembered(f"hidden groups {scope.rows_key} {month}", find)


def _tree(build: Build, scope: Scope) -> Mapping[str, str | None]:
    def find(build: Build) -> Mapping[str, str | None]:
        rows = build.rows(f"select team_id, parent_id from {scope.table(build, 'teams')}")
        return {row["team_id"]: row["parent_id"] for row in rows}

    return build.remembered(f"teams {scope.rows_key}", find)


def _people_of_teams(build: Build, scope: Scope, month: date) -> dict[str | None, set[int]]:
    """Places of the developers with work of the month, by the team in which they wrote it; None for no team."""
    rows = build.rows(
        f"select team_place, list(distinct developer_place) as people from {scope.table(build, 'people_of_months')} "
        f"where month = date '{month}' and not is_bot and not is_sandbox group by team_place"
    )
    ids = {place: key for key, place in team_places(build).items()}
    return {ids.get(row["team_place"]): set(row["people"]) for row in rows}


def _hidden_repositories(build: Build, scope: Scope, month: date) -> frozenset[str]:
    worked = (
        "select distinct repository_place, developer_place, is_sandbox "
        f"from {scope.table(build, 'people_of_months')} where month = date '{month}' and not is_bot "
        "and repository_place is not null"
    )
    few = (
        f"select repository_place, is_sandbox, list(developer_place) as people from ({worked}) "
        f"group by repository_place, is_sandbox having count(*) < {scope.least}"
    )
    (found,) = build.rows(
        "select list(repository_place) as places, "
        f"len(list_distinct(flatten(list(people) filter (not is_sandbox)))) as rest from ({few})"
    )
    ids = _repository_ids(build)
    few_ids = frozenset(ids[place] for place in found["places"] or ())
    if not 0 < (found["rest"] or 0) < scope.least:
        # Nothing can be subtracted, as `hide` would find after it had looked at everybody else.
        return few_ids
    people = defaultdict[str | None, set[int]](set)
    for row in build.rows(f"select * from ({worked}) where not is_sandbox"):
        people[ids[row["repository_place"]]].add(row["developer_place"])
    return few_ids | hide(dict.fromkeys(key for key in people if key), people, scope.least)


def _repository_ids(build: Build) -> list[str]:
    """By place."""

    def find(build: Build) -> list[str]:
        return [
            row["repository_id"]
            for row in build.rows("select repository_id from repositories order by position")
        ]

    return build.remembered("repository ids", find)


@dataclass
class _Node:
    """What is seen of a part of the tree: people of its shown parts, and of what is left when those are taken off."""

    people: set[Hashable] = field(default_factory=set)
    # Shown parts that are in no other shown part, by id.
    shown: dict[str, "_Node"] = field(default_factory=dict)
    # People whose work is in none of them.
    rest: set[Hashable] = field(default_factory=set)


def hide(
    parents: Mapping[str, str | None], own: Mapping[str | None, Iterable[Hashable]], least: int
) -> frozenset[str]:
    """The groups of a tree that are hidden. `own` has the people of each itself; of None, those who are in no group.

    A group below one that is not in `parents` is taken as a group at the top, and people of such a one as of None.
    """
    below = defaultdict[str | None, list[str]](list)
    for key, parent in sorted(parents.items()):
        below[parent if parent in parents else None].append(key)
    loose = set().union(*(people for key, people in own.items() if key not in parents))
    found: set[str] = set()

    def visit(key: str | None, people: set[Hashable]) -> _Node:
        node = _Node(set(people), rest=set(people))
        for child in below[key]:
            part = visit(child, set(own.get(child, ())))
            node.people |= part.people
            if child in found or not part.people:
                node.shown |= part.shown
                node.rest |= part.rest
            else:
                node.shown[child] = part
        while 0 < len(node.rest) < least and node.shown:
            smallest = min(node.shown, key=lambda one: (len(node.shown[one].people), one))
            taken = node.shown.pop(smallest)
            found.add(smallest)
            node.shown |= taken.shown
            node.rest |= taken.rest
        if key is not None and 0 < len(node.people) < least:
            found.add(key)
        return node

    visit(None, loose)
    return frozenset(found)
