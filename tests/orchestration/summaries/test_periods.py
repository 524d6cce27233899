"""Periods by their days, compared with a walk through days."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import yaml
from hypothesis import given
from hypothesis import strategies as st

from api.control.summaries.kinds import Period
from orchestration.summaries.periods import TOLD, end_of, ended_at, last_complete, oldest_told, start_of
from tests.dbt import warehouse

BEGINS: dict[Period, Callable[[date], bool]] = {
    Period.WEEK: lambda day: day.isoweekday() == 1,
    Period.MONTH: lambda day: day.day == 1,
    Period.QUARTER: lambda day: day.day == 1 and day.month in (1, 4, 7, 10),
}
ONE = timedelta(days=1)


@given(st.sampled_from(Period), st.dates(date(1995, 1, 1), date(2060, 1, 1)))
def test_a_period_lasts_from_its_first_day_to_the_one_before_the_next(period: Period, day: date) -> None:
    start = day
    while not BEGINS[period](start):
        start -= ONE
    end = day
    while not BEGINS[period](end + ONE):
        end += ONE
    assert (start_of(period, day), end_of(period, start)) == (start, end)
    assert last_complete(period, day) == (start_of(period, start - ONE), start - ONE)


@given(st.sampled_from(Period), st.dates(date(1995, 1, 1), date(2060, 1, 1)))
def test_the_oldest_told_period_is_as_many_before_as_builds_have_facts_of(period: Period, day: date) -> None:
    start, number = oldest_told(period, day), 0
    while start < start_of(period, day):
        start, number = end_of(period, start) + ONE, number + 1
    assert (start, number) == (start_of(period, day), TOLD[period])


def test_builds_have_facts_of_the_told_periods() -> None:
    declared = yaml.safe_load((warehouse.PROJECT / "dbt_project.yml").read_text())["vars"]
    assert {period: declared[f"summary_{period}s"] for period in Period} == TOLD


def test_a_period_ends_at_midnight_of_the_zone() -> None:
    sunday = date(2026, 3, 1)
    assert ended_at(sunday, "Pacific/Auckland") == datetime(2026, 3, 1, 11, tzinfo=UTC)
    assert ended_at(sunday, "America/New_York") == datetime(2026, 3, 2, 5, tzinfo=UTC)
