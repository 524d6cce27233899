"""Ranges and buckets, against the calendar of the standard library."""

from datetime import date, timedelta
from itertools import pairwise

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.errors import InvalidArgument
from api.query.periods import (
    MAX_POINTS,
    Interval,
    Range,
    allowed,
    buckets,
    chosen_range,
    coarsened,
    label_of,
    last_of,
    points,
    start_of,
    whole_period,
)
from tests.api.conftest import ROOT

DAYS = st.dates(date(1970, 1, 1), date(2999, 12, 31))
TODAY = date(2026, 11, 20)


@given(day=DAYS, interval=st.sampled_from(Interval))
def test_a_day_lies_in_its_bucket_and_buckets_join(day: date, interval: Interval) -> None:
    start = start_of(interval, day)
    end = last_of(interval, start)
    assert start <= day <= end
    assert start_of(interval, end) == start
    assert start_of(interval, end + timedelta(days=1)) == end + timedelta(days=1)


@given(first=DAYS, length=st.integers(0, 900), interval=st.sampled_from(Interval))
def test_buckets_cover_the_range_once_and_are_counted_right(
    first: date, length: int, interval: Interval
) -> None:
    days = Range(first, min(first + timedelta(days=length), date(2999, 12, 31)))
    found = buckets(interval, days, TODAY)
    assert len(found) == points(interval, days)
    assert found[0].start <= days.first <= found[0].end
    assert found[-1].start <= days.last <= found[-1].end
    for before, after in pairwise(found):
        assert after.start == before.end + timedelta(days=1)
        assert before.label < after.label
    for bucket in found:
        inside = days.first <= bucket.start and bucket.end <= days.last
        assert bucket.is_partial != inside
        assert bucket.is_draft == (bucket.end >= TODAY)


@pytest.mark.parametrize(
    ("interval", "day", "label"),
    [
        (Interval.WEEK, date(2021, 1, 1), "2020-W53"),
        (Interval.WEEK, date(2024, 12, 30), "2025-W01"),
        (Interval.QUARTER, date(2026, 12, 31), "2026-Q4"),
        (Interval.MONTH, date(2026, 2, 28), "2026-02"),
        (Interval.YEAR, date(2026, 2, 28), "2026"),
        (Interval.DAY, date(2026, 2, 28), "2026-02-28"),
    ],
)
def test_labels_are_iso(interval: Interval, day: date, label: str) -> None:
    assert label_of(interval, start_of(interval, day)) == label


@given(first=DAYS, length=st.integers(0, 200_000), interval=st.sampled_from(Interval))
def test_coarsening_takes_the_finest_interval_that_fits(first: date, length: int, interval: Interval) -> None:
    last = min(first + timedelta(days=length), date(2999, 12, 31))
    days = Range(first, last)
    try:
        chosen = coarsened(interval, days)
        assert chosen == allowed(interval, days)[0]
    except InvalidArgument:
        assert points(Interval.YEAR, days) > MAX_POINTS
        return
    intervals = list(Interval)
    assert points(chosen, days) <= MAX_POINTS
    for finer in intervals[intervals.index(interval) : intervals.index(chosen)]:
        assert points(finer, days) > MAX_POINTS


def test_the_default_is_the_last_twelve_complete_weeks_on_any_weekday() -> None:
    for number in range(7):
        days = chosen_range(None, None, date(2026, 11, 16) + timedelta(days=number))
        assert (days.first, days.last) == (date(2026, 8, 24), date(2026, 11, 15))


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        ("DAY", ("2026-08-24", "2026-11-15", 84)),
        ("WEEK", ("2026-08-24", "2026-11-15", 12)),
        ("MONTH", ("2025-11-01", "2026-10-31", 12)),
        ("QUARTER", ("2024-10-01", "2026-09-30", 8)),
        ("YEAR", ("2022-01-01", "2026-12-31", 5)),
    ],
)
def test_the_default_range_follows_the_interval(
    client: httpx.Client, interval: str, expected: tuple[str, str, int]
) -> None:
    found = client.get(f"{ROOT}/metrics", params={"interval": interval}).json()
    points = found["series"][0]["points"]
    assert (found["startDate"], found["endDate"], len(points)) == expected
    assert found["interval"] == interval
    assert [point["isDraft"] for point in points] == [False] * (len(points) - 1) + [interval == "YEAR"]
    assert not any(point["isPartial"] for point in points)


def test_movements_have_the_default_range_of_their_interval(client: httpx.Client) -> None:
    moved = client.get(f"{ROOT}/movements").json()["movements"]
    asked = {"startDate": "2025-11-01", "endDate": "2026-10-31"}
    assert moved == client.get(f"{ROOT}/movements", params=asked).json()["movements"]
    assert {row["periodStart"] for row in moved} > {"2026-08-01", "2026-09-01", "2026-10-01"}


def test_the_default_is_of_whole_buckets_on_any_day() -> None:
    for number in range(800):
        today = date(2024, 1, 1) + timedelta(days=number)
        for interval in Interval:
            days = chosen_range(None, None, today, interval)
            assert start_of(interval, days.first) == days.first
            assert last_of(interval, start_of(interval, days.last)) == days.last
            # The last one is over, and the one after it is not; of years it is the running one.
            running = interval is Interval.YEAR
            unit = Interval.WEEK if interval is Interval.DAY else interval
            assert (days.last >= today) == running
            assert running or start_of(unit, today) == days.last + timedelta(days=1)


@pytest.mark.parametrize("path", ["commits", "metrics", "capex", "movements", "developers"])
def test_a_range_that_ends_before_it_starts_is_refused(client: httpx.Client, path: str) -> None:
    refused = client.get(f"{ROOT}/{path}", params={"startDate": "2026-02-01", "endDate": "2026-01-01"})
    assert (refused.status_code, refused.json()["code"]) == (400, 3)
    assert refused.json()["message"] == (
        "endDate: 2026-01-01 is before startDate (2026-02-01); use that day or a later one"
    )
    same = client.get(f"{ROOT}/{path}", params={"startDate": "2026-02-01", "endDate": "2026-02-01"})
    assert same.status_code == 200


def test_only_exact_periods_are_published_ones() -> None:
    assert whole_period(Range(date(2026, 9, 1), date(2026, 9, 30))) == ("month", date(2026, 9, 1))
    assert whole_period(Range(date(2024, 2, 1), date(2024, 2, 29))) == ("month", date(2024, 2, 1))
    assert whole_period(Range(date(2026, 7, 1), date(2026, 9, 30))) == ("quarter", date(2026, 7, 1))
    assert whole_period(Range(date(2026, 1, 1), date(2026, 12, 31))) == ("year", date(2026, 1, 1))
    assert whole_period(Range(date(2026, 11, 9), date(2026, 11, 15))) == ("week", date(2026, 11, 9))
    assert whole_period(Range(date(2026, 9, 1), date(2026, 9, 29))) is None


def test_a_coarsened_answer_names_its_interval(client: httpx.Client) -> None:
    params = {"interval": "DAY", "startDate": "2025-01-01", "endDate": "2026-11-20", "metrics": "etv"}
    answer = client.get(f"{ROOT}/metrics", params=params).json()
    assert (answer["requestedInterval"], answer["interval"], answer["isCoarsened"]) == ("DAY", "WEEK", True)
    assert len(answer["series"][0]["points"]) == 99
    fine = client.get(f"{ROOT}/metrics", params=params | {"startDate": "2026-11-01"}).json()
    assert (fine["interval"], fine["isCoarsened"]) == ("DAY", False)


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"startDate": "2026-02-01", "endDate": "2026-01-01"}, "endDate"),
        ({"endDate": "2026-01-01"}, "startDate"),
        ({"startDate": "1969-12-31", "endDate": "2026-01-01"}, "startDate"),
        ({"startDate": "1970-01-01", "endDate": "9999-12-31"}, "endDate"),
        ({"startDate": "1970-01-01", "endDate": "2999-12-31", "interval": "YEAR"}, "startDate"),
        ({"startDate": "2026-02-30"}, "startDate"),
        ({"startDate": "2026-01-01T00:00:00Z"}, "startDate"),
        ({"interval": "FORTNIGHT"}, "interval"),
        ({"groupBy": "OFFICE"}, "groupBy"),
        ({"metrics": "etv,happiness"}, "metrics"),
        ({"category": "chores"}, "category.0"),
    ],
)
def test_malformed_series_are_refused_by_field(
    client: httpx.Client, params: dict[str, str], field: str
) -> None:
    response = client.get(f"{ROOT}/metrics", params=params)
    assert response.status_code == 400, response.text
    named = [violation["field"] for violation in response.json()["details"][0]["fieldViolations"]]
    assert named == [field]


@pytest.mark.parametrize("path", ["metrics", "pullRequestMetrics"])
def test_a_series_names_the_intervals_that_its_range_allows(client: httpx.Client, path: str) -> None:
    """As many days as points are allowed, one more, and as many weeks, one more."""
    last = date(2026, 11, 15)
    names = [interval.value for interval in Interval]
    for days, finest in ((400, 0), (401, 1), (400 * 7, 1), (400 * 7 + 1, 2)):
        first = last - timedelta(days=days - 1)
        answer = client.get(
            f"{ROOT}/{path}", params={"startDate": str(first), "endDate": str(last), "interval": "DAY"}
        ).json()
        assert (answer["allowedIntervals"], answer["interval"]) == (names[finest:], names[finest])
        for interval in answer["allowedIntervals"]:
            again = client.get(
                f"{ROOT}/{path}",
                params={"startDate": str(first), "endDate": str(last), "interval": interval},
            ).json()
            assert again["interval"] == interval
