"""Episodes of checks: those of a warehouse, and those that plain loops expect by a kind's settings."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.dbt import warehouse
from tests.dbt.invented.invented_lake import TIME_ZONE
from tests.dbt.naive import naive_checks
from tests.dbt.naive.naive_checks import Episode, Stretch
from tests.dbt.naive.naive_times import HOURS_PER_DAY

HOUR = 3_600_000_000
MICRO = 1_000_000
AS_OF = datetime.fromisoformat(warehouse.AS_OF)
UNITS = {"working_hours": HOUR, "working_days": HOURS_PER_DAY * HOUR}


def found_episodes(merged: Path, kind: str) -> dict[str, list[tuple[object, ...]]]:
    """Opening, end, cause and measured value of the episodes of a kind, by subject."""
    rows = warehouse.rows(
        merged,
        "select subject_id, episodes.* from check_episodes as episodes "
        "join check_occurrences as occurrences using (occurrence_id) "
        f"where occurrences.kind = '{kind}' order by subject_id, episodes.number",
    )
    found: dict[str, list[tuple[object, ...]]] = {}
    for row in rows:
        found.setdefault(row["subject_id"], []).append(
            (row["opened_at"], row["ended_at"], row["ended_by"], row["measured_micro"])
        )
    return found


def expected_episodes(
    stretches: list[Stretch],
    setting: dict[str, Any],
    as_of: datetime = AS_OF,
) -> list[Episode]:
    threshold = setting.get("threshold")
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
