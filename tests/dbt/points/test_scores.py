"""The warehouse's scores against the naive calculation, over raw rows with several rows on each side of every join."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from tests.dbt import warehouse
from tests.dbt.naive.naive_scores import Scores

FIGURES = {
    "line_points_micro": "line_points",
    "removed_points_micro": "removed_points",
    "file_bonus_micro": "bonus",
    "points_micro": "points",
    "effort_micro": "effort",
    "etv_micro": "etv",
    "zero_reason": "reason",
}


def files(built: Path) -> dict[tuple[str, str], dict[str, Any]]:
    query = "select c.commit_sha, f.* from commit_files f join commits_by_time c using (commit_id)"
    return {(r["commit_sha"], r["path"]): r for r in warehouse.rows(built, query)}


def test_every_file_has_the_score_of_plain_loops(built: Path, naive: Scores) -> None:
    expected = {
        (sha, path): {name: getattr(file, field) for name, field in FIGURES.items()}
        for sha, commit in naive.commits.items()
        for path, file in commit.files.items()
    }
    found = {key: {name: row[name] for name in FIGURES} for key, row in files(built).items()}
    assert found == expected


def test_the_invented_history_holds_every_case(built: Path, naive: Scores) -> None:
    """The comparison above needs every case."""
    everything = [file for commit in naive.commits.values() for file in commit.files.values()]
    reasons = Counter(file.reason for file in everything)
    assert {"EXCLUDED", "BOT", "IMPORT", "GENERATED", "LOCK", "DUPLICATE", "NOT_IN_DELIVERY"} <= set(reasons)
    assert {"MERGE", "NO_NEW_LINES"} <= set(reasons)
    assert sum(0 < file.bonus < 5_000_000 for file in everything) > 20
    taken_back = warehouse.rows(built, "select class, sum(lines) as n from int_points__taken_back group by 1")
    taken = {row["class"]: row["n"] for row in taken_back}
    assert taken["novel"] > 100
    assert taken["returned"] > 20
    assert warehouse.rows(built, "select sum(lines) as n from int_points__restored")[0]["n"] > 20
    assert warehouse.rows(built, "select sum(rest_lines) as n from int_points__removals")[0]["n"] > 100
    flags = warehouse.rows(
        built,
        "select is_restored, has_own_tokens, count(*) as n from int_points__delivered_lines group by all",
    )
    assert len([row for row in flags if row["n"] > 20]) == 4


def test_classes_of_a_file_add_up_to_its_points(built: Path) -> None:
    checked = 0
    for row in files(built).values():
        if row["zero_reason"] not in (None, "NO_COUNTED_LINES"):
            continue
        points = sum(entry["points_micro"] for entry in row["line_classes"] or [])
        assert points == row["line_points_micro"] + row["removed_points_micro"], row
        checked += 1
    assert checked > 200


def test_a_commit_is_the_sum_of_its_files(built: Path, naive: Scores) -> None:
    expected = {sha: sum(file.etv for file in commit.files.values()) for sha, commit in naive.commits.items()}
    found = warehouse.rows(built, "select * from commits_by_time where delivered_at is not null")
    assert {row["commit_sha"]: row["etv_micro"] for row in found} == expected
    names = ("features", "maintenance", "tests", "documentation", "fixes")
    assert all(row["etv_micro"] == sum(row[f"{name}_etv_micro"] for name in names) for row in found)


def by_category(built: Path) -> dict[str, Counter[str]]:
    """The ETV of each commit by category, from its files and the tests inside them."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for (sha, _), row in files(built).items():
        found[sha][row["category"]] += row["etv_micro"] - row["inline_tests_etv_micro"]
        if row["inline_tests_etv_micro"]:
            found[sha]["tests"] += row["inline_tests_etv_micro"]
    return found


def test_tests_inside_a_file_of_code_count_for_tests_and_the_rest_for_its_category(
    built: Path, naive: Scores
) -> None:
    mixed = 0
    for (sha, path), row in files(built).items():
        file = naive.commits[sha].files[path]
        points = file.line_points + file.removed_points
        # Path and content decide a file as a whole.
        is_whole = row["category_method"] in ("path", "content")
        for measure in ("points", "effort", "etv"):
            value = 0 if is_whole or not points else row[f"{measure}_micro"] * file.test_points // points
            assert row[f"inline_tests_{measure}_micro"] == value, (sha, path)
        mixed += 0 < row["inline_tests_etv_micro"] < row["etv_micro"]
    assert mixed > 20
    parts = by_category(built)
    found = warehouse.rows(built, "select * from commits_by_time where delivered_at is not null")
    for row in found:
        for name in ("features", "maintenance", "tests", "documentation", "fixes"):
            assert row[f"{name}_etv_micro"] == parts[row["commit_sha"]][name]
    query = "select category, sum(etv_micro)::bigint as n from daily group by 1"
    totals: Counter[str] = sum(parts.values(), Counter())
    assert {row["category"]: row["n"] for row in warehouse.rows(built, query) if row["n"]} == dict(totals)


def test_people_share_a_commit_by_largest_remainders(built: Path, naive: Scores) -> None:
    categories = by_category(built)
    expected = {}
    for sha, commit in naive.commits.items():
        given: Counter[int] = Counter()
        for amount in categories[sha].values():
            exact = [(amount * share, place) for place, (_, share) in enumerate(commit.shares)]
            parts = [value // 1_000_000 for value, _ in exact]
            order = sorted(exact, key=lambda e: (-(e[0] % 1_000_000), e[1]))
            for _, place in order[: amount - sum(parts)]:
                parts[place] += 1
            for (person, _), part in zip(commit.shares, parts, strict=True):
                given[person] += part
        expected[sha] = sorted(given.values()) if categories[sha] else []
    query = (
        "select commit_sha, list_sort(list(k.etv_micro)) as parts from commits_by_time c "
        "join commit_credits k using (commit_id) group by 1"
    )
    found = {row["commit_sha"]: row["parts"] for row in warehouse.rows(built, query)}
    assert {sha: parts for sha, parts in expected.items() if parts} == found
    assert sum(len(parts) > 2 for parts in found.values()) > 5


def test_days_add_up_to_the_counted_commits(built: Path, naive: Scores) -> None:
    expected: Counter[tuple[str, str]] = Counter()
    for commit in naive.commits.values():
        day = commit.at.astimezone(naive.zone).date().isoformat()
        for file in commit.files.values():
            expected[day, commit.repository] += file.etv
    query = """
        select delivered_on::varchar as d, repository_id as r, sum(etv_micro)::bigint as n
        from daily group by 1, 2
    """
    found = {(row["d"], row["r"]): row["n"] for row in warehouse.rows(built, query) if row["n"]}
    assert found == {key: value for key, value in expected.items() if value}


def test_developers_are_the_people_behind_the_addresses(built: Path, naive: Scores) -> None:
    found: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for row in warehouse.rows(built, "select developer_id, unnest(addresses) as a from developers"):
        found[row["developer_id"]].add((row["a"]["name"], row["a"]["email"].lower()))
    expected: dict[int, set[tuple[str, str]]] = defaultdict(set)
    for (name, email), number in naive.people.items():
        expected[number].add((name, email.lower()))
    assert sorted(map(sorted, found.values())) == sorted(map(sorted, expected.values()))
