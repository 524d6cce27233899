"""Links of commits to issues and objectives against plain loops over invented trackers."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.dbt import warehouse
from tests.dbt.invented.invented_trackers import FALSE_KEYS, TEAMS
from tests.dbt.invented.tracked_organization import REAL_KEY, Tracked
from tests.dbt.naive.naive_alignment import Alignment, may_count, part

Row = dict[str, Any]
GOALS = ("objective", "sub_objective")


@pytest.fixture(scope="module")
def naive(tracked: Tracked) -> Alignment:
    return Alignment(tracked.trackers)


@pytest.fixture(scope="module")
def links(aligned: Path, tracked: Tracked, naive: Alignment) -> dict[str, dict[str, str]]:
    """The expected items of every commit, in the repository in which it counts."""
    by_repository = {one.id: naive.links(one) for one in tracked.repositories}
    return {
        row["commit_sha"]: by_repository[row["repository_id"]].get(row["commit_sha"], {})
        for row in warehouse.rows(aligned, "select commit_sha, repository_id from fct_commits")
    }


def test_every_commit_has_the_items_that_its_references_name(
    aligned: Path, links: dict[str, dict[str, str]]
) -> None:
    found: dict[str, dict[str, str]] = {sha: {} for sha in links}
    for row in warehouse.rows(aligned, "select * from fct_commit_issues"):
        found[row["commit_sha"]][row["item_id"]] = row["found_in"]
    assert found == links
    ways = Counter(way for items in links.values() for way in items.values())
    assert min(ways[way] for way in ("message", "trailer", "code", "branch")) >= 5
    assert sum(len(items) > 1 for items in links.values()) >= 20


def test_an_item_has_the_nearest_objective_above_it(aligned: Path, naive: Alignment) -> None:
    found = {
        row["item_id"]: (row["level"], row["sub_objective_id"], row["objective_id"])
        for row in warehouse.rows(aligned, "select * from int_alignment__items")
    }
    assert found == {one: (naive.level(one), *naive.chain(one)) for one in naive.items}
    assert len({(level, *map(bool, chain)) for level, *chain in found.values()}) >= 7


def test_the_issues_of_a_commit_share_its_value_equally(
    aligned: Path, naive: Alignment, links: dict[str, dict[str, str]]
) -> None:
    commits = warehouse.rows(aligned, "select commit_sha, etv_micro from fct_commits")
    expected = {}
    for commit in commits:
        places = naive.places(links[commit["commit_sha"]])
        for place, one in enumerate(places):
            share, rest = divmod(commit["etv_micro"], len(places))
            expected[commit["commit_sha"], one] = share + (place < rest)
    rows = warehouse.rows(aligned, "select commit_sha, item_id, etv_micro from fct_commit_issues")
    assert {(row["commit_sha"], row["item_id"]): row["etv_micro"] for row in rows} == expected
    assert any(value % 1_000_000 for value in expected.values())


def test_a_commit_says_whether_it_is_aligned_and_why_it_is_not(
    aligned: Path, naive: Alignment, links: dict[str, dict[str, str]], tracked: Tracked
) -> None:
    prefixes = {item["key"].partition("-")[0] for item in naive.items.values() if "-" in (item["key"] or "")}
    referring = {
        (row["repository_id"], row["commit_sha"])
        for repository in tracked.repositories
        for row in repository.rows["references"]
        if row["shape"] != "sha"
        and (row["found_in"], row["shape"]) != ("trailer", "url")
        and may_count(row, repository)
        and (row["shape"] != "key" or row["target"].rpartition("-")[0] in prefixes)
    }
    for row in warehouse.rows(aligned, "select * from fct_commits"):
        own = links[row["commit_sha"]]
        assert row["is_aligned"] == bool(own)
        assert row["reaches_objective"] == any(naive.chain(one)[1] for one in own)
        refers = (row["repository_id"], row["commit_sha"]) in referring
        expected = None if own else "UNKNOWN_ISSUE" if refers else "NO_REFERENCE"
        assert row["alignment_reason"] == expected, row["commit_sha"]


def test_days_and_objectives_sum_the_parts_of_credits(
    aligned: Path, naive: Alignment, links: dict[str, dict[str, str]]
) -> None:
    """Credits take the millionths of a commit one after the other, and its issues in turn."""
    shares = warehouse.rows(
        aligned, "select * from fct_commit_credits order by commit_sha, developer_id, category"
    )
    counted = [
        row for row in shares if row["is_counted"] or (row["zero_reason"], row["role"]) == ("BOT", "author")
    ]
    taken: Counter[str] = Counter()
    days: Counter[tuple[Any, ...]] = Counter()
    goals: Counter[tuple[Any, ...]] = Counter()
    commits: Counter[tuple[Any, ...]] = Counter()
    for row in shares:
        sha, first = row["commit_sha"], taken[row["commit_sha"]]
        taken[sha] += row["etv_micro"]
        if row not in counted:
            continue
        places = naive.places(links[sha])
        day = row["delivered_on"], row["repository_id"], row["developer_id"], row["is_bot"]
        days["aligned", *day] += row["etv_micro"] if places else 0
        reached: set[str] = set()
        for place, one in enumerate(places):
            share = part(first, taken[sha], len(places), place)
            if naive.chain(one)[1]:
                days["roadmap", *day] += share
            for goal in naive.goals(one):
                goals[goal, *day] += share
                reached.add(goal)
        for goal in reached:
            commits[goal, *day] += row["commits"]
    query = """
        select delivered_on, repository_id, developer_id, is_bot, sum(aligned_etv_micro)::bigint as aligned,
            sum(roadmap_etv_micro)::bigint as roadmap
        from fct_daily group by all
    """
    found: Counter[tuple[Any, ...]] = Counter()
    for row in warehouse.rows(aligned, query):
        day = row["delivered_on"], row["repository_id"], row["developer_id"], row["is_bot"]
        found |= Counter({("aligned", *day): row["aligned"], ("roadmap", *day): row["roadmap"]})
    assert found == +days
    found_goals: Counter[tuple[Any, ...]] = Counter()
    found_commits: Counter[tuple[Any, ...]] = Counter()
    for row in warehouse.rows(aligned, "select * from objective_days"):
        key = (
            row["objective_id"],
            row["delivered_on"],
            row["repository_id"],
            row["developer_id"],
            row["is_bot"],
        )
        found_goals[key] += row["etv_micro"]
        found_commits[key] += row["commits"]
    assert +found_goals == +goals
    assert +found_commits == +commits
    assert 0 < sum(value for key, value in days.items() if key[0] == "roadmap") < sum(taken.values())


def test_team_and_repository_sums_have_the_same_alignment(aligned: Path) -> None:
    names = "sum(etv_micro), sum(aligned_etv_micro), sum(roadmap_etv_micro)"
    with_team = warehouse.rows(
        aligned, f"select {names} from daily where team_id is not null group by delivered_on"
    )
    assert with_team
    [total] = warehouse.rows(aligned, f"select {names} from fct_daily")
    assert sorted(total.values(), reverse=True) == list(total.values())
    assert 0 not in total.values()


def test_an_objective_counts_the_issues_below_it(aligned: Path, naive: Alignment) -> None:
    below: dict[str, Counter[str]] = defaultdict(Counter)
    for one, item in naive.items.items():
        if naive.level(one) == "issue":
            for above in naive.above[one]:
                below[above].update([item["status_category"], "all"])
    teams = {(connection, key): team for connection, key, team in TEAMS}
    names = {row["team_id"]: row["name"] for row in warehouse.rows(aligned, "select * from api_v1__teams")}
    rows = {row["objective_id"]: row for row in warehouse.rows(aligned, "select * from objectives")}
    goals = {one for one in naive.items if naive.level(one) in GOALS}
    assert rows.keys() == goals
    for one, row in rows.items():
        item = naive.items[one]
        counts = below[one]
        counted = row["issue_count"], row["done_issue_count"], row["canceled_issue_count"]
        assert counted == (counts["all"], counts["done"], counts["canceled"])
        higher = [each for each in naive.above[one] if naive.level(each) in GOALS]
        assert (row["parent_id"], row["depth"]) == (higher[0] if higher else None, len(higher))
        assert names.get(row["team_id"]) == teams.get((item["connection_id"], item["team_key"] or ""))
        assert row["child_count"] == sum(
            next((each for each in naive.above[other] if naive.level(each) in GOALS), None) == one
            for other in goals
        )
        assert row["title"] == item["title"]
    assert {row["is_overdue"] for row in rows.values()} == {True, False}
    assert sum(row["team_id"] is not None for row in rows.values()) >= 2


def test_every_objective_is_below_a_root_though_a_tracker_has_circles(
    aligned: Path, naive: Alignment
) -> None:
    rows = warehouse.rows(aligned, "select objective_id, parent_id, depth from objectives")
    parents = {row["objective_id"]: row["parent_id"] for row in rows}
    for row in rows:
        line = [row["objective_id"]]
        while (above := parents[line[-1]]) is not None:
            assert above not in line
            line.append(above)
        assert row["depth"] == len(line) - 1
    pairs = [
        (item["key"], other["key"])
        for item in naive.items.values()
        for other in naive.items.values()
        if item["provider_id"] in other["parent_ids"] and other["provider_id"] in item["parent_ids"]
        if item["connection_id"] == other["connection_id"] and item["provider_id"] != other["provider_id"]
    ]
    assert ("ABC-904", "ABC-905") in pairs


def test_objectives_and_issues_sum_the_work_of_people(aligned: Path) -> None:
    summed = """
        select
            objective_id, sum(etv_micro)::bigint as n, count(distinct developer_id) as people, sum(commits) as commits
        from fct_objective_days where not is_bot and not is_sandbox group by all
    """
    days = {
        row["objective_id"]: (row["n"], row["people"], row["commits"])
        for row in warehouse.rows(aligned, summed)
    }
    rows = warehouse.rows(aligned, "select * from objectives")
    found = {
        row["objective_id"]: (row["etv_micro"], row["contributor_count"], row["commits"]) for row in rows
    }
    assert found == {one: days.get(one, (0, 0, 0)) for one in found}
    shares: Counter[str] = Counter()
    places = {
        row["commit_id"]: row["position"] for row in warehouse.rows(aligned, "select * from commits_by_time")
    }
    for row in warehouse.rows(aligned, "select * from commit_issues"):
        assert row["item_title"]
        assert row["commit_position"] == places[row["commit_id"]]
        shares[row["item_id"]] += row["etv_micro"] if row["is_counted"] and not row["is_sandbox"] else 0
    issues = {row["issue_id"]: row["etv_micro"] for row in warehouse.rows(aligned, "select * from issues")}
    assert issues == {one: shares[one] for one in issues}
    assert sum(value > 0 for value in issues.values()) > 20


def test_texts_like_keys_link_to_nothing(aligned: Path, tracked: Tracked) -> None:
    """Every form of every false key, in messages and code, beside trackers full of issues."""
    rows = warehouse.rows(
        aligned,
        "select subject, commit_sha in (select commit_sha from fct_commit_issues) as is_linked "
        f"from stg_git__commits where repository_id = '{tracked.keys.id}'",
    )
    assert [row["subject"] for row in rows if row["is_linked"]] == [f"Closes {REAL_KEY}"]
    assert len(rows) == len(FALSE_KEYS) + 1
