"""Ranges of days and their buckets. Days are in the time zone of the organization; weeks are ISO weeks."""

from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

from api.errors import InvalidArgument

# No chart can show more points; the next coarser bucket is used instead.
MAX_POINTS = 400


class Interval(StrEnum):
    """Bucket sizes, finest first."""

    DAY = "DAY"
    WEEK = "WEEK"
    MONTH = "MONTH"
    QUARTER = "QUARTER"
    YEAR = "YEAR"

    @property
    def sql(self) -> str:
        """The name of the interval for `date_trunc`."""
        return self.value.lower()


@dataclass(frozen=True, slots=True)
class Range:
    """Days from `first` to `last`, both included."""

    first: date
    last: date

    @property
    def length(self) -> int:
        """Number of days."""
        return (self.last - self.first).days + 1


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket of a range: its whole period, and whether the range cuts it or it is not over yet."""

    start: date
    end: date
    label: str
    week: int | None
    is_partial: bool
    is_draft: bool


def start_of(interval: Interval, day: date) -> date:
    """First day of the bucket of `day`."""
    if interval is Interval.DAY:
        return day
    if interval is Interval.WEEK:
        return day - timedelta(days=day.weekday())
    month = {Interval.MONTH: day.month, Interval.QUARTER: (day.month - 1) // 3 * 3 + 1, Interval.YEAR: 1}[
        interval
    ]
    return date(day.year, month, 1)


def last_of(interval: Interval, start: date) -> date:
    """Last day of the bucket that starts on `start`."""
    if interval in (Interval.DAY, Interval.WEEK):
        return start + timedelta(days=0 if interval is Interval.DAY else 6)
    months = {Interval.MONTH: 1, Interval.QUARTER: 3, Interval.YEAR: 12}[interval]
    index = start.year * 12 + start.month - 1 + months
    return date(index // 12, index % 12 + 1, 1) - timedelta(days=1)


def label_of(interval: Interval, start: date) -> str:
    """The label of the bucket in a chart: 2026-11-20, 2026-W47, 2026-11, 2026-Q4, 2026."""
    if interval is Interval.WEEK:
        year, week, _ = start.isocalendar()
        return f"{year}-W{week:02}"
    if interval is Interval.QUARTER:
        return f"{start.year}-Q{(start.month + 2) // 3}"
    return start.isoformat()[: {Interval.DAY: 10, Interval.MONTH: 7, Interval.YEAR: 4}[interval]]


def points(interval: Interval, days: Range) -> int:
    """The number of buckets in the range."""
    first, last = start_of(interval, days.first), start_of(interval, days.last)
    if interval in (Interval.DAY, Interval.WEEK):
        return (last - first).days // (1 if interval is Interval.DAY else 7) + 1
    months = (last.year - first.year) * 12 + last.month - first.month
    return months // {Interval.MONTH: 1, Interval.QUARTER: 3, Interval.YEAR: 12}[interval] + 1


def coarsened(interval: Interval, days: Range) -> Interval:
    """The finest interval, not finer than asked, with few enough points. Raises InvalidArgument beyond years."""
    for candidate in allowed(interval, days):
        return candidate
    raise InvalidArgument(
        "startDate", f"the range is longer than {MAX_POINTS} years; choose a later startDate"
    )


def allowed(finest: Interval, days: Range) -> list[Interval]:
    """The intervals, not finer than `finest`, with few enough points for the range, finest first."""
    intervals = list(Interval)
    return [one for one in intervals[intervals.index(finest) :] if points(one, days) <= MAX_POINTS]


def buckets(interval: Interval, days: Range, today: date) -> list[Bucket]:
    """Every bucket of the range, in order, with or without work. Completed means that it ended before `today`."""
    found = []
    start = start_of(interval, days.first)
    while start <= days.last:
        end = last_of(interval, start)
        found.append(
            Bucket(
                start,
                end,
                label_of(interval, start),
                start.isocalendar().week if interval is Interval.WEEK else None,
                start < days.first or end > days.last,
                end >= today,
            )
        )
        start = end + timedelta(days=1)
    return found


def default_range(interval: Interval, today: date) -> Range:
    """The last complete buckets of a chart: 12 weeks (also by day), 12 months or 8 quarters; for years, five with the
    current one.

    Without the current year, charts would be empty in the first year.
    """
    if interval in (Interval.DAY, Interval.WEEK):
        monday = start_of(Interval.WEEK, today)
        return Range(monday - timedelta(weeks=12), monday - timedelta(days=1))
    if interval is Interval.YEAR:
        return Range(date(today.year - 4, 1, 1), date(today.year, 12, 31))
    running = start_of(interval, today)
    months = 12 if interval is Interval.MONTH else 24
    return Range(months_before(running, months), running - timedelta(days=1))


def chosen_range(
    first: date | None, last: date | None, today: date, interval: Interval = Interval.WEEK
) -> Range:
    """The range asked for; without any the default of the interval; a missing end is today.

    Raises InvalidArgument when it ends before it starts.
    """
    if first is None and last is None:
        return default_range(interval, today)
    if first is None:
        raise InvalidArgument("startDate", "give it together with endDate")
    if last is None:
        last = max(first, today)
    refuse_backwards(first, last)
    return Range(first, last)


def refuse_backwards(first: date | None, last: date | None) -> None:
    """Raises InvalidArgument for a range that ends before it starts."""
    if first is not None and last is not None and last < first:
        raise InvalidArgument("endDate", f"{last} is before startDate ({first}); use that day or a later one")


def months_before(month: date, number: int) -> date:
    """The first day of the month that is so many months before this one."""
    index = month.year * 12 + month.month - 1 - number
    return date(index // 12, index % 12 + 1, 1)


def whole_period(days: Range) -> tuple[str, date] | None:
    """Kind and start of the published period that the range is exactly, if it is one."""
    for interval in (Interval.WEEK, Interval.MONTH, Interval.QUARTER, Interval.YEAR):
        if start_of(interval, days.first) == days.first and last_of(interval, days.first) == days.last:
            return interval.sql, days.first
    return None


def parts_of(days: Range) -> list[tuple[Interval, Range]]:
    """The years, months and days that together are the range, as stretches of whole ones."""
    for interval in (Interval.YEAR, Interval.MONTH):
        first, last = start_of(interval, days.first), last_of(interval, start_of(interval, days.last))
        if first < days.first:
            first = last_of(interval, first) + timedelta(days=1)
        if last > days.last:
            last = start_of(interval, days.last) - timedelta(days=1)
        if first > last:
            continue
        before = [] if first == days.first else parts_of(Range(days.first, first - timedelta(days=1)))
        after = [] if last == days.last else parts_of(Range(last + timedelta(days=1), days.last))
        return [*before, (interval, Range(first, last)), *after]
    return [(Interval.DAY, days)]
