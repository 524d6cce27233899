"""The times of pull requests against plain loops over their events."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from tests.dbt import warehouse
from tests.dbt.invented.invented_lake import TIME_ZONE
from tests.dbt.naive import naive_times
from tests.dbt.pull_requests.reviewed_branches import Reviewed

MEASURES = ("cycle", "open", "pickup", "review", "approval", "merge")


@pytest.mark.parametrize("measure", MEASURES)
def test_every_time_is_that_between_its_events(
    reviewed: dict[str, Reviewed], merged: Path, measure: str
) -> None:
    one = reviewed["timed"]
    rows = warehouse.rows(
        merged,
        "select pulls.number, times.* from pull_request_times as times "
        f"join pull_requests as pulls using (pull_request_id) where repository_id = '{one.id}' "
        f"and measure = '{measure}'",
    )
    found = {row["number"]: row for row in rows}
    known = closed = 0
    for pull in one.pull_requests:
        row, (start, end) = found[pull["number"]], naive_times.spans(pull)[measure]
        hours = naive_times.hours_micro(pull, start, end)
        ended_at = None if hours is None else end
        assert row["hours_micro"] == hours, (pull["number"], start, end)
        working = naive_times.working_hours_micro(pull, start, end, TIME_ZONE)
        if working is None:
            assert row["working_hours_micro"] is None
        else:
            assert row["working_hours_micro"] == pytest.approx(working, abs=1), pull["number"]
        assert (row["missing_reason"] is None) == (hours is not None)
        assert row["started_at"] == start
        assert row["ended_at"] == ended_at
        known += hours is not None
        left_out = naive_times.closed_hours_micro(pull, start, end)
        assert row["closed_hours_micro"] == left_out, pull["number"]
        closed += bool(left_out)
    assert known > 10
    assert closed > 3


def test_the_wait_of_open_pull_requests_leaves_out_their_closures(
    reviewed: dict[str, Reviewed], merged: Path
) -> None:
    one = reviewed["timed"]
    rows = warehouse.rows(
        merged, f"select number, waiting_since from pull_requests where repository_id = '{one.id}'"
    )
    found = {row["number"]: row["waiting_since"] for row in rows}
    moved = 0
    for pull in one.pull_requests:
        if pull["state"] != "open":
            assert found[pull["number"]] is None
            continue
        start = naive_times.ready_at(pull) or pull["created_at"]
        closed = naive_times.closed_micros(pull, start)
        assert found[pull["number"]] == start + timedelta(microseconds=closed), pull["number"]
        moved += closed > 0
    assert moved > 0


def test_bots_and_ai_reviewers_are_no_reviewers(reviewed: dict[str, Reviewed], merged: Path) -> None:
    one = reviewed["timed"]
    rows = warehouse.rows(
        merged,
        "select distinct lower(reviewer) as login, is_bot from reviews "
        f"where repository_id = '{one.id}'"
    )  # fmt: skip
    assert {row["login"]: row["is_bot"] for row in rows} == {
        "ada": False, "grace": False, "linus": False, "ken": False,
        "coderabbitai[bot]": True, "release-bot": True, "copilot": True,
    }  # fmt: skip


def test_a_reviewer_who_is_asked_again_is_awaited_again(reviewed: dict[str, Reviewed], merged: Path) -> None:
    one = reviewed["timed"]
    rows = warehouse.rows(
        merged,
        f"select number, awaited_reviewers from pull_requests where repository_id = '{one.id}'",
    )
    found = {row["number"]: row["awaited_reviewers"] for row in rows}
    expected = {pull["number"]: naive_times.awaited_reviewers(pull) for pull in one.pull_requests}
    assert found == expected
    again = [
        pull
        for pull in one.pull_requests
        for name in expected[pull["number"]]
        if any(str(event["actor"]).lower() == name.lower() for event in pull["events"])
    ]
    assert len(again) > 3
