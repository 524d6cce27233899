"""Commits that people exclude, or count against a rule: all figures against plain loops over the history."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.dbt import warehouse
from tests.dbt.invented import invented_lake
from tests.dbt.invented.invented_history import Repository
from tests.dbt.naive.naive_scores import Commit, Scores
from tests.dbt.points.test_scores import FIGURES, files


def reasons(commit: Commit) -> set[str | None]:
    return {file.reason for file in commit.files.values()}


@pytest.fixture(scope="module")
def decisions(naive: Scores) -> dict[str, bool]:
    """Exclude every fifth counted commit, and count some commits that rules exclude."""
    order = sorted(naive.commits)
    counted = [sha for sha in order if any(file.etv for file in naive.commits[sha].files.values())]
    ruled_out = [
        sha for sha in order if reasons(naive.commits[sha]) and reasons(naive.commits[sha]) <= {"IMPORT"}
    ]
    repeated = [sha for sha in order if "DUPLICATE" in reasons(naive.commits[sha])]
    of_bots = [sha for sha in order if reasons(naive.commits[sha]) == {"BOT"}]
    assert len(counted) > 100
    assert ruled_out
    assert repeated
    assert of_bots
    kept = [*ruled_out[:2], *repeated[:1]]
    out = [sha for sha in [*counted[::5], *of_bots[:2]] if sha not in kept]
    return {sha: sha in out for sha in [*out, *kept]}


@pytest.fixture(scope="module")
def decided(repositories: list[Repository], decisions: dict[str, bool]) -> Scores:
    return Scores(invented_lake.gathered(repositories, decisions), invented_lake.TIME_ZONE)


@pytest.fixture(scope="module")
def restated(
    repositories: list[Repository], decisions: dict[str, bool], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("exclusions")
    invented_lake.write(folder / "raw", repositories, decisions=decisions)
    return warehouse.build(folder / "raw", folder)


def test_every_file_has_the_score_of_plain_loops(restated: Path, decided: Scores) -> None:
    expected = {
        (sha, path): {name: getattr(file, field) for name, field in FIGURES.items()}
        for sha, commit in decided.commits.items()
        for path, file in commit.files.items()
    }
    found = {key: {name: row[name] for name in FIGURES} for key, row in files(restated).items()}
    assert found == expected


def test_totals_omit_excluded_commits(
    restated: Path, decided: Scores, naive: Scores, decisions: dict[str, bool]
) -> None:
    expected: Counter[tuple[str, str]] = Counter()
    for sha, commit in decided.commits.items():
        day = commit.at.astimezone(decided.zone).date().isoformat()
        if not decisions.get(sha):
            expected[day, commit.repository] += sum(file.etv for file in commit.files.values())
    query = """
        select delivered_on::varchar as d, repository_id as r, sum(etv_micro)::bigint as n
        from api_v1__daily group by 1, 2
    """
    found = {(row["d"], row["r"]): row["n"] for row in warehouse.rows(restated, query) if row["n"]}
    assert found == {key: value for key, value in expected.items() if value}
    before = sum(file.etv for commit in naive.commits.values() for file in commit.files.values())
    assert sum(expected.values()) != before


def test_excluded_commits_are_listed_and_count_in_no_figure(
    restated: Path, decisions: dict[str, bool]
) -> None:
    query = """
        select commit_sha, is_counted, zero_reason, exclusion_reason, exclusion_note, etv_micro, points_micro, category
        from api_v1__commits
    """
    rows = {row["commit_sha"]: row for row in warehouse.rows(restated, query)}
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
        select coalesce(sum(commits), 0)::bigint as n from api_v1__daily where not is_bot
        union all select count(*) from api_v1__commits c where c.is_counted and exists (
            select 1 from api_v1__commit_files f where f.commit_id = c.commit_id)
    """
    first, second = (row["n"] for row in warehouse.rows(restated, counted))
    assert first == second > 0


def test_capex_omits_excluded_commits(restated: Path, decisions: dict[str, bool]) -> None:
    """By developer and month, from credits of counted commits outside sandboxes."""
    query = """
        select k.developer_id, c.commit_sha, c.delivered_on, k.effort_micro
        from api_v1__commit_credits k join api_v1__commits c using (commit_id)
        join api_v1__repositories r using (repository_id) where not c.is_bot and not r.is_sandbox
    """
    expected: dict[tuple[str, date], int] = defaultdict(int)
    for row in warehouse.rows(restated, query):
        if row["delivered_on"] and not decisions.get(row["commit_sha"]):
            expected[row["developer_id"], row["delivered_on"].replace(day=1)] += row["effort_micro"]
    found: dict[tuple[Any, Any], int] = {
        (row["developer_id"], row["month"]): row["effort_micro"]
        for row in warehouse.rows(restated, "select developer_id, month, effort_micro from api_v1__capex")
    }
    assert {key: n for key, n in found.items() if n} == {key: n for key, n in expected.items() if n}


def test_undoing_decisions_restores_the_figures(
    repositories: list[Repository], built: Path, restated: Path
) -> None:
    """After undoing all decisions the control table has no rows; see tests/api/control/test_commit_exclusions.py."""
    raw = restated.parent / "raw"
    invented_lake.write(raw, repositories, decisions={})
    again = warehouse.build(raw, restated.parent, with_tests=False)
    for relation in warehouse.relations(built, "api_v1__"):
        assert warehouse.fingerprint(again, relation) == warehouse.fingerprint(built, relation)
