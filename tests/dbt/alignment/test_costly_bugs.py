"""The factor of fixes of resolved bugs against plain loops over removed lines."""

from __future__ import annotations

from collections import defaultdict
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.dbt import warehouse
from tests.dbt.invented import invented_lake
from tests.dbt.invented.invented_history import PEOPLE, History, Repository
from tests.dbt.invented.invented_trackers import JIRA, Trackers, connection, item, reference

Row = dict[str, Any]
FORTNIGHT = timedelta(days=14)
QUARTER = timedelta(days=90)


@pytest.fixture(scope="module")
def repositories() -> list[Repository]:
    """Two histories of half a year in which every third commit names a resolved bug."""
    found = []
    for seed in (21, 22):
        history = History(f"acme/bugs{seed}", seed=seed, people=PEOPLE[3:6], hours=(5, 60, 200))
        for _ in range(40):
            history.deliver()
        repository = history.finish()
        for number, commit in enumerate(repository.rows["commits"]):
            commit["subject"] = "fix: a crash" if number % 4 else "feat: a page"
            key = ("BUG-1", "BUG-2", "BUG-3", "BUG-4", "TASK-1", "NONE-1")[number % 6]
            row = reference(repository, commit["commit_sha"], "subject", "key", key)
            repository.rows["references"].append(row)
        found.append(repository)
    return found


@pytest.fixture(scope="module")
def trackers() -> Trackers:
    given: list[dict[str, Any]] = [
        {"key": "BUG-1", "type_name": "Bug", "status_category": "done", "resolution": "Fixed"},
        {"key": "BUG-2", "labels": ["ui", "kind/bug"], "status_category": "done"},
        {"key": "BUG-3", "type_name": "Bug", "status_category": "doing"},
        {"key": "BUG-4", "type_name": "Bug", "status_category": "done", "resolution": "Won't Fix"},
        {"key": "TASK-1", "type_name": "Debugging task", "status_category": "done"},
    ]
    trackers = Trackers(control={"connections": [connection(JIRA, "JIRA_CLOUD")]})
    trackers.items[JIRA] = [item(JIRA, str(number), "story", **one) for number, one in enumerate(given)]
    return trackers


@pytest.fixture(scope="module")
def built(
    repositories: list[Repository], trackers: Trackers, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("bugs")
    invented_lake.write(folder / "raw", repositories, trackers=trackers)
    return warehouse.build(folder / "raw", folder, select="+fct_commit_files")


def test_a_resolved_bug_raises_its_fixes_by_age_authors_and_churn(
    built: Path, repositories: list[Repository]
) -> None:
    commits = {row["commit_sha"]: row for row in warehouse.rows(built, "select * from int_delivered_commits")}
    files = warehouse.rows(built, "select * from int_files")
    expected = {}
    for repository in repositories:
        removed: dict[tuple[str, str], list[Row]] = defaultdict(list)
        for row in repository.rows["line_deaths"]:
            removed[row["remover_sha"], row["path"]].append(row)
        resolved = {
            row["commit_sha"] for row in repository.rows["references"] if row["target"] in ("BUG-1", "BUG-2")
        }
        for file in files:
            if file["repository_id"] == repository.id and file["commit_sha"] in resolved:
                fix = commits[file["commit_sha"]]
                deaths = removed[file["commit_sha"], file["previous_path"] or file["path"]]
                busy = _deliveries(files, commits, file, fix)
                if factor := _factor(fix, deaths, commits, busy):
                    expected[file["commit_sha"], file["path"]] = factor
    rows = warehouse.rows(built, "select * from int_alignment__multipliers")
    found = {(row["commit_sha"], row["path"]): row["multiplier_micro"] for row in rows}
    assert found.keys() == expected.keys()
    assert all(abs(found[key] - expected[key] * 1_000_000) <= 2 for key in found)
    assert len({value for value in found.values() if value > 1_000_000}) > 20
    assert 1_000_000 in found.values()


def test_only_fixes_earn_more(built: Path) -> None:
    files = warehouse.rows(
        built,
        "select f.*, m.multiplier_micro as own from fct_commit_files f"
        " left join int_alignment__multipliers m using (commit_sha, path)",
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
