"""Checks of pull requests against plain loops over their events."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.dbt import warehouse
from tests.dbt.invented import invented_checks
from tests.dbt.invented.invented_lake import TIME_ZONE
from tests.dbt.invented.invented_teams import team_id
from tests.dbt.naive import naive_check_kinds, naive_checks
from tests.dbt.naive.naive_checks import Stretch
from tests.dbt.naive.naive_times import Row
from tests.dbt.pull_requests.check_episodes import expected_episodes, found_episodes, shown
from tests.dbt.pull_requests.conftest import MEMBERSHIPS
from tests.dbt.pull_requests.reviewed_branches import Reviewed

KINDS: dict[str, Callable[[Row], list[Stretch]]] = {
    "waiting_for_review": naive_check_kinds.waiting,
    "open_too_long": lambda row: naive_checks.phases(row, "ready"),
    "draft_too_long": lambda row: naive_checks.phases(row, "draft"),
    "approved_not_merged": naive_check_kinds.approved,
    "long_review": naive_check_kinds.in_review,
    "large_pull_request": naive_check_kinds.large,
    "bot_change_unreviewed": naive_check_kinds.robots_unreviewed,
    "commits_after_review": naive_check_kinds.unread,
    "back_and_forth": naive_check_kinds.rounds,
    "merged_without_review": naive_check_kinds.merged_unreviewed,
    "merged_by_author_alone": naive_check_kinds.merged_alone,
    "rubber_stamp": naive_check_kinds.fast_approvals,
}
# Kinds about robots; elsewhere, they never wait.
OF_ROBOTS = {"bot_change_unreviewed"}
# Causes of ends that the random events bring.
ENDS: dict[str, set[str | None]] = {
    "waiting_for_review": {None, "draft", "merged"},
    "open_too_long": {None, "draft", "merged"},
    "draft_too_long": {None},
    "approved_not_merged": {None, "approval_withdrawn", "draft", "merged"},
    "long_review": {None, "approved", "merged"},
    "large_pull_request": {None, "draft", "merged"},
    "bot_change_unreviewed": {"aged"},
    "commits_after_review": {None, "reviewed", "merged"},
    "back_and_forth": {None, "merged"},
    "merged_without_review": {"aged"},
    "merged_by_author_alone": {"aged"},
    "rubber_stamp": {"aged"},
}


@pytest.mark.parametrize("kind", KINDS)
def test_occurrences_open_at_the_threshold_and_end_with_their_cause(
    reviewed: dict[str, Reviewed], merged: Path, kind: str
) -> None:
    one = reviewed["timed"]
    numbers = {
        row["pull_request_id"]: row["number"]
        for row in warehouse.rows(merged, f"select * from pull_requests where repository_id = '{one.id}'")
    }
    found = {
        numbers[subject]: episodes
        for subject, episodes in found_episodes(merged, kind).items()
        if subject in numbers
    }
    setting = invented_checks.kinds()[kind]
    expected = {
        pull["number"]: [(e.opened, e.ended, e.by, shown(e, setting["unit"])) for e in episodes]
        for pull in one.pull_requests
        if naive_check_kinds.is_robots(pull) == (kind in OF_ROBOTS)
        if (episodes := expected_episodes(KINDS[kind](pull), setting))
    }
    assert found == expected
    assert ENDS[kind] <= {by for episodes in found.values() for _, _, by, _ in episodes}
    assert len(found) > 5


def test_the_largest_share_of_reviews_is_that_of_four_weeks(
    reviewed: dict[str, Reviewed], merged: Path
) -> None:
    one = reviewed["timed"]
    stretches = naive_check_kinds.review_shares(one.pull_requests, TIME_ZONE)
    expected = expected_episodes(stretches, invented_checks.kinds()["review_share"])
    assert expected
    assert found_episodes(merged, "review_share") == {
        one.id: [(e.opened, e.ended, e.by, e.micros) for e in expected]
    }


def test_open_pull_requests_of_a_team_are_counted_at_each_instant(
    reviewed: dict[str, Reviewed], merged: Path
) -> None:
    there = ZoneInfo(TIME_ZONE)
    by_team: dict[str, list[Stretch]] = {}
    for one in reviewed.values():
        for pull in one.pull_requests:
            created_on = pull["created_at"].astimezone(there).date()
            for team, first, last in MEMBERSHIPS:
                if pull["author"].lower() == "ada" and first <= created_on <= (last or created_on):
                    by_team.setdefault(team_id(team), []).extend(naive_checks.phases(pull, "ready"))
    setting = invented_checks.kinds()["team_open_pull_requests"]
    expected = {
        team: [(e.opened, e.ended, e.by, e.micros) for e in episodes]
        for team, stretches in by_team.items()
        if (episodes := expected_episodes(naive_check_kinds.open_counts(stretches), setting))
    }
    assert len(expected) == len(MEMBERSHIPS)
    assert found_episodes(merged, "team_open_pull_requests") == expected
    teams = warehouse.rows(
        merged, "select subject_id, team_id from check_occurrences where subject_type = 'team'"
    )
    assert all(row["subject_id"] == row["team_id"] for row in teams)
