"""Weeks, months and quarters by their days, in the time zone of an organization."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from api.control.summaries.kinds import Period

MONTHS = {Period.MONTH: 1, Period.QUARTER: 3}
TOLD: Mapping[Period, int] = {Period.WEEK: 13, Period.MONTH: 13, Period.QUARTER: 9}
"""Completed periods that builds have facts of: `summary_weeks` and the others in dbt_project.yml."""


def start_of(period: Period, day: date) -> date:
    """The first day of the period that has this day; weeks begin on Monday."""
    if period is Period.WEEK:
        return day - timedelta(days=day.weekday())
    months = MONTHS[period]
    return date(day.year, (day.month - 1) // months * months + 1, 1)


def end_of(period: Period, start: date) -> date:
    """The last day of the period that begins on this day."""
    # The longest is shorter than the shortest two.
    some_day_after = start + timedelta(days={Period.WEEK: 7, Period.MONTH: 31, Period.QUARTER: 92}[period])
    return start_of(period, some_day_after) - timedelta(days=1)


def last_complete(period: Period, today: date) -> tuple[date, date]:
    """The first and the last day of the newest period that ended before this day."""
    end = start_of(period, today) - timedelta(days=1)
    return start_of(period, end), end


def oldest_told(period: Period, today: date) -> date:
    """The first day of the oldest completed period of which a build of this day can have facts."""
    start = start_of(period, today)
    for _ in range(TOLD[period]):
        start = start_of(period, start - timedelta(days=1))
    return start


def ended_at(end: date, time_zone: str) -> datetime:
    """The instant (UTC) at which a period with this last day ends in a time zone."""
    midnight = datetime.combine(end + timedelta(days=1), time(), ZoneInfo(time_zone))
    return midnight.astimezone(UTC)
