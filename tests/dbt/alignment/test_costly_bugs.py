"""The factor of fixes of resolved bugs against plain loops over removed lines."""

from __future__ import annotations

from collections import defaultdict
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

from tests.dbt import warehouse
from tests.dbt.invented.tracked_organization import RESOLVED, Tracked

Row = dict[str, Any]
FORTNIGHT = timedelta(days=14)
QUARTER = timedelta(days=90)


def test_a_resolved_bug_raises_its_fixes_by_age_authors_and_churn(aligned: Path, tracked: Tracked) -> None:
    commits = {
        row["commit_sha"]: row for row in warehouse.rows(aligned, "select * from int_delivered_commits")
    }
    files = warehouse.rows(aligned, "select * from int_files")
    expected = {}
    for repository in tracked.buggy:
        removed: dict[tuple[str, str], list[Row]] = defaultdict(list)
        for row in repository.rows["line_deaths"]:
            removed[row["remover_sha"], row["path"]].append(row)
        resolved = {row["commit_sha"] for row in repository.rows["references"] if row["target"] in RESOLVED}
        for file in files:
            if file["repository_id"] == repository.id and file["commit_sha"] in resolved:
                fix = commits[file["commit_sha"]]
                deaths = removed[file["commit_sha"], file["previous_path"] or file["path"]]
                busy = _deliveries(files, commits, file, fix)
                if factor := _factor(fix, deaths, commits, busy):
                    expected[file["commit_sha"], file["path"]] = factor
    rows = warehouse.rows(aligned, f"select * from int_alignment__multipliers where {_of(tracked)}")
    found = {(row["commit_sha"], row["path"]): row["multiplier_micro"] for row in rows}
    assert found.keys() == expected.keys()
    assert all(abs(found[key] - expected[key] * 1_000_000) <= 2 for key in found)
    assert len({value for value in found.values() if value > 1_000_000}) > 20
    assert 1_000_000 in found.values()


def test_only_fixes_earn_more(aligned: Path, tracked: Tracked) -> None:
    files = warehouse.rows(
        aligned,
        "select f.*, m.multiplier_micro as own from fct_commit_files f "
        f"left join int_alignment__multipliers m using (commit_sha, path) where {_of(tracked)}",
    )
    for file in files:
        is_fix = file["category"] == "fixes"
        assert file["multiplier_micro"] == ((file["own"] or 1_000_000) if is_fix else 1_000_000)
        assert 1_000_000 <= file["multiplier_micro"] <= 2_000_000
        value = Fraction(file["effort_micro"] * file["multiplier_micro"], 1_000_000)
        assert abs(file["etv_micro"] - value) <= 2
    raised = [file for file in files if file["etv_micro"] > file["effort_micro"]]
    assert len(raised) > 5
    assert any(file["own"] and file["own"] > 1_000_000 and file["category"] != "fixes" for file in files)


def _of(tracked: Tracked) -> str:
    """A condition on rows: their commit is in a repository with fixes."""
    repositories = tuple(one.id for one in tracked.buggy)
    return (
        f"commit_sha in (select commit_sha from int_delivered_commits where repository_id in {repositories})"
    )


def _deliveries(files: list[Row], commits: dict[str, Row], file: Row, fix: Row) -> int:
    """Deliveries that changed the file in the quarter before the fix."""
    found = set()
    for other in files:
        if (other["repository_id"], other["original_path"]) == (file["repository_id"], file["original_path"]):
            change = commits[other["commit_sha"]]
            if timedelta(0) < fix["delivered_at"] - change["delivered_at"] <= QUARTER:
                found.add(change["delivery_sha"])
    return len(found)


def _factor(fix: Row, deaths: list[Row], commits: dict[str, Row], busy: int) -> Fraction | None:
    """1, and for each removed line its age, its author and the churn of the file; None without such lines."""
    lines = parts = Fraction(0)
    for death in deaths:
        count = sum(line["lines"] for line in death["lines"] if line["class"] != "layout")
        lines += count
        birth = commits.get(death["birth_sha"])
        if birth is None or birth["delivery_sha"] == fix["delivery_sha"]:
            continue
        is_own = birth["developer_id"] == fix["developer_id"]
        if is_own and fix["delivered_at"] - birth["delivered_at"] <= FORTNIGHT:
            continue
        age = _day(fix) - _day(birth)
        part = Fraction(4, 10) * Fraction(min(max(age.days, 0), 365), 365) + Fraction(3, 10) * Fraction(
            min(busy, 10), 10
        )
        parts += count * (part + (0 if is_own else Fraction(3, 10)))
    return 1 + parts / lines if lines else None


def _day(commit: Row) -> date:
    day: date = commit["delivered_at"].date()
    return day
