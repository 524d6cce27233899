"""Figures of Dagster's runs, by kind, from its own record of them.

The record is an SQLite file of Dagster's; without it, or where it has another form, there are no figures. Keep out:
starting or judging runs (orchestration).
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric

ENDS = {"SUCCESS": "success", "FAILURE": "failure", "CANCELED": "canceled"}
# A reader of metrics waits ten seconds at most; a locked file is read the next time.
SECONDS_TO_WAIT = 1.0
RECENT = timedelta(days=1)
_ENDED = """
    select pipeline_name, status, max(end_time), count(*) filter (where create_timestamp >= ?)
    from runs where status in ('SUCCESS', 'FAILURE', 'CANCELED') group by 1, 2
"""
# In SQLite the other columns of a lone max() are those of its row.
_LAST = """
    select pipeline_name, end_time - start_time, max(end_time)
    from runs where status in ('SUCCESS', 'FAILURE') and start_time is not null group by 1
"""
_OPEN = """
    select status, count(*), min(create_timestamp)
    from runs where status in ('QUEUED', 'STARTING', 'STARTED', 'CANCELING') group by 1
"""


def figures(file: Path) -> Iterator[Metric]:
    """Figures of the runs that a file records. Yields nothing where it cannot be read."""
    recent = f"{datetime.now(UTC) - RECENT:%Y-%m-%d %H:%M:%S}"
    try:
        address = f"{file.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=SECONDS_TO_WAIT)) as record:
            ended = record.execute(_ENDED, [recent]).fetchall()
            last = record.execute(_LAST).fetchall()
            running = record.execute(_OPEN).fetchall()
    except sqlite3.Error:
        return
    ends = GaugeMetricFamily(
        "eas_last_run_timestamp_seconds", "When the last run of a kind ended so.", labels=["kind", "end"]
    )
    counts = GaugeMetricFamily(
        "eas_runs_of_a_day", "Runs of a kind of the last 24 hours that ended so.", labels=["kind", "end"]
    )
    for kind, status, end_time, count in ended:
        if end_time is not None:
            ends.add_metric([kind, ENDS[status]], end_time)
        counts.add_metric([kind, ENDS[status]], count)
    yield ends
    yield counts
    seconds = GaugeMetricFamily(
        "eas_last_run_seconds", "How long the last ended run of a kind took.", labels=["kind"]
    )
    for kind, duration, _ in last:
        seconds.add_metric([kind], duration)
    yield seconds
    waiting = [(count, begun) for status, count, begun in running if status == "QUEUED"]
    yield _gauge("eas_runs_waiting", "Runs that wait for their start.", sum(count for count, _ in waiting))
    yield _gauge(
        "eas_runs_waiting_seconds",
        "How long the longest of them waits; 0 where none does.",
        max((time.time() - _instant(begun) for _, begun in waiting), default=0),
    )
    started = sum(count for status, count, _ in running if status != "QUEUED")
    yield _gauge("eas_runs_running", "Runs that have started and not ended.", started)


def _instant(written: str) -> float:
    return datetime.fromisoformat(written).replace(tzinfo=UTC).timestamp()


def _gauge(name: str, meaning: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, meaning, value=value)
