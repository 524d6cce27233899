"""Checks of commits and issues against plain loops."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.dbt import warehouse
from tests.dbt.invented import invented_checks, invented_identities
from tests.dbt.invented.invented_lake import TIME_ZONE
from tests.dbt.invented.invented_teams import team_id
from tests.dbt.invented.invented_trackers import LINEAR, item_id
from tests.dbt.naive.naive_checks import Stretch
from tests.dbt.pull_requests.check_episodes import expected_episodes, found_episodes, shown
from tests.dbt.pull_requests.conftest import MEMBERSHIPS
from tests.dbt.pull_requests.random_items import random_items
from tests.dbt.pull_requests.reviewed_branches import ADA, KEN, Reviewed

Row = dict[str, Any]


def expected(kind: str, stretches: dict[str, list[Stretch]]) -> dict[str, list[tuple[object, ...]]]:
    setting = invented_checks.kinds()[kind]
    return {
        subject: [(e.opened, e.ended, e.by, shown(e, setting["unit"])) for e in episodes]
        for subject, rows in stretches.items()
        if (episodes := expected_episodes(rows, setting))
    }


def late(row: Row) -> list[Stretch]:
    """From the day after the target, or the creation, until it is done."""
    if row["target_on"] is None:
        return []
    day = row["target_on"] + timedelta(days=1)
    start = max(datetime.combine(day, time(), ZoneInfo(TIME_ZONE)).astimezone(UTC), row["created_at"])
    status = row["status_category"]
    end = (row["completed_at"] or row["updated_at"]) if status in ("done", "canceled") else None
    return [Stretch(start, end, status if end else None)] if end is None or start < end else []


def idle(row: Row) -> list[Stretch]:
    """From the start until somebody changed the state; no commit names these issues."""
    if row["kind"] != "issue" or row["started_at"] is None:
        return []
    start, status = row["started_at"], row["status_category"]
    end = None if status == "doing" else row["completed_at"] or row["updated_at"]
    since = None
    for change in row["history"] if end else []:
        if change["after_category"] == "doing":
            since = None
        elif change["at"] > start and since is None:
            since = change["at"]
    end = since or end
    return [Stretch(start, end, status if end else None)] if end is None or start < end else []


@pytest.mark.parametrize(
    ("kind", "stretches"), [("past_target_date", late), ("in_progress_without_commits", idle)]
)
def test_issues_wait_for_their_owners(merged: Path, kind: str, stretches: Any) -> None:
    rows = {item_id(LINEAR, row["provider_id"]): row for row in random_items()}
    found = {subject: one for subject, one in found_episodes(merged, kind).items() if subject in rows}
    assert found == expected(kind, {subject: stretches(row) for subject, row in rows.items()})
    assert {None, "done"} <= {by for episodes in found.values() for _, _, by, _ in episodes}


def test_a_commit_ends_the_wait_of_a_started_issue(merged: Path) -> None:
    web_1 = item_id(LINEAR, "1")
    ends = warehouse.rows(
        merged,
        "select ended_by, ended_at from fct_check_stretches "
        f"where kind = 'in_progress_without_commits' and subject_id = '{web_1}'",
    )
    first = warehouse.rows(
        merged,
        "select min(committed_at) as at from int_alignment__links join int_commits using (commit_sha) "
        f"where item_id = '{web_1}'",
    )
    assert [(row["ended_by"], row["ended_at"]) for row in ends] == [("commit", first[0]["at"])]


def test_issues_belong_to_their_owner_and_to_the_team_of_the_tracker_or_the_owner(merged: Path) -> None:
    rows = {item_id(LINEAR, row["provider_id"]): row for row in random_items()}
    people = {
        name: invented_identities.developer_id(f"{person[1]} {person[0].lower()}")
        for name, person in (("ada", ADA), ("ken", KEN))
    }
    found, expected = {}, {}
    for one in warehouse.rows(
        merged,
        "select subject_id, subject_type, developer_id, team_id, started_on from fct_check_stretches "
        "where kind in ('past_target_date', 'in_progress_without_commits')",
    ):
        if (row := rows.get(one["subject_id"])) is None:
            continue
        is_issue = one["subject_type"] == "issue"
        owner = (
            people["ada"]
            if row["assignee_email"]
            else people["ken"]
            if row["assignee_name"] == KEN[0]
            else None
        )
        team = next(
            (name for name, first, last in MEMBERSHIPS if first <= one["started_on"] <= (last or date.max)),
            None,
        )
        key = (one["subject_id"], one["started_on"])
        found[key] = (one["developer_id"], one["team_id"])
        expected[key] = (
            owner if is_issue else None,
            team_id("Platform")
            if row["team_key"]
            else team_id(team)
            if team and is_issue and owner == people["ada"]
            else None,
        )
    assert found == expected
    assert {None, *people.values()} <= {developer for developer, _ in found.values()}
    assert len({team for _, team in found.values()}) == 3


def commits_of(merged: Path) -> list[Row]:
    return warehouse.rows(
        merged, "select * from fct_commits where delivered_at is not null order by delivered_at, commit_id"
    )


def event(row: Row) -> list[Stretch]:
    return [Stretch(row["delivered_at"], None, None)]


def test_deliveries_outside_of_pull_requests_are_those_that_no_pull_request_brought(
    reviewed: dict[str, Reviewed], merged: Path
) -> None:
    links = {
        row["commit_sha"]
        for row in warehouse.rows(merged, "select commit_sha from int_pull_requests__commits")
    }
    commits = commits_of(merged)
    brought = {row["delivery_sha"] for row in commits if row["commit_sha"] in links}
    pulls = {one.id: one.pull_requests for one in reviewed.values()}
    ends = {
        row["repository_id"]: row["at"]
        for row in warehouse.rows(
            merged,
            "select repository_id, max(greatest(created_at, closed_at)) as at from int_pull_requests group by 1",
        )
    }
    stretches = {
        row["commit_id"]: event(row)
        for row in commits
        if row["commit_sha"] == row["delivery_sha"]
        and row["delivery_sha"] not in brought
        and not row["is_bot"]
        if (own := pulls.get(row["repository_id"]))
        and min(pull["created_at"] for pull in own) <= row["delivered_at"] <= ends[row["repository_id"]]
    }
    assert stretches
    assert found_episodes(merged, "direct_push") == expected("direct_push", stretches)


def test_commits_without_an_issue_are_told_since_there_are_issues(merged: Path) -> None:
    items = warehouse.rows(merged, "select min(created_at) as at from stg_trackers__items")
    linked = {
        row["commit_sha"] for row in warehouse.rows(merged, "select commit_sha from int_alignment__links")
    }
    stretches = {
        row["commit_id"]: event(row)
        for row in commits_of(merged)
        if row["is_counted"] and not row["is_bot"] and not row["is_merge"]
        and row["commit_sha"] not in linked and row["delivered_at"] >= items[0]["at"]
    }  # fmt: skip
    assert stretches
    assert found_episodes(merged, "commit_without_issue") == expected("commit_without_issue", stretches)
