"""Ranges with a name, and what a range is compared with: the same days of an earlier year."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import QueryParams

from api.web.drawing.periods import OF_CALENDAR, Period, period_of


def compared(start: date, end: date) -> tuple[date, date, str]:
    period = Period(start, end, "MONTH", "")
    days = period.days_before
    return date.fromisoformat(days["startDate"]), date.fromisoformat(days["endDate"]), period.words_before


@pytest.mark.parametrize(
    ("start", "end", "before"),
    [
        ("2025-01-01", "2025-12-31", ("2024-01-01", "2024-12-31", "the year before")),
        ("2025-12-01", "2026-11-29", ("2024-12-01", "2025-11-29", "the year before")),
        ("2024-02-29", "2024-02-29", ("2023-02-28", "2023-02-28", "the year before")),
        ("2025-01-01", "2026-01-01", ("2023-01-01", "2024-01-01", "the 2 years before")),
        ("2023-01-01", "2025-12-31", ("2020-01-01", "2022-12-31", "the 3 years before")),
        ("0001-01-01", "0001-12-31", ("0001-01-01", "0001-12-31", "the year before")),
    ],
)
def test_the_range_before_is_that_of_as_many_years_as_the_range_has(
    start: str, end: str, before: tuple[str, str, str]
) -> None:
    found = compared(date.fromisoformat(start), date.fromisoformat(end))
    assert (found[0].isoformat(), found[1].isoformat(), found[2]) == before


@pytest.mark.parametrize(
    ("start", "end", "interval", "measured"),
    [
        ("2026-10-01", "2026-10-31", "DAY", "MONTH"),
        ("2026-07-01", "2026-09-30", "WEEK", "QUARTER"),
        ("2025-01-01", "2025-12-31", "MONTH", "YEAR"),
        ("2026-11-23", "2026-11-29", "DAY", "WEEK"),
        ("2026-10-01", "2026-10-30", "DAY", "WEEK"),
        ("2026-08-01", "2026-10-31", "MONTH", "MONTH"),
    ],
)
def test_performance_is_read_of_the_whole_period_that_a_range_is(
    start: str, end: str, interval: str, measured: str
) -> None:
    assert Period(date.fromisoformat(start), date.fromisoformat(end), interval, "").measured == measured


@given(st.dates(date(1970, 1, 1), date(2100, 1, 1)), st.integers(0, 4000))
def test_no_day_is_in_both_ranges(start: date, days: int) -> None:
    _, end, _ = compared(start, start + timedelta(days=days))
    assert end < start


def named(name: str, today: str) -> Period:
    return period_of(QueryParams({"period": name}), date.fromisoformat(today))


@pytest.mark.parametrize(
    ("name", "today", "days"),
    [
        ("this-month", "2026-11-30", ("2026-11-01", "2026-11-30")),
        ("this-month", "2026-12-01", ("2026-12-01", "2026-12-01")),
        ("last-month", "2026-03-31", ("2026-02-01", "2026-02-28")),
        ("last-month", "2026-01-15", ("2025-12-01", "2025-12-31")),
        ("this-quarter", "2026-11-30", ("2026-10-01", "2026-11-30")),
        ("last-quarter", "2026-11-30", ("2026-07-01", "2026-09-30")),
        ("last-quarter", "2026-02-01", ("2025-10-01", "2025-12-31")),
        ("this-year", "2026-11-30", ("2026-01-01", "2026-11-30")),
        ("8-quarters", "2026-11-30", ("2025-01-01", "2026-11-30")),
        ("12-months", "2026-11-30", ("2025-12-01", "2026-11-30")),
        ("12-weeks", "2026-11-30", ("2026-09-07", "2026-11-29")),
    ],
)
def test_a_range_with_a_name_is_counted_from_the_day_of_the_data(
    name: str, today: str, days: tuple[str, str]
) -> None:
    found = named(name, today)
    assert (found.start.isoformat(), found.end.isoformat()) == days
    # A link with the range shows the same one later, with the newer days.
    assert found.query["period"] == name


@given(st.sampled_from(sorted(OF_CALENDAR)), st.dates(date(1970, 1, 1), date(2100, 1, 1)))
def test_a_part_of_the_calendar_ends_today_or_before_the_running_one(name: str, today: date) -> None:
    found = period_of(QueryParams({"period": name}), today)
    assert found.start.day == 1
    if name.startswith("this-"):
        assert found.is_running
        assert found.start <= today == found.end
    else:
        assert not found.is_running
        assert found.end < today
        running = period_of(QueryParams({"period": name.replace("last-", "this-")}), today)
        assert (running.start - found.end).days == 1


def test_only_a_running_part_of_the_calendar_is_a_draft() -> None:
    assert [name for name in OF_CALENDAR if named(name, "2026-11-30").is_running] == [
        "this-month",
        "this-quarter",
        "this-year",
    ]
    assert not named("12-months", "2026-11-30").is_running


def test_a_sentence_says_that_a_running_range_is_not_over() -> None:
    assert named("this-quarter", "2026-11-30").words == "this quarter so far"
    assert named("last-quarter", "2026-11-30").words == "last quarter"
    assert named("last-decade", "2026-11-30").words == "in twelve weeks"
