"""Checks of AI usage against plain loops over half a year of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from statistics import median
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from api.access.row_access import RowAccess
from api.presentation.checks import check_kinds
from api.query.periods import Range
from api.read.checks.backtests import Proposal, judged
from api.snapshot.build import Build
from tests.dbt import warehouse
from tests.dbt.ai_usage.conftest import AS_OF
from tests.dbt.ai_usage.spending import SEATS_FROM
from tests.dbt.invented import invented_checks
from tests.dbt.invented.invented_history import ORGANIZATION_ID
from tests.dbt.invented.invented_lake import TIME_ZONE
from tests.dbt.naive.naive_checks import Stretch
from tests.dbt.pull_requests.check_episodes import expected_episodes, found_episodes

MICRO = 1_000_000
NOW = datetime.fromisoformat(AS_OF)
FLOOR = 20 * MICRO * 1000
Found = dict[str, list[tuple[datetime, datetime | None, int]]]


@pytest.fixture(scope="module")
def dollars(spent: Path) -> list[dict[str, Any]]:
    return warehouse.rows(spent, "select * from ai_usage where counts_cost and cost_currency = 'USD'")


def stretches(file: Path, kind: str) -> Found:
    found: Found = defaultdict(list)
    for row in warehouse.rows(
        file, f"select * from fct_check_stretches where kind = '{kind}' order by started_at"
    ):
        found[row["subject_id"]].append((row["started_at"], row["ended_at"], row["value_micro"]))
    return found


def local(day: date) -> datetime:
    return datetime.combine(day, time(), ZoneInfo(TIME_ZONE))


def mondays() -> Iterator[date]:
    day = date(2025, 1, 6)
    while local(day) <= NOW:
        yield day
        day += timedelta(weeks=1)


def ended(end: datetime) -> datetime | None:
    return end if end <= NOW else None


def test_spend_without_commits_is_that_of_four_weeks_without_work(
    spent: Path, dollars: list[dict[str, Any]]
) -> None:
    worked: dict[str, set[date]] = defaultdict(set)
    for row in warehouse.rows(spent, "select * from int_commits join int_commit_credits using (commit_sha)"):
        worked[row["developer_id"]].add(row["authored_at"].astimezone(ZoneInfo(TIME_ZONE)).date())
    for row in warehouse.rows(spent, "from fct_commit_credits"):
        worked[row["developer_id"]].add(row["delivered_on"])
    expected: Found = defaultdict(list)
    for monday in mondays():
        days = {monday - timedelta(days=one) for one in range(1, 29)}
        for person in {one["developer_id"] for one in dollars} - {None}:
            own = [one for one in dollars if one["developer_id"] == person and one["used_on"] in days]
            if own and not worked[person] & days:
                value = sum(one["cost_nano"] for one in own) // 1000
                expected[person].append((local(monday), ended(local(monday + timedelta(weeks=1))), value))
    assert sum(map(len, expected.values())) > 2
    assert stretches(spent, "ai_spend_without_commits") == expected


def test_unusual_spend_is_a_week_beside_the_median_of_the_four_before(
    spent: Path, dollars: list[dict[str, Any]]
) -> None:
    by_day: dict[str, dict[date, int]] = defaultdict(lambda: defaultdict(int))
    for one in dollars:
        for subject in {one["developer_id"], one["tool"]} - {None}:
            by_day[subject][one["used_on"]] += one["cost_nano"]
    expected: Found = defaultdict(list)
    small = 0
    for subject, costs in by_day.items():

        def week(last: date, costs: dict[date, int] = costs) -> int:
            return sum(costs.get(last - timedelta(days=back), 0) for back in range(7))

        day = min(costs) + timedelta(days=34)
        while day <= max(costs) + timedelta(days=6):
            usual = median(week(day - timedelta(weeks=back)) for back in range(1, 5))
            now = week(day)
            small += FLOOR > now >= usual > 0
            if now >= FLOOR and now >= usual > 0:
                start = datetime.combine(day + timedelta(days=1), time(), UTC)
                value = int(now * 100 // usual) * 10_000
                expected[subject].append((start, ended(start + timedelta(days=1)), value))
            day += timedelta(days=1)
    assert small > 0
    assert {"cursor", "codex"} < expected.keys()
    assert any(value > 3 * MICRO for rows in expected.values() for *_, value in rows)
    assert stretches(spent, "unusual_ai_spend") == expected


def test_telemetry_is_held_against_four_weeks_of_the_vendor(spent: Path) -> None:
    rows = warehouse.rows(spent, "from ai_usage_reconciliation")
    expected: Found = defaultdict(list)
    for monday in mondays():
        own = [one for one in rows if monday - timedelta(weeks=4) <= one["used_on"] < monday]
        vendor, telemetry = (sum(one[f"{side}_tokens"] for one in own) for side in ("vendor", "telemetry"))
        if vendor >= MICRO:
            value = telemetry * 100 * MICRO // vendor
            expected["claude_code"].append((local(monday), ended(local(monday + timedelta(weeks=1))), value))
    values = [value for *_, value in expected["claude_code"]]
    assert min(values) < 80 * MICRO < max(values)
    assert stretches(spent, "telemetry_below_vendor") == expected


def test_a_seat_is_idle_from_its_last_use_to_the_next(spent: Path) -> None:
    def utc(offset: int) -> datetime:
        return datetime.combine(SEATS_FROM + timedelta(days=offset), time(), UTC)

    found = {
        (row["subject_title"], row["started_at"], row["ended_at"], row["ended_by"])
        for row in warehouse.rows(spent, "from fct_check_stretches where kind = 'idle_ai_seat'")
    }
    assert found == {
        ("Cursor: ada@example.net", utc(4), utc(20), "used"),
        ("Cursor: ada@example.net", utc(21), utc(55), "used"),
        ("Cursor: nobody@elsewhere.example", utc(4), None, None),
        ("Cursor: gone@elsewhere.example", utc(-9), utc(41), "removed"),
    }
    occurrences = warehouse.rows(spent, "from check_occurrences where kind = 'idle_ai_seat'")
    opened = {row["subject_title"]: row["opened_at"] for row in occurrences}
    assert opened["Cursor: ada@example.net"] == utc(51)
    assert opened["Cursor: nobody@elsewhere.example"] == utc(34)
    assert {row["developer_name"] for row in occurrences} == {"Ada Lovelace", None}


@pytest.mark.parametrize("kind", ["ai_spend_without_commits", "unusual_ai_spend", "telemetry_below_vendor"])
def test_occurrences_are_stretches_beyond_the_threshold(spent: Path, kind: str) -> None:
    setting = invented_checks.kinds()[kind]
    rows = warehouse.rows(
        spent, f"select * from fct_check_stretches where kind = '{kind}' order by started_at"
    )
    found = found_episodes(spent, kind)
    expected = {}
    for subject in {row["subject_id"] for row in rows}:
        own = [
            Stretch(row["started_at"], row["ended_at"], row["ended_by"], row["value_micro"])
            for row in rows
            if row["subject_id"] == subject
        ]
        if episodes := expected_episodes(own, setting, NOW):
            expected[subject] = [(one.opened, one.ended, one.by, one.micros) for one in episodes]
    assert found == expected
    assert found


def test_a_backtest_finds_what_the_build_found(spent: Path, tmp_path: Path) -> None:
    folder = tmp_path / ORGANIZATION_ID
    folder.mkdir()
    (folder / "published.duckdb").symlink_to(warehouse.published(spent))
    build = Build("published", folder / "published.duckdb", 500)
    columns = "subject_id, number, subject_title, opened_at, ended_at, measured_micro, threshold_micro"
    ever = Range(date(2025, 1, 1), date(2026, 1, 1))
    try:
        for name in (
            "ai_spend_without_commits",
            "unusual_ai_spend",
            "telemetry_below_vendor",
            "idle_ai_seat",
        ):
            kind = check_kinds()[name]
            proposal = Proposal(kind, kind.threshold_micro, kind.critical_micro)
            tried = judged(build, RowAccess(ORGANIZATION_ID), proposal, ever, TIME_ZONE)
            found = build.rows(f"select {columns} from ({tried}) order by subject_id, number")
            assert found == warehouse.rows(
                spent,
                f"select {columns} from fct_check_episodes where kind = '{name}' order by subject_id, number",
            )
            assert found
    finally:
        build.close()


def test_occurrences_name_people_and_tools(spent: Path) -> None:
    names = {
        (row["subject_type"], row["subject_title"], row["developer_name"])
        for row in warehouse.rows(
            spent, "from check_occurrences where kind like '%ai_%' or kind like 'telemetry%'"
        )
    }
    assert ("ai_tool", "Claude Code", None) in names
    people = {(title, name) for subject_type, title, name in names if subject_type == "developer"}
    assert people
    assert all(title == name for title, name in people)
