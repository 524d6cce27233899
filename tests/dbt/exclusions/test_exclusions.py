"""Commits that people exclude, or count against a rule: all figures against plain loops over the history."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import date
from pathlib import Path
from typing import Any

from tests.dbt import warehouse
from tests.dbt.naive.naive_scores import Scores
from tests.dbt.points.test_scores import FIGURES, files


def test_every_file_has_the_score_of_plain_loops(decided: Path, decided_naive: Scores) -> None:
    expected = {
        (sha, path): {name: getattr(file, field) for name, field in FIGURES.items()}
        for sha, commit in decided_naive.commits.items()
        for path, file in commit.files.items()
    }
    found = {key: {name: row[name] for name in FIGURES} for key, row in files(decided).items()}
    assert found == expected


def test_totals_omit_excluded_commits(
    decided: Path, decided_naive: Scores, naive: Scores, decisions: dict[str, bool]
) -> None:
    expected: Counter[tuple[str, str]] = Counter()
    for sha, commit in decided_naive.commits.items():
        day = commit.at.astimezone(decided_naive.zone).date().isoformat()
        if not decisions.get(sha):
            expected[day, commit.repository] += sum(file.etv for file in commit.files.values())
    query = """
        select delivered_on::varchar as d, repository_id as r, sum(etv_micro)::bigint as n
        from daily group by 1, 2
    """
    found = {(row["d"], row["r"]): row["n"] for row in warehouse.rows(decided, query) if row["n"]}
    assert found == {key: value for key, value in expected.items() if value}
    before = sum(file.etv for commit in naive.commits.values() for file in commit.files.values())
    assert sum(expected.values()) != before


def test_excluded_commits_are_listed_and_count_in_no_figure(
    decided: Path, decisions: dict[str, bool]
) -> None:
    query = """
        select commit_sha, is_counted, zero_reason, exclusion_reason, exclusion_note, etv_micro, points_micro, category
        from commits_by_time
    """
    rows = {row["commit_sha"]: row for row in warehouse.rows(decided, query)}
    for sha, is_out in decisions.items():
        row = rows[sha]
        if is_out:
            assert (row["is_counted"], row["zero_reason"]) == (False, "EXCLUDED_BY_HAND")
            assert (row["exclusion_reason"], row["exclusion_note"]) == ("OTHER", f"about {sha[:7]}")
            assert (row["etv_micro"], row["points_micro"]) == (0, 0)
        else:
            assert row["zero_reason"] in (None, "NO_COUNTED_LINES")
            assert row["exclusion_reason"] is None
    others = [row for sha, row in rows.items() if sha not in decisions]
    assert not any(row["exclusion_reason"] or row["zero_reason"] == "EXCLUDED_BY_HAND" for row in others)
    counted = """
        select coalesce(sum(commits), 0)::bigint as n from daily where not is_bot
        union all select count(*) from commits_by_time c where c.is_counted and exists (
            select 1 from commit_files f where f.commit_id = c.commit_id)
    """
    first, second = (row["n"] for row in warehouse.rows(decided, counted))
    assert first == second > 0


def test_capex_omits_excluded_commits(decided: Path, decisions: dict[str, bool]) -> None:
    """By developer and month, from credits of counted commits outside sandboxes."""
    query = """
        select k.developer_id, c.commit_sha, c.delivered_on, k.effort_micro
        from commit_credits k join commits_by_time c using (commit_id)
        join repositories r using (repository_id) where not c.is_bot and not r.is_sandbox
    """
    expected: dict[tuple[str, date], int] = defaultdict(int)
    for row in warehouse.rows(decided, query):
        if row["delivered_on"] and not decisions.get(row["commit_sha"]):
            expected[row["developer_id"], row["delivered_on"].replace(day=1)] += row["effort_micro"]
    found: dict[tuple[Any, Any], int] = {
        (row["developer_id"], row["month"]): row["effort_micro"]
        for row in warehouse.rows(decided, "select developer_id, month, effort_micro from api_v1__capex")
    }
    assert {key: n for key, n in found.items() if n} == {key: n for key, n in expected.items() if n}
