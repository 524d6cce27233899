"""Checks of pull requests against plain loops over their events."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.dbt import warehouse
from tests.dbt.invented import invented_checks
from tests.dbt.invented.invented_lake import TIME_ZONE
from tests.dbt.naive import naive_check_kinds, naive_checks
from tests.dbt.naive.naive_checks import Episode, Stretch
from tests.dbt.naive.naive_times import HOURS_PER_DAY, Row
from tests.dbt.pull_requests.reviewed_branches import Reviewed

HOUR = 3_600_000_000
MICRO = 1_000_000
UNITS = {"working_hours": HOUR, "working_days": HOURS_PER_DAY * HOUR}
KINDS: dict[str, Callable[[Row], list[Stretch]]] = {
    "waiting_for_review": naive_check_kinds.waiting,
    "open_too_long": lambda row: naive_checks.phases(row, "ready"),
    "draft_too_long": lambda row: naive_checks.phases(row, "draft"),
    "approved_not_merged": naive_check_kinds.approved,
    "long_review": naive_check_kinds.in_review,
    "large_pull_request": naive_check_kinds.large,
    "bot_change_unreviewed": naive_check_kinds.robots_unreviewed,
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
}


@pytest.mark.parametrize("kind", KINDS)
def test_occurrences_open_at_the_threshold_and_end_with_their_cause(
    reviewed: dict[str, Reviewed], merged: Path, kind: str
) -> None:
    one = reviewed["timed"]
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


def expected_episodes(stretches: list[Stretch], setting: dict[str, Any]) -> list[Episode]:
    as_of, threshold = datetime.fromisoformat(warehouse.AS_OF), setting.get("threshold")
    if setting["unit"] in UNITS:
        need = setting["threshold"] * UNITS[setting["unit"]]
        return naive_checks.episodes(stretches, need, TIME_ZONE, as_of)
    return naive_checks.measured(
        stretches,
        as_of,
        None if threshold is None else threshold * MICRO,
        is_below=setting.get("is_below", False),
        lasting_days=setting.get("lasting_days"),
    )


def shown(episode: Episode, unit: str) -> object:
    """The measured value in millionths of the unit."""
    if episode.micros is None or unit not in UNITS:
        return episode.micros
    return pytest.approx(episode.micros * MICRO // UNITS[unit], abs=1)
