"""Checks of commits against plain loops over the commits of the invented organization."""

from __future__ import annotations

import math
import shutil
from collections import Counter, defaultdict
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.dbt import warehouse
from tests.dbt.invented.invented_lake import TIME_ZONE, UNREAD_SINCE

MICRO = 1_000_000
# In the invented organization, few commits have more lines, and few repositories have more commits.
LINES, COMMITS, PEOPLE = 5, 4, 2


@pytest.fixture(scope="module")
def checked(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The warehouse with limits that its commits reach."""
    folder = tmp_path_factory.mktemp("checked") / "copy"
    shutil.copytree(built.parent, folder, ignore=shutil.ignore_patterns("target", "raw"))
    limits = {
        "check_large_commit_lines": LINES, "check_usual_commits": COMMITS, "check_rework_commits": COMMITS,
        "check_hot_file_commits": COMMITS, "check_hot_file_people": PEOPLE,
    }  # fmt: skip
    return warehouse.build(
        built.parent / "raw",
        folder,
        with_tests=False,
        select="fct_check_stretches",
        **limits,
    )


def commits_of(file: Path) -> list[dict[str, Any]]:
    return warehouse.rows(
        file,
        "select fct_commits.* from fct_commits join int_repositories using (repository_id) "
        "where delivered_at is not null and not is_sandbox and not is_excluded order by delivered_at, commit_id",
    )


def found(file: Path, kind: str) -> dict[str, tuple[object, ...]]:
    rows = warehouse.rows(file, f"select * from fct_check_stretches where kind = '{kind}'")
    return {row["subject_id"]: (row["started_at"], row["ended_at"], row["value_micro"]) for row in rows}


def test_large_commits_are_compared_with_the_hundred_before(checked: Path) -> None:
    before: dict[str, list[int]] = {}
    expected = {}
    for row in commits_of(checked):
        if row["is_counted"] and not row["is_bot"] and not row["is_merge"] and row["novel_lines"] > 0:
            sizes = before.setdefault(row["repository_id"], [])
            if len(sizes) >= COMMITS and row["novel_lines"] >= LINES:
                usual = math.exp(sum(math.log(size) for size in sizes[-100:]) / len(sizes[-100:]))
                value = round(row["novel_lines"] / usual * 100) * 10_000
                expected[row["commit_id"]] = (row["delivered_at"], None, pytest.approx(value, abs=10_000))
            sizes.append(row["novel_lines"])
    assert len(expected) > 10
    assert found(checked, "unusually_large_commit") == expected


def test_a_fix_has_the_age_of_its_likeliest_origin(checked: Path) -> None:
    commits = {row["commit_sha"]: row for row in commits_of(checked)}
    expected = {
        commits[row["commit_sha"]]["commit_id"]: (
            commits[row["commit_sha"]]["delivered_at"], None, row["age_days"] * MICRO
        )
        for row in warehouse.rows(checked, "select * from fct_bug_origins where place = 1")
        if row["commit_sha"] in commits and not commits[row["commit_sha"]]["is_bot"]
    }  # fmt: skip
    assert len(expected) > 10
    assert found(checked, "fix_of_young_change") == expected


def local(day: date) -> datetime:
    return datetime.combine(day, time(), ZoneInfo(TIME_ZONE))


def test_the_share_of_rework_is_that_of_four_weeks_that_are_final(checked: Path) -> None:
    known = {row["commit_sha"] for row in commits_of(checked)}
    credited = [
        row
        for row in warehouse.rows(checked, "select * from fct_commit_credits")
        if row["commit_sha"] in known and row["is_counted"] and not row["is_bot"]
    ]
    as_of = datetime.fromisoformat(warehouse.AS_OF)
    expected: dict[str, list[tuple[object, ...]]] = defaultdict(list)
    for repository in {row["repository_id"] for row in credited}:
        own = [row for row in credited if row["repository_id"] == repository]
        first = min(row["delivered_on"] for row in own)
        monday = first - timedelta(days=first.weekday())
        while local(monday) <= as_of:
            rows = [
                row
                for row in own
                if monday - timedelta(weeks=6) <= row["delivered_on"] < monday - timedelta(weeks=2)
            ]
            taken = sum(row["taken_back_points_micro"] for row in rows)
            points = taken + sum(row["points_micro"] for row in rows)
            if len({row["commit_sha"] for row in rows}) >= COMMITS and points:
                end = local(monday + timedelta(weeks=1))
                value = taken * 100 * MICRO // points
                expected[repository].append((local(monday), end if end <= as_of else None, value))
            monday += timedelta(weeks=1)
    assert any(value for rows in expected.values() for _, _, value in rows)
    assert stretches(checked, "rework_share") == expected


def test_a_hot_file_has_the_share_of_the_person_with_most_of_its_commits(checked: Path) -> None:
    commits = {row["commit_sha"]: row for row in commits_of(checked)}
    changes = [
        (row["path"], commits[row["commit_sha"]])
        for row in warehouse.rows(checked, "select * from fct_commit_files")
        if row["commit_sha"] in commits and row["role"] == "source" and row["zero_reason"] is None
        if row["status"] != "D"
    ]
    changes = [(path, one) for path, one in changes if not one["is_bot"] and not one["is_merge"]]
    as_of = datetime.fromisoformat(warehouse.AS_OF)
    expected: dict[str, list[tuple[object, ...]]] = defaultdict(list)
    for repository in {one["repository_id"] for _, one in changes}:
        own = [(path, one) for path, one in changes if one["repository_id"] == repository]
        first = min(one["delivered_on"] for _, one in own)
        monday = first - timedelta(days=first.weekday())
        while local(monday) <= as_of:
            recent = [
                (path, one)
                for path, one in own
                if monday - timedelta(weeks=12) <= one["delivered_on"] < monday
            ]
            by_file: dict[str, Counter[str]] = defaultdict(Counter)
            for path, one in recent:
                by_file[path][one["developer_id"]] += 1
            if len({one["developer_id"] for _, one in recent}) >= PEOPLE:
                end = local(monday + timedelta(weeks=1))
                for path, counts in by_file.items():
                    if counts.total() >= COMMITS:
                        value = max(counts.values()) * 100 * MICRO // counts.total()
                        expected[path].append((local(monday), end if end <= as_of else None, value))
            monday += timedelta(weeks=1)
    assert len({value for rows in expected.values() for _, _, value in rows}) > 2
    found = stretches(checked, "hot_file_of_one_person", "subject_title")
    assert {path: sorted(rows) for path, rows in found.items()} == {
        path: sorted(rows) for path, rows in expected.items()
    }


def test_a_repository_is_not_read_since_its_last_complete_reading(checked: Path) -> None:
    ids = {row["name"]: row["repository_id"] for row in warehouse.rows(checked, "from int_repositories")}
    expected = {
        ids[name]: [(since, None, None)] for name, since in UNREAD_SINCE.items() if name != "acme/playground"
    }
    assert len(expected) > 1
    assert stretches(checked, "repository_not_read") == expected


def stretches(file: Path, kind: str, subject: str = "subject_id") -> dict[str, list[tuple[object, ...]]]:
    rows = warehouse.rows(
        file, f"select * from fct_check_stretches where kind = '{kind}' order by subject_id, started_at"
    )
    found: dict[str, list[tuple[object, ...]]] = defaultdict(list)
    for row in rows:
        found[row[subject]].append((row["started_at"], row["ended_at"], row["value_micro"]))
    return found
