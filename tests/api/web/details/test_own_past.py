"""Benchmarks hold buckets against those of the year before, and the overview leads from a performance to its people."""

from datetime import date
from typing import Any
from urllib.parse import urlencode

import httpx

from api.web.details.own_past import MOST_BUCKETS, with_past
from api.web.drawing.figures import etv, score
from api.web.drawing.periods import Period
from api.web.reading import Answer
from tests.api.conftest import ROOT
from tests.api.web.test_pages import page

YEAR = {"startDate": "2026-01-01", "endDate": "2026-11-10", "interval": "MONTH"}


def bucket(start: str, end: str, commits: int = 3, **more: Any) -> dict[str, Any]:
    return {"start": start, "end": end, "commits": commits, "isDraft": False, "isPartial": False} | more


def answer(*points: dict[str, Any]) -> Answer:
    return Answer(200, {"series": [{"points": list(points)}]})


def pasts(
    period: Period, *points: dict[str, Any], before: tuple[dict[str, Any], ...] = ()
) -> list[tuple[str, str | None]]:
    found = with_past(period, answer(*points), answer(*before, *points))
    return [(one["start"], one["past"] and one["past"]["start"]) for one in found]


def test_months_are_held_against_those_of_the_year_before() -> None:
    period = Period(date(2026, 9, 1), date(2026, 11, 10), "MONTH", "")
    assert pasts(
        period,
        bucket("2026-09-01", "2026-09-30"),
        bucket("2026-10-01", "2026-10-31"),
        bucket("2026-11-01", "2026-11-30", isPartial=True),
        before=(
            bucket("2025-09-01", "2025-09-30"),
            bucket("2025-10-01", "2025-10-31", 0),
            bucket("2025-11-01", "2025-11-30"),
            bucket("2026-08-01", "2026-08-31"),
        ),
    ) == [("2026-11-01", None), ("2026-10-01", None), ("2026-09-01", "2025-09-01")]


def test_weeks_are_held_against_those_of_the_same_weekdays() -> None:
    period = Period(date(2026, 11, 16), date(2026, 11, 29), "WEEK", "")
    assert pasts(
        period,
        bucket("2026-11-16", "2026-11-22"),
        bucket("2026-11-23", "2026-11-29", isDraft=True),
        before=(bucket("2025-11-17", "2025-11-23"), bucket("2025-11-24", "2025-11-30")),
    ) == [("2026-11-23", None), ("2026-11-16", "2025-11-17")]


def test_no_bucket_before_the_first_work_is_shown() -> None:
    period = Period(date(2026, 9, 1), date(2026, 11, 30), "MONTH", "")
    empty, full = bucket("2026-09-01", "2026-09-30", 0), bucket("2026-10-01", "2026-10-31")
    idle = bucket("2026-11-01", "2026-11-30", 0)
    assert pasts(period, empty, full, idle) == [("2026-11-01", None), ("2026-10-01", None)]
    assert with_past(period, Answer(503, None), Answer(503, None)) == []


def points_of(client: httpx.Client, metrics: str, **asked: str) -> list[dict[str, Any]]:
    answer = client.get(f"{ROOT}/metrics", params=asked | {"metrics": metrics}).raise_for_status()
    return list(answer.json()["series"][0]["points"])


def test_the_page_has_the_figures_of_the_interface(browser: httpx.Client, client: httpx.Client) -> None:
    found = page(browser, "benchmarks", **YEAR)
    points = points_of(client, "etv,commits,performance", **YEAR)
    start = found.rows.index(found.row("Month")) + 1
    rows = found.rows[start : start + MOST_BUCKETS]
    assert rows[0][0] == "Nov 2026 running"
    since = next(number for number, one in enumerate(points) if one["commits"])
    assert 0 < since < len(points) - 2
    assert [row[0][:8] for row in rows] == [
        f"{date.fromisoformat(one['start']):%b %Y}" for one in reversed(points[since:])
    ]
    for one, row in zip(reversed(points[:-1]), rows[1:], strict=False):
        assert (row[1], row[4]) == (etv(one["etv"]), score(one["performance"]))
    assert "The history has nothing of the year before." in found.text


def test_a_month_of_which_the_range_has_a_part_is_compared_with_nothing(
    browser: httpx.Client, client: httpx.Client
) -> None:
    part = YEAR | {"startDate": "2026-09-16", "endDate": "2026-10-31"}
    points = points_of(client, "etv", **part)
    whole = points_of(client, "etv", **part | {"startDate": "2026-09-01"})
    assert points[0]["etv"] != whole[0]["etv"]
    row = page(browser, "benchmarks", **part).row("Sep 2026")
    assert row[:4] == ["Sep 2026 only a part", etv(points[0]["etv"]), "–no data", "–no data"]


def test_the_performance_of_the_overview_leads_to_people_who_have_one(
    browser: httpx.Client, client: httpx.Client
) -> None:
    closed = [
        one for one in points_of(client, "performance", **YEAR) if not (one["isPartial"] or one["isDraft"])
    ][-1]
    days = {"startDate": closed["start"], "endDate": closed["end"]}
    assert closed["performance"] is not None
    found = page(browser, "overview", **YEAR)
    assert any("/developers?" in one and urlencode(days) in one for one in found.links)
    people = client.get(f"{ROOT}/developers", params=days).json()["developers"]
    assert any(one["performance"] is not None for one in people)


def test_a_single_month_has_its_own_performance(browser: httpx.Client, client: httpx.Client) -> None:
    days = {"startDate": "2026-10-01", "endDate": "2026-10-31"}
    [point] = points_of(client, "performance", **days | {"interval": "MONTH"})
    assert point["performance"] is not None
    assert f"Performance {score(point['performance'])} Oct 2026" in page(browser, "overview", **days).text
