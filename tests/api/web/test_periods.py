"""The range that a range is compared with: the same days of an earlier year, none of which is in both."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.web.drawing.periods import Period


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
