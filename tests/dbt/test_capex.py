"""The interval of the CapEx share against plain loops over the possible kinds of each commit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from tests.dbt import warehouse
from tests.dbt.invented import decided_capex
from tests.dbt.invented.decided_capex import Policy
from tests.dbt.invented.invented_history import Repository

MEASURES = ("etv_micro", "effort_micro", "lines_added", "lines_deleted")
KINDS = ("features", "maintenance", "fixes")


def parts(file: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A file change without the tests inside it, and these."""
    tests = {name: file[f"inline_tests_{name}"] for name in MEASURES}
    yield file | {name: file[name] - tests[name] for name in MEASURES}
    if any(tests.values()):
        yield tests | {"category": "tests", "category_method": "content"}


def judged_commits(built: Path, policy: Policy) -> Iterator[dict[str, Any]]:
    """Uncertain commits: probabilities, shares of people, and effort to capitalize by kind."""
    files: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in warehouse.rows(built, "select * from fct_commit_files"):
        files[row["commit_sha"]] += parts(row)
    shares: dict[str, dict[str, float]] = defaultdict(dict)
    for row in warehouse.rows(built, "select commit_sha, developer_id, share_micro from int_commit_credits"):
        shares[row["commit_sha"]][row["developer_id"]] = row["share_micro"] / 1e6
    categories = {
        row["commit_sha"]: row for row in warehouse.rows(built, "select * from int_categories__commits")
    }
    query = """
        select c.commit_sha, c.commit_id, c.repository_id, c.delivered_on, c.category from commits_by_time c
        join repositories r using (repository_id) where c.is_counted and not c.is_bot and not r.is_sandbox
    """
    for commit in warehouse.rows(built, query):
        own = files[commit["commit_sha"]]
        judged = [file for file in own if file["category_method"] in ("model", "overruled_type", "endpoint")]
        if sum(file["effort_micro"] for file in judged) == 0:
            continue
        month = commit["delivered_on"].replace(day=1)
        efforts = {}
        for kind in KINDS:
            cells: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
            for file in own:
                cell = cells[kind if file in judged else file["category"]]
                cell[0] += file["etv_micro"]
                cell[1] += file["lines_added"] + file["lines_deleted"]
                cell[2] += file["effort_micro"]
            main = min(cells, key=lambda name: (-cells[name][0], -cells[name][1], name))
            if kind == judged[0]["category"]:
                assert main == commit["category"]
            efforts[kind] = sum(
                effort
                for name, (_, _, effort) in cells.items()
                if policy(month, commit["repository_id"], name, main)
            )
        chances = {kind: categories[commit["commit_sha"]][f"{kind}_probability"] for kind in KINDS}
        yield commit | {
            "month": month, "present": judged[0]["category"], "efforts": efforts, "chances": chances,
            "shares": shares[commit["commit_sha"]],
        }  # fmt: skip


def spread(commit: dict[str, Any]) -> tuple[float, float]:
    """Mean and standard deviation of the capitalized effort."""
    chances, efforts = commit["chances"], commit["efforts"]
    whole = sum(chances.values())
    mean = sum(chances[kind] * efforts[kind] for kind in KINDS) / whole
    return mean, sqrt(sum(chances[kind] * (efforts[kind] - mean) ** 2 for kind in KINDS) / whole)


def check_intervals(built: Path, policy: Policy) -> int:
    """Compare every row of the report. Returns the number of rows with a wider interval than the share."""
    shifts: dict[tuple[str, date], float] = defaultdict(float)
    deviations: dict[tuple[str, date], list[float]] = defaultdict(list)
    for commit in judged_commits(built, policy):
        mean, deviation = spread(commit)
        for developer, share in commit["shares"].items():
            key = developer, commit["month"]
            shifts[key] += share * (mean - commit["efforts"][commit["present"]])
            deviations[key].append(share * deviation)
    wide = 0
    for row in warehouse.rows(built, "select * from api_v1__capex"):
        key = row["developer_id"], row["month"]
        share, low, high = (row[f"capex_percent{end}"] for end in ("", "_low", "_high"))
        if not row["effort_micro"]:
            assert (share, low, high) == (None, None, None)
            continue
        alone = sum(one**2 for one in deviations[key])
        together = sum(deviations[key]) ** 2
        reach = 1.96 * sqrt(0.85 * alone + 0.15 * together)
        centre, effort = row["capitalizable_effort_micro"] + shifts[key], row["effort_micro"]
        expected = [max(centre - reach, 0), min(centre + reach, effort)]
        expected = [
            min(expected[0], row["capitalizable_effort_micro"]),
            max(expected[1], row["capitalizable_effort_micro"]),
        ]
        # Each commit is rounded to a millionth of an hour.
        found = [float(low) * effort / 100, float(high) * effort / 100]
        assert found == pytest.approx(expected, abs=effort * 0.0001 + 5 * len(deviations[key])), row
        assert low <= share <= high
        wide += high > low
    return wide


def test_the_interval_follows_from_the_probabilities(built: Path) -> None:
    assert check_intervals(built, decided_capex.default) > 10


def test_every_policy_has_its_interval(decided: Path, repositories: list[Repository]) -> None:
    assert check_intervals(decided, decided_capex.own(repositories)) > 10


def test_commits_are_listed_by_their_uncertain_effort(built: Path) -> None:
    expected = {}
    for commit in judged_commits(built, decided_capex.default):
        _, deviation = spread(commit)
        if deviation > 1:
            expected[commit["commit_id"]] = commit | {"deviation": deviation}
    found = {
        row["commit_id"]: row for row in decided_capex.least_certain(built) if row["deviation_micro"] > 1
    }
    assert found.keys() == expected.keys()
    assert len(found) > 30
    for key, row in found.items():
        one = expected[key]
        assert row["deviation_micro"] == pytest.approx(one["deviation"], abs=5)
        assert (row["month"], row["category"]) == (one["month"], one["present"])
        for kind in KINDS:
            assert row[f"{kind}_capitalizable_micro"] == pytest.approx(one["efforts"][kind], abs=5)


def test_a_confirmed_commit_is_certain(built: Path, decided: Path, decisions: dict[str, bool]) -> None:
    """A commit that is confirmed with its present category is no longer listed, under any policy."""
    confirmed = tuple(row["commit_id"] for row in decided_capex.confirmed(built, decisions))
    assert len(confirmed) == 5
    assert not {row["commit_id"] for row in decided_capex.least_certain(decided)} & set(confirmed)
    query = f"select category_method from fct_commits where commit_id in {confirmed}"
    assert {row["category_method"] for row in warehouse.rows(decided, query)} == {"decided"}
