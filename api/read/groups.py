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
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta

from api.errors import InvalidArgument
from api.read.periods import Interval, Range, chosen_range, last_of, start_of
from api.read.scope import Scope
from api.warehouse import Build

REASON = "minimum_group_size"
# By default the last complete quarter of a year, as without a least number it is twelve weeks.
DEFAULT_MONTHS = 3


def shown_range(scope: Scope, first: date | None, last: date | None, today: date) -> Range:
    """The range asked for; where a least number of people is asked for, its whole months that are over.

    Raises InvalidArgument as `chosen_range`, and where no month of it is over.
    """
    if scope.has_individuals:
        return chosen_range(first, last, today)
    over = start_of(Interval.MONTH, today) - timedelta(days=1)
    if first is None and last is None:
        return Range(_months_before(start_of(Interval.MONTH, over), DEFAULT_MONTHS - 1), over)
    asked = chosen_range(first, last, today)
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
        rows = build.rows(
            f"select distinct team_id, repository_id, developer_id, is_sandbox from {scope.table(build, 'daily')} "
            f"where not is_bot and delivered_on between date '{month}' and date '{last_of(Interval.MONTH, month)}'"
        )
        teams, repositories = defaultdict[str | None, set[str]](set), defaultdict[str | None, set[str]](set)
        sandboxes = defaultdict[str, set[str]](set)
        for row in rows:
            if row["is_sandbox"]:
                sandboxes[row["repository_id"]].add(row["developer_id"])
            else:
                teams[row["team_id"]].add(row["developer_id"])
                repositories[row["repository_id"]].add(row["developer_id"])
        tree = {
            row["team_id"]: row["parent_id"]
            for row in build.rows(f"select team_id, parent_id from {scope.table(build, 'teams')}")
        }
        everybody = set().union(*repositories.values())
        few = {key for key, people in sandboxes.items() if len(people) < scope.least}
        whole = {scope.organization_id} if 0 < len(everybody) < scope.least else set()
        return {
            "team": hide(tree, teams, scope.least),
            "repository": hide(dict.fromkeys(key for key in repositories if key), repositories, scope.least)
            | few,
            "organization": frozenset(whole),
        }

    return build.remembered(f"hidden groups {scope.key} {month}", find)


@dataclass
class _Node:
    """What is seen of a part of the tree: people of its shown parts, and of what is left when those are taken off."""

    people: set[str] = field(default_factory=set)
    # Shown parts that are in no other shown part, by id.
    shown: dict[str, "_Node"] = field(default_factory=dict)
    # People whose work is in none of them.
    rest: set[str] = field(default_factory=set)


def hide(
    parents: Mapping[str, str | None], own: Mapping[str | None, Iterable[str]], least: int
) -> frozenset[str]:
    """The groups of a tree that are hidden. `own` has the people of each itself; of None, those who are in no group.

    A group below one that is not in `parents` is taken as a group at the top, and people of such a one as of None.
    """
    below = defaultdict[str | None, list[str]](list)
    for key, parent in sorted(parents.items()):
        below[parent if parent in parents else None].append(key)
    loose = set().union(*(people for key, people in own.items() if key not in parents))
    found: set[str] = set()

    def visit(key: str | None, people: set[str]) -> _Node:
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


def _months_before(month: date, number: int) -> date:
    index = month.year * 12 + month.month - 1 - number
    return date(index // 12, index % 12 + 1, 1)
