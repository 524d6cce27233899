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

import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from api.errors import InvalidArgument
from api.read.hiding import People, hide, joined, people_of
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
    return frozenset().union(*(found[kind] for found in _hidden_in(build, scope, months_of(days))))


def hidden_months(build: Build, scope: Scope, kind: str, days: Range) -> list[tuple[str, date]]:
    """Each hidden team, repository or organization with each month of the range in which it is."""
    months = months_of(days)
    found = zip(months, _hidden_in(build, scope, months), strict=True)
    return [(one, month) for month, groups in found for one in groups[kind]]


@dataclass
class _Months:
    """The hidden groups of a scope by kind, of each month for which somebody asked."""

    found: dict[date, Mapping[str, frozenset[str]]] = field(default_factory=dict)
    # Held while months are looked at: who asks meanwhile waits instead of looking at the same.
    finding: threading.Lock = field(default_factory=threading.Lock)


def _hidden_in(build: Build, scope: Scope, months: Sequence[date]) -> list[Mapping[str, frozenset[str]]]:
    kept = build.remembered(f"hidden groups {scope.rows_key}", lambda _: _Months())
    if not kept.found.keys() >= set(months):
        with kept.finding:
            kept.found |= _find_hidden(build, scope, [month for month in months if month not in kept.found])
    return [kept.found[month] for month in months]


def _find_hidden(
    build: Build, scope: Scope, months: Sequence[date]
) -> dict[date, Mapping[str, frozenset[str]]]:
    if not months:
        return {}
    tree = _tree(build, scope)
    people = _people_of_teams(build, scope, months)
    repositories = _hidden_repositories(build, scope, months)
    found: dict[date, Mapping[str, frozenset[str]]] = {}
    for month in months:
        teams = people[month]
        everybody = joined(teams.values()).number
        found[month] = {
            "team": hide(tree, teams, scope.least),
            "repository": repositories[month],
            "organization": frozenset({scope.organization_id} if 0 < everybody < scope.least else ()),
        }
    return found


def _tree(build: Build, scope: Scope) -> Mapping[str, str | None]:
    def find(build: Build) -> Mapping[str, str | None]:
        rows = build.rows(f"select team_id, parent_id from {scope.table(build, 'teams')}")
        return {row["team_id"]: row["parent_id"] for row in rows}

    return build.remembered(f"teams {scope.rows_key}", find)


def _people_of_teams(
    build: Build, scope: Scope, months: Sequence[date]
) -> dict[date, dict[str | None, People]]:
    """Who had work in each month, by the team in which they wrote it; None for no team."""
    worked = (
        "select month, coalesce(team_place, -1) as team_place, developer_place "
        f"from {scope.table(build, 'people_of_months')} where {_in(months)} and not is_bot and not is_sandbox"
    )
    people = (
        "select month, developer_place, min(team_place) as team_place, max(team_place) as last_place "
        f"from ({worked}) group by month, developer_place"
    )
    alone = (
        f"select month, team_place, count(*) as people from ({people}) where team_place = last_place "
        "group by month, team_place"
    )
    others = (
        f"select month, team_place, list(distinct developer_place) as people from ({worked}) "
        f"semi join (select * from ({people}) where team_place < last_place) using (month, developer_place) "
        "group by month, team_place"
    )
    ids = {place: key for key, place in team_places(build).items()}
    found: dict[date, dict[str | None, People]] = {month: {} for month in months}
    # Lists, because a row for each of thousands of teams would take five times as long.
    for row in build.rows(
        f"select month, list(team_place) as places, list(people) as people from ({alone}) group by month"
    ):
        _join(found[row["month"]], ids, zip(row["places"], map(People, row["people"]), strict=True))
    for row in build.rows(others):
        _join(found[row["month"]], ids, [(row["team_place"], People(0, frozenset(row["people"])))])
    return found


def _join(
    own: dict[str | None, People], ids: Mapping[int, str], people: Iterable[tuple[int, People]]
) -> None:
    for place, more in people:
        team = ids.get(place)
        own[team] = joined([own[team], more]) if team in own else more


def _hidden_repositories(build: Build, scope: Scope, months: Sequence[date]) -> dict[date, frozenset[str]]:
    worked = (
        "select distinct month, repository_place, developer_place, is_sandbox "
        f"from {scope.table(build, 'people_of_months')} where {_in(months)} and not is_bot "
        "and repository_place is not null"
    )
    few = (
        f"select month, repository_place, is_sandbox, list(developer_place) as people from ({worked}) "
        f"group by month, repository_place, is_sandbox having count(*) < {scope.least}"
    )
    rows = build.rows(
        "select month, list(repository_place) as places, "
        f"len(list_distinct(flatten(list(people) filter (not is_sandbox)))) as rest from ({few}) group by month"
    )
    ids = _repository_ids(build)
    found = dict.fromkeys(months, frozenset[str]())
    found |= {row["month"]: frozenset(ids[place] for place in row["places"]) for row in rows}
    # Of other months nothing can be subtracted, as `hide` would find after it had looked at everybody else.
    subtracted = [row["month"] for row in rows if 0 < (row["rest"] or 0) < scope.least]
    if subtracted:
        people: dict[date, dict[str | None, set[int]]] = {month: defaultdict(set) for month in subtracted}
        for row in build.rows(f"select * from ({worked}) where not is_sandbox and {_in(subtracted)}"):
            people[row["month"]][ids[row["repository_place"]]].add(row["developer_place"])
        for month, own in people.items():
            found[month] |= hide(dict.fromkeys(key for key in own if key), people_of(own), scope.least)
    return found


def _in(months: Sequence[date]) -> str:
    days = ", ".join(f"date '{month}'" for month in months)
    return f"month in ({days})"


def _repository_ids(build: Build) -> list[str]:
    """By place."""

    def find(build: Build) -> list[str]:
        return [
            row["repository_id"]
            for row in build.rows("select repository_id from repositories order by position")
        ]

    return build.remembered("repository ids", find)
