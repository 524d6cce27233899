"""Reasons for commits that earn nothing: each commit, file change and new line counts once, against plain loops."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.dbt import warehouse
from tests.dbt.naive.naive_scores import Commit, File, Scores

SEED = warehouse.PROJECT / "seeds" / "zero_reason_texts.csv"
RULES = warehouse.PROJECT / "models" / "intermediate"


def seeded() -> dict[str, int]:
    """The position of each reason."""
    with SEED.open(newline="") as lines:
        return {row["zero_reason"]: int(row["position"]) for row in csv.DictReader(lines)}


def new_lines(commit: Commit, file: File) -> int:
    return file.delivered if commit.row["is_merge"] else file.added


def reason_of(commit: Commit) -> str | None:
    """The reason of a commit: None if a file counts, else the reason of most of its new lines."""
    if not commit.files:
        return "MERGE" if commit.row["is_merge"] else "NO_COUNTED_LINES"
    if any(file.etv for file in commit.files.values()):
        return None
    lines: Counter[str] = Counter()
    files = Counter(file.reason or "" for file in commit.files.values())
    for file in commit.files.values():
        lines[file.reason or ""] += new_lines(commit, file)
    position = seeded()
    return min(files, key=lambda reason: (-lines[reason], -files[reason], position[reason]))


@pytest.fixture(scope="module")
def expected(naive: Scores) -> Counter[tuple[str, str | None, str]]:
    """Commits, files and lines by repository and reason."""
    found: Counter[tuple[str, str | None, str]] = Counter()
    for commit in naive.commits.values():
        reason = reason_of(commit)
        whole = naive.settings[commit.repository]["is_excluded"]
        if not commit.files and (whole or commit.is_robot):
            reason = "EXCLUDED" if whole else "BOT"
        found[commit.repository, reason, "commits"] += 1
        for file in commit.files.values():
            found[commit.repository, file.reason, "files"] += 1
            found[commit.repository, file.reason, "lines_added"] += new_lines(commit, file)
    return found


def test_commits_files_and_lines_by_reason_equal_plain_loops(
    built: Path, expected: Counter[tuple[str, str | None, str]]
) -> None:
    query = """
        select repository_id as r, zero_reason as why, sum(commits)::bigint as commits, sum(files)::bigint as files,
            sum(lines_added)::bigint as lines_added
        from zero_reason_days group by all
    """
    found = {
        (row["r"], row["why"], measure): row[measure]
        for row in warehouse.rows(built, query)
        for measure in ("commits", "files", "lines_added")
        if row[measure]
    }
    assert found == {key: value for key, value in expected.items() if value}
    assert len({why for _, why, _ in found}) >= 9


def test_each_delivered_commit_and_line_of_git_counts_once(built: Path, naive: Scores) -> None:
    query = "select sum(commits)::bigint as c, sum(lines_added)::bigint as n from zero_reason_days"
    [row] = warehouse.rows(built, query)
    assert row["c"] == len(naive.commits)
    of_git = sum(
        new_lines(commit, file) for commit in naive.commits.values() for file in commit.files.values()
    )
    assert row["n"] == of_git > 1000


def test_the_stored_commits_include_the_largest_of_any_range(built: Path, naive: Scores) -> None:
    lines: Counter[tuple[str, str]] = Counter()
    for sha, commit in naive.commits.items():
        for file in commit.files.values():
            if file.reason is not None:
                lines[file.reason, sha] += new_lines(commit, file)
    rows = warehouse.rows(
        built,
        "select zero_reason as why, commit_sha as sha, lines_added as n from zero_reason_commits",
    )
    stored = {(row["why"], row["sha"]): row["n"] for row in rows}
    assert all(lines[key] == value > 0 for key, value in stored.items())
    for reason in {why for why, _ in stored}:
        largest = sorted((n for (why, _), n in lines.items() if why == reason and n), reverse=True)[:5]
        assert sorted((n for (why, _), n in stored.items() if why == reason), reverse=True)[:5] == largest


def test_a_commit_without_counted_files_has_the_reason_of_most_lines(built: Path, naive: Scores) -> None:
    rows = warehouse.rows(
        built, "select commit_sha, zero_reason from commits_by_time where delivery_sha is not null"
    )
    found = {row["commit_sha"]: row["zero_reason"] for row in rows}
    checked = 0
    for sha, commit in naive.commits.items():
        if commit.files:
            assert found[sha] == reason_of(commit), sha
            checked += len({file.reason for file in commit.files.values()}) > 1
    assert checked > 20


def test_reasons_apply_in_the_order_of_the_seed() -> None:
    """The seed documents the order of reasons for readers; models apply it."""
    positions = seeded()
    for rules in ("exclusions/int_exclusions__commits.sql", "points/int_points__file_rules.sql"):
        judged = (RULES / rules).read_text().rpartition("judged as (")[2]
        tried = re.findall(r"then '([A-Z_]+)'", judged)
        assert len(tried) >= 5
        order = [positions[reason] for reason in tried]
        assert order == sorted(order), rules
    roles = (warehouse.PROJECT / "seeds" / "role_factors.csv").read_text()
    assert positions["IMPORT_WAITING"] < positions["LOCK"] < positions["GENERATED"]
    assert ",LOCK," in roles
