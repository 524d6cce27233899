"""Backtests over the API's side against the builds' own judgement and against plain loops that look on each day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.access.row_access import RowAccess
from api.presentation.checks import CheckKind, check_kinds
from api.query.periods import Range
from api.read.checks.backtests import Proposal, backtest, judged
from api.snapshot.build import Build
from tests.dbt import warehouse
from tests.dbt.invented import invented_checks
from tests.dbt.invented.invented_history import ORGANIZATION_ID
from tests.dbt.invented.invented_lake import TIME_ZONE
from tests.dbt.naive import naive_checks
from tests.dbt.naive.naive_check_kinds import is_robots
from tests.dbt.naive.naive_checks import Episode, Stretch
from tests.dbt.naive.naive_times import Row
from tests.dbt.pull_requests.check_episodes import UNITS
from tests.dbt.pull_requests.reviewed_branches import Reviewed
from tests.dbt.pull_requests.test_checks import KINDS, OF_ROBOTS
from tests.suite.tiers import IS_WHOLE

MICRO = 1_000_000
WHOLE = RowAccess(ORGANIZATION_ID)
EVER = Range(date(2000, 1, 1), date(2100, 1, 1))
THRESHOLDS = {
    "working_hours": (1, 120), "working_days": (1, 20), "lines": (1, 2500), "minutes": (1, 10_000), "rounds": (1, 6),
    "events": (0, 0),
}  # fmt: skip


@pytest.fixture(scope="module")
def build(merged: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Build]:
    """The published tables as the API opens them."""
    folder = tmp_path_factory.mktemp("published") / ORGANIZATION_ID
    folder.mkdir()
    (folder / "published.duckdb").symlink_to(warehouse.published(merged))
    opened = Build("published", folder / "published.duckdb", 500)
    yield opened
    opened.close()


def test_one_query_judges_builds_and_backtests(merged: Path, build: Build) -> None:
    columns = (
        "occurrence_id, subject_id, number, subject_type, repository_id, developer_id, team_id, opened_at, ended_at, "
        "ended_by, measured_micro, threshold_micro, is_critical"
    )
    compared = 0
    for name, setting in invented_checks.kinds().items():
        proposal = Proposal(
            check_kinds()[name], _micro(setting.get("threshold")), _micro(setting.get("critical"))
        )
        found = build.rows(
            f"select {columns} from ({judged(build, WHOLE, proposal, EVER, TIME_ZONE)}) order by subject_id, number"
        )
        expected = warehouse.rows(
            merged,
            f"select {columns} from fct_check_episodes where kind = '{name}' order by subject_id, number",
        )
        assert found == expected, name
        compared += bool(found)
    assert compared > 15


def test_a_thing_without_a_list_is_told_by_its_name(merged: Path, build: Build) -> None:
    kind = check_kinds()["stale_branch"]
    proposal = Proposal(kind, kind.threshold_micro, kind.critical_micro)
    found = backtest(build, WHOLE, proposal, date(2025, 1, 1), date(2027, 3, 1))["checkOccurrences"]
    branches = warehouse.rows(merged, "from int_checks__branches")
    assert sorted((row["repositoryId"], row["subjectTitle"]) for row in found) == sorted(
        (row["repository_id"], row["branch"]) for row in branches
    )
    assert {row["subjectType"] for row in found} == {"BRANCH"}


def _micro(number: float | None) -> int | None:
    return None if number is None else round(number * MICRO)


@settings(
    max_examples=25 if IS_WHOLE else 10,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
@given(
    kind=st.sampled_from(sorted(KINDS)),
    share=st.floats(0, 1),
    first=st.integers(0, 200),
    days=st.integers(1, 60),
)
def test_a_backtest_finds_what_a_look_on_each_day_finds(
    build: Build, reviewed: dict[str, Reviewed], kind: str, share: float, first: int, days: int
) -> None:
    one, declared = reviewed["timed"], check_kinds()[kind]
    low, high = THRESHOLDS[declared.unit]
    threshold = None if declared.threshold is None else round(low + share * (high - low))
    pulls = [pull for pull in one.pull_requests if is_robots(pull) == (kind in OF_ROBOTS)]
    begin = min(pull["created_at"] for pull in pulls).astimezone(ZoneInfo(TIME_ZONE)).date()
    start = begin + timedelta(days=first)
    chosen = Range(start, start + timedelta(days=days - 1))
    proposal = Proposal(declared, _micro(threshold), None)
    numbers = {
        row["pull_request_id"]: row["number"]
        for row in build.rows(
            "select pull_request_id, number from pull_requests where repository_id = ?", (one.id,)
        )
    }
    found = {
        (numbers[row["subject_id"]], row["opened_at"])
        for row in build.rows(judged(build, WHOLE, proposal, chosen, TIME_ZONE))
        if row["subject_id"] in numbers
    }
    assert found == seen_on_each_day(pulls, declared, threshold, chosen)
    counted = backtest(build, WHOLE, proposal, chosen.first, chosen.last)
    assert counted["occurrences"] == sum(week["occurrences"] for week in counted["weeks"]) >= len(found)


def seen_on_each_day(
    pulls: list[Row], kind: CheckKind, threshold: int | None, days: Range
) -> set[tuple[int, datetime]]:
    """Number and opening of what was not there the evening before. Each look knows what happened until then."""
    there = ZoneInfo(TIME_ZONE)
    seen: set[tuple[int, datetime]] = set()
    for pull in pulls:
        stretches = KINDS[kind.name](pull)
        before: set[datetime] | None = None
        for offset in range(-1, days.length):
            midnight = datetime.combine(days.first + timedelta(days=offset + 1), time(), there).astimezone(
                UTC
            )
            now = {one.opened for one in looked(stretches, kind, threshold, midnight)}
            if before is not None:
                seen |= {(pull["number"], at) for at in now - before}
            before = now
    return seen


def looked(
    stretches: list[Stretch], kind: CheckKind, threshold: int | None, as_of: datetime
) -> list[Episode]:
    if kind.unit in UNITS:
        assert threshold is not None
        return naive_checks.episodes(stretches, threshold * UNITS[kind.unit], TIME_ZONE, as_of)
    return naive_checks.measured(
        stretches, as_of, _micro(threshold), is_below=kind.is_below, lasting_days=kind.lasting_days
    )
