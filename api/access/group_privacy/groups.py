"""The figures that stay hidden because too few people made them.

The people of a figure are those, without bots, who have counted work in its months and in its repository or team. For
a figure by category they are those with work of that category. Each month is decided by itself (months.py), so every
figure of any range is a sum of parts that may be shown. A month hides a team or repository
1. in which fewer than `minimum_group_size` people worked, and
2. further ones, the smallest first, until every difference (a team minus its shown sub-teams, the total minus the
   shown top teams or repositories) is the work of nobody or of at least `minimum_group_size` people.
A month hides the split by category of the other ones
3. where a category has people, but fewer than `minimum_group_size`, and
4. of further ones, until nobody can compute a category of fewer people from splits and totals.
The decision always uses all five categories: answers with two or three groups or with one category cover the same
months and could be subtracted.
The rules leave these ways open: the figures of a team minus those of a repository in which nobody else is known to
work; what a person subtracts of their own work; the difference between two builds that restate a month, also after a
change of settings; and the all-time counts of a repository, compared from day to day. A figure of a group also reveals
the figure of each member when all of them did the same.
"""

from datetime import date, timedelta

from api.access.group_privacy.months import Hidden, hidden_in
from api.access.row_access import RowAccess
from api.errors import InvalidArgument
from api.query.periods import Interval, Range, chosen_range, last_of, months_before, start_of
from api.snapshot.build import Build

REASON = "minimum_group_size"
# Without a minimum group size, the default is twelve weeks.
DEFAULT_MONTHS = 3


def shown_range(
    access: RowAccess,
    first: date | None,
    last: date | None,
    today: date,
    interval: Interval = Interval.WEEK,
) -> Range:
    """The requested range. With a minimum group size: the complete months within it.

    The default depends on the interval; for days and weeks it is the last three complete months. Raises
    InvalidArgument like `chosen_range`, and for a range without a complete month.
    """
    if access.has_individuals:
        return chosen_range(first, last, today, interval)
    over = start_of(Interval.MONTH, today) - timedelta(days=1)
    if first is None and last is None and shown_interval(access, interval) is not interval:
        return Range(months_before(start_of(Interval.MONTH, over), DEFAULT_MONTHS - 1), over)
    asked = chosen_range(first, last, today, interval)
    start, end = start_of(Interval.MONTH, asked.first), start_of(Interval.MONTH, asked.last)
    whole = Range(start, min(last_of(Interval.MONTH, end), over))
    if whole.last < whole.first:
        raise InvalidArgument(
            "startDate",
            f"figures of this organization cover only complete months; start in {over:%Y-%m} or earlier",
        )
    return whole


def shown_interval(access: RowAccess, interval: Interval) -> Interval:
    """The requested interval. With a minimum group size: at least a month."""
    fine = interval in (Interval.DAY, Interval.WEEK)
    return Interval.MONTH if fine and not access.has_individuals else interval


def months_of(days: Range) -> list[date]:
    """First days of the months that the range touches."""
    months, month = [], start_of(Interval.MONTH, days.first)
    while month <= days.last:
        months.append(month)
        month = last_of(Interval.MONTH, month) + timedelta(days=1)
    return months


def hidden(build: Build, access: RowAccess, kind: str, days: Range) -> frozenset[str]:
    """Ids of the teams, repositories or organization (`kind`) with hidden figures over the range."""
    return frozenset().union(*(month.totals[kind] for month in _months(build, access, days)))


def hidden_splits(build: Build, access: RowAccess, kind: str, days: Range) -> frozenset[str]:
    """Ids of the entities with a hidden split by category over the range. Includes the entities with hidden figures."""
    return frozenset().union(*(month.splits[kind] for month in _months(build, access, days)))


def months_without_split(
    build: Build, access: RowAccess, kind: str, days: Range
) -> list[tuple[str, date, bool]]:
    """Each group with each month of the range in which it shows no split, and whether no total either."""
    found = zip(months_of(days), _months(build, access, days), strict=False)
    return [
        (one, month, one in groups.totals[kind])
        for month, groups in found
        for one in sorted(groups.splits[kind])
    ]


def _months(build: Build, access: RowAccess, days: Range) -> list[Hidden]:
    """The figures that each month of the range hides; none without a minimum group size."""
    return [] if access.has_individuals else hidden_in(build, access, months_of(days))
