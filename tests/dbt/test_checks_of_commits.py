"""Checks of commits against plain loops over the commits of the invented organization."""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.dbt import warehouse

MICRO = 1_000_000
# In the invented organization, few commits have more lines, and few repositories have more commits.
LINES, COMMITS = 5, 4


@pytest.fixture(scope="module")
def checked(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The warehouse with limits that its commits reach."""
    folder = tmp_path_factory.mktemp("checked") / "copy"
    shutil.copytree(built.parent, folder, ignore=shutil.ignore_patterns("target", "raw"))
    limits = {"check_large_commit_lines": LINES, "check_usual_commits": COMMITS}
    return warehouse.build(
        built.parent / "raw", folder, with_tests=False, select="fct_check_stretches", **limits
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
