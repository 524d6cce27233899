"""Figures of Dagster's runs, by kind, from its own record of them.

The record is an SQLite file of Dagster's, or its database in PostgreSQL; without it, or where it has another form,
there are no figures. Keep out: starting or judging runs (orchestration).
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
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
_LAST = """
    select pipeline_name, seconds from (
        select
            pipeline_name,
            end_time - start_time as seconds,
            row_number() over (partition by pipeline_name order by end_time desc) as place
        from runs
        where status in ('SUCCESS', 'FAILURE') and start_time is not null and end_time is not null
    ) as ended where place = 1
"""
_OPEN = """
    select status, count(*), min(create_timestamp)
    from runs where status in ('QUEUED', 'STARTING', 'STARTED', 'CANCELING') group by 1
"""


def figures(file: Path, database: str | None = None) -> Iterator[Metric]:
    """Figures of the runs that a database records, else a file. Yields nothing where it cannot be read."""
    recent = f"{datetime.now(UTC) - RECENT:%Y-%m-%d %H:%M:%S}"
    try:
        with closing(_of_database(database) if database else _of_file(file)) as record:
            ended = record.execute(_ENDED.replace("?", "%s" if database else "?"), [recent]).fetchall()
            last = record.execute(_LAST).fetchall()
            running = record.execute(_OPEN).fetchall()
    except (sqlite3.Error, psycopg.Error):
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
    for kind, duration in last:
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


def _of_file(file: Path) -> Any:
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True, timeout=SECONDS_TO_WAIT)


def _of_database(address: str) -> Any:
    # Dagster's address names its own driver.
    address = address.replace("postgresql+psycopg2:", "postgresql:", 1)
    # No value below two seconds counts as a limit of a connection.
    options = f"-c statement_timeout={SECONDS_TO_WAIT * 1000:.0f}"
    return psycopg.connect(address, connect_timeout=2, options=options)


def _instant(written: str | datetime) -> float:
    found = written if isinstance(written, datetime) else datetime.fromisoformat(written)
    return found.replace(tzinfo=UTC).timestamp()


def _gauge(name: str, meaning: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, meaning, value=value)
