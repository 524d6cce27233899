"""Pull request ↔ commit links of real histories: those that Git says, and no false one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.dbt import warehouse
from tests.dbt.naive import naive_pull_requests
from tests.dbt.pull_requests import landings
from tests.dbt.pull_requests.false_signs import TRUE
from tests.dbt.pull_requests.random_merges import PULL_REQUESTS
from tests.dbt.pull_requests.reviewed_branches import Reviewed


def links(merged: Path, one: Reviewed) -> dict[int, dict[str, str]]:
    """By number: the delivered commits of each pull request, with the way of merging."""
    found: dict[int, dict[str, str]] = {
        row["number"]: {}
        for row in warehouse.rows(
            merged, f"select number from pull_requests where repository_id = '{one.id}'"
        )
    }
    rows = warehouse.rows(
        merged,
        "select pulls.number, links.commit_sha, links.how from pull_request_commits as links "
        f"join pull_requests as pulls using (pull_request_id) where pulls.repository_id = '{one.id}'",
    )
    for row in rows:
        found[row["number"]][row["commit_sha"]] = row["how"]
    return found


@pytest.mark.parametrize("seed", range(3))
def test_random_histories_have_the_links_that_git_says(
    reviewed: dict[str, Reviewed], merged: Path, seed: int
) -> None:
    one = reviewed[f"random {seed}"]
    found = links(merged, one)
    assert len(found) == PULL_REQUESTS
    for row in one.pull_requests:
        assert found[row["number"]] == naive_pull_requests.links(one.folder, row), row["number"]


def test_all_ways_of_merging_occur(reviewed: dict[str, Reviewed], merged: Path) -> None:
    ways = {
        way
        for seed in range(3)
        for commits in links(merged, reviewed[f"random {seed}"]).values()
        for way in commits.values()
    }
    assert ways == {"merge", "squash", "rebase", "fast_forward"}


def test_misleading_messages_make_no_link(reviewed: dict[str, Reviewed], merged: Path) -> None:
    one = reviewed["misleading"]
    found = links(merged, one)
    subjects = {
        sha: naive_pull_requests.written(one.folder, sha).subject
        for commits in found.values()
        for sha in commits
    }
    assert {number: sorted(subjects[sha] for sha in commits) for number, commits in found.items()} == TRUE
    # What was copied names no pull request either.
    rows = warehouse.rows(
        merged,
        f"select subject from commits_by_time where repository_id = '{one.id}' and pull_request_id is not null",
    )
    assert sorted(row["subject"] for row in rows) == sorted(text for texts in TRUE.values() for text in texts)


def test_what_landed_by_other_means_is_merged_and_what_was_given_up_is_not(
    reviewed: dict[str, Reviewed], merged: Path
) -> None:
    one = reviewed["landed"]
    found = links(merged, one)
    release = found.pop(landings.RELEASE)
    subjects = {
        sha: naive_pull_requests.written(one.folder, sha).subject
        for commits in found.values()
        for sha in commits
    }
    assert {
        number: sorted(subjects[sha] for sha in commits) for number, commits in found.items()
    } == landings.TRUE
    assert {
        number: way
        for number, commits in found.items()
        if number in landings.WAYS
        for way in commits.values()
    } == landings.WAYS
    assert set(found[14]) < set(release)
    rows = warehouse.rows(
        merged,
        "select number, state, merged_at, merged_by, etv_micro, cycle_hours_micro from pull_requests "
        f"where repository_id = '{one.id}'",
    )
    states = {row["number"]: row for row in rows}
    for pull in one.pull_requests:
        row, is_landed = states[pull["number"]], pull["number"] in landings.WAYS
        is_merged = is_landed or pull["state"] == "merged"
        assert row["state"] == ("merged" if is_merged else "closed"), pull["number"]
        assert (row["etv_micro"] is None) == (row["cycle_hours_micro"] is None) == (not is_merged)
        if is_landed:
            assert pull["created_at"] <= row["merged_at"] <= pull["closed_at"]
            assert row["merged_by"] == pull["events"][-1]["actor"]
