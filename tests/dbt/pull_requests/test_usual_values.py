"""The usual value of each kind of check against a plain loop over what was measured."""

from __future__ import annotations

import statistics
from collections import defaultdict
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from tests.dbt import warehouse
from tests.dbt.invented import invented_checks
from tests.dbt.invented.invented_lake import TIME_ZONE
from tests.dbt.pull_requests.check_episodes import HOUR, MICRO, UNITS

WEEKS, FEWEST = 12, 10
CLOCKS = UNITS | {"calendar_days": 24 * HOUR}


def monday(row: dict[str, Any], name: str) -> date:
    day: date = row[name].astimezone(ZoneInfo(TIME_ZONE)).date()
    return day - timedelta(days=day.weekday())


def test_the_usual_value_is_the_median_of_the_twelve_weeks_before(merged: Path) -> None:
    rows = warehouse.rows(merged, "select * from fct_check_stretches")
    kinds = invented_checks.kinds()
    measured: dict[tuple[str, date], list[int]] = defaultdict(list)
    for row in rows:
        unit = kinds[row["kind"]]["unit"]
        if unit not in CLOCKS:
            measured[row["kind"], monday(row, "started_at")].append(row["value_micro"])
        elif row["ended_at"] is not None:
            worked = (row["worked_at_end"] - row["worked_at_start"]) * MICRO // CLOCKS[unit]
            measured[row["kind"], monday(row, "ended_at")].append(worked)
    known: dict[tuple[str, bool], int] = defaultdict(int)
    for row in rows:
        kind, start = row["kind"], monday(row, "started_at")
        values = [
            value for weeks in range(1, WEEKS + 1) for value in measured[kind, start - timedelta(weeks=weeks)]
        ]
        takes_multiples = "threshold" in kinds[kind] and not kinds[kind].get("is_below")
        is_known = takes_multiples and len(values) >= FEWEST
        median = int(statistics.median(values)) if is_known else 0
        assert row["usual_micro"] == (median or None), row
        known[kind, median > 0] += 1
    assert len({kind for kind, is_known in known if is_known}) > 5
    assert len({kind for kind, is_known in known if not is_known}) > 10
