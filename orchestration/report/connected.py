"""Figures of a report that need a connection: pull requests, alignment and objectives. Empty without facts of one.

Add: a figure about hosts or trackers. Keep out: tables on the terminal (connected_tables.py). ETV is in units of ETV,
times are calendar hours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from orchestration.report.snapshot import Snapshot

MICRO = 1_000_000
MAX_OBJECTIVES = 5


@dataclass(frozen=True)
class PullRequests:
    """Pull requests of people in one repository. Those that merged in the weeks of the report, and those open now.

    `cycle_hours` and `pickup_hours` are medians; None without a pull request that has such a time.
    """

    repository: str
    merged: int
    reviewed: int
    ai_assisted: int
    cycle_hours: float | None
    pickup_hours: float | None
    open: int


@dataclass(frozen=True)
class Alignment:
    """ETV of the weeks of the report, and its parts that belong to an issue and that reach an objective."""

    etv: float
    aligned: float
    on_roadmap: float


@dataclass(frozen=True)
class Objective:
    """An objective without one above it, with ETV in the weeks of the report. `issues` is without canceled ones."""

    title: str
    etv: float
    done: int
    issues: int
    status: str
    target_on: date | None
    is_overdue: bool


@dataclass(frozen=True)
class Connected:
    """What connections add to a report. `alignment` is None without items of a tracker."""

    pull_requests: list[PullRequests]
    alignment: Alignment | None
    objectives: list[Objective]
    more_objectives: int


def read(snapshot: Snapshot, ids: Sequence[str], weeks: Sequence[date]) -> Connected:
    """Read the figures of these repositories over these weeks (their Mondays)."""
    chosen = list(ids), list(weeks)
    objectives = _objectives(snapshot, *chosen)
    return Connected(
        _pull_requests(snapshot, *chosen),
        _alignment(snapshot, *chosen),
        objectives[:MAX_OBJECTIVES],
        max(0, len(objectives) - MAX_OBJECTIVES),
    )


def _pull_requests(snapshot: Snapshot, ids: list[str], weeks: list[date]) -> list[PullRequests]:
    rows = snapshot.rows(
        "with shown as (select *, state = 'merged' and list_contains(?, date_trunc('week', merged_on)::date) as counts"
        " from pull_requests where list_contains(?, repository_id) and not is_bot)"
        " select repository_name, count(*) filter (counts), count(*) filter (counts and reviewer_count > 0),"
        " count(*) filter (counts and is_ai_assisted), median(cycle_hours_micro) filter (counts),"
        " median(pickup_hours_micro) filter (counts), count(*) filter (state = 'open')"
        " from shown group by repository_name order by 2 desc, 1",
        weeks,
        ids,
    )
    return [
        PullRequests(name, merged, reviewed, assisted, _hours(cycle), _hours(pickup), still_open)
        for name, merged, reviewed, assisted, cycle, pickup, still_open in rows
    ]


def _alignment(snapshot: Snapshot, ids: list[str], weeks: list[date]) -> Alignment | None:
    [(issues, objectives)] = snapshot.rows(
        "select (select count(*) from issues), (select count(*) from objectives)"
    )
    if not issues and not objectives:
        return None
    [(etv, aligned, on_roadmap)] = snapshot.rows(
        "select coalesce(sum(etv_micro), 0), coalesce(sum(aligned_etv_micro), 0),"
        " coalesce(sum(roadmap_etv_micro), 0) from daily where list_contains(?, repository_id) and not is_bot"
        " and list_contains(?, date_trunc('week', delivered_on)::date)",
        ids,
        weeks,
    )
    return Alignment(etv / MICRO, aligned / MICRO, on_roadmap / MICRO)


def _objectives(snapshot: Snapshot, ids: list[str], weeks: list[date]) -> list[Objective]:
    rows = snapshot.rows(
        "select title, sum(days.etv_micro) as etv, done_issue_count, issue_count - canceled_issue_count, status,"
        " target_on, is_overdue from objective_days as days join objectives using (objective_id)"
        " where parent_id is null and list_contains(?, repository_id) and not is_bot"
        " and list_contains(?, date_trunc('week', delivered_on)::date) group by all order by etv desc, title",
        ids,
        weeks,
    )
    return [
        Objective(title, etv / MICRO, done, issues, status or "", target_on, is_overdue)
        for title, etv, done, issues, status, target_on, is_overdue in rows
    ]


def _hours(micro: Any) -> float | None:
    return None if micro is None else float(micro) / MICRO
