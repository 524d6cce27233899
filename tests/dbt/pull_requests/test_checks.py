"""Checks of pull requests against plain loops over their events."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from tests.dbt import warehouse
from tests.dbt.invented.invented_lake import TIME_ZONE
from tests.dbt.naive import naive_checks
from tests.dbt.naive.naive_checks import Stretch
from tests.dbt.naive.naive_times import HOURS_PER_DAY, Row
from tests.dbt.pull_requests.reviewed_branches import Reviewed

HOUR = 3_600_000_000
CLOCKS: dict[str, tuple[Callable[[Row], list[Stretch]], int, int]] = {
    "waiting_for_review": (naive_checks.waiting, 24 * HOUR, HOUR),
    "open_too_long": (
        lambda row: naive_checks.phases(row, "ready"),
        5 * HOURS_PER_DAY * HOUR,
        HOURS_PER_DAY * HOUR,
    ),
}


@pytest.mark.parametrize("kind", CLOCKS)
def test_occurrences_open_when_working_time_reaches_the_threshold_and_end_with_their_cause(
    reviewed: dict[str, Reviewed], merged: Path, kind: str
) -> None:
    one = reviewed["timed"]
    stretches, need, unit = CLOCKS[kind]
    as_of = datetime.fromisoformat(warehouse.AS_OF)
    rows = warehouse.rows(
        merged,
        "select pulls.number as pull_request, episodes.* from check_episodes as episodes "
        "join check_occurrences as occurrences using (occurrence_id) "
        "join pull_requests as pulls on pulls.pull_request_id = occurrences.subject_id "
        f"where occurrences.kind = '{kind}' and pulls.repository_id = '{one.id}' order by 1, episodes.number",
    )
    found: dict[int, list[tuple[object, ...]]] = {}
    for row in rows:
        found.setdefault(row["pull_request"], []).append(
            (row["opened_at"], row["ended_at"], row["ended_by"], row["measured_micro"])
        )
    expected = {
        pull["number"]: [
            (e.opened, e.ended, e.by, pytest.approx(e.micros * 1_000_000 // unit, abs=1)) for e in episodes
        ]
        for pull in one.pull_requests
        if (episodes := naive_checks.episodes(stretches(pull), need, TIME_ZONE, as_of))
    }
    assert found == expected
    ends = {by for episodes in found.values() for _, _, by, _ in episodes}
    assert {None, "draft", "merged"} <= ends
    assert len(found) > 20
