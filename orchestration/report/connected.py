"""Figures of a report that need a connection: pull requests, alignment, objectives and AI tools. Empty without facts of
one.

Add: a figure about hosts, trackers or AI tools. Keep out: tables on the terminal (connected_tables.py). ETV is in
units of ETV, times are calendar hours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from api.presentation.metrics import METRICS
from api.presentation.pull_request_metrics import (
    AI_PULL_REQUESTS,
    PULL_REQUEST_METRICS,
    REVIEWED_PULL_REQUESTS,
)
from orchestration.report.measured import Rows, measured
from orchestration.report.snapshot import Snapshot

_OF_PULL_REQUESTS = (
    *(PULL_REQUEST_METRICS[name] for name in ("mergedPullRequests", "cycleHours", "pickupHours")),
    REVIEWED_PULL_REQUESTS,
    AI_PULL_REQUESTS,
)
_OF_ALIGNMENT = [METRICS[name] for name in ("issueAlignment", "roadmapAlignment", "unalignedEtv")]
MAX_OBJECTIVES = 5


@dataclass(frozen=True)
class PullRequests:
    """Pull requests of people in one repository. Those that merged in the weeks of the report, and those open now.

    `cycle_hours` and `pickup_hours` are medians; None without a pull request that has such a time.
    """

    repository: str
    open: int
    merged_pull_requests: int = 0
    reviewed_pull_requests: int = 0
    ai_pull_requests: int = 0
    cycle_hours: float | None = None
    pickup_hours: float | None = None


@dataclass(frozen=True)
class Alignment:
    """Shares of the ETV of the weeks that belong to an issue and that reach an objective, and the ETV without an issue.

    Shares are 0 to 1; None without any ETV.
    """

    issue_alignment: float | None = None
    roadmap_alignment: float | None = None
    unaligned_etv: float = 0.0


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
class AiTool:
    """An AI tool that people used in the weeks of the report (days are UTC).

    `cost` is the counted cost in US dollars over the organization, and `linked` the part that is linked to commits of
    the repositories; None without an amount.
    """

    tool: str
    people: int
    cost: float | None = None
    linked: float | None = None


@dataclass(frozen=True)
class Connected:
    """The part of a report that comes from connections. `alignment` is None without items of a tracker."""

    pull_requests: list[PullRequests]
    alignment: Alignment | None
    objectives: list[Objective]
    more_objectives: int
    ai_tools: list[AiTool]


def read(snapshot: Snapshot, ids: Sequence[str], weeks: Sequence[date]) -> Connected:
    """Read the figures of these repositories over these weeks (their Mondays)."""
    rows = Rows(ids, "week", weeks)
    objectives = _objectives(snapshot, rows)
    return Connected(
        _pull_requests(snapshot, rows),
        _alignment(snapshot, rows),
        objectives[:MAX_OBJECTIVES],
        max(0, len(objectives) - MAX_OBJECTIVES),
        _ai_tools(snapshot, rows),
    )


def _pull_requests(snapshot: Snapshot, rows: Rows) -> list[PullRequests]:
    known = snapshot.rows(
        "select repository_id, repository_name, count(*) filter (state = 'open') from pull_requests"
        " where list_contains(?, repository_id) and not is_bot group by all",
        rows.ids,
    )
    merged = measured(
        snapshot, _OF_PULL_REQUESTS, rows.of("merged_pull_requests", "merged_on"), by="repository_id"
    )
    lines = [
        PullRequests(name, still_open, **merged.get(repository_id, {}))
        for repository_id, name, still_open in known
    ]
    return sorted(lines, key=lambda line: (-line.merged_pull_requests, line.repository))


def _alignment(snapshot: Snapshot, rows: Rows) -> Alignment | None:
    [(issues, objectives)] = snapshot.rows(
        "select (select count(*) from issues), (select count(*) from objectives)"
    )
    if not issues and not objectives:
        return None
    return Alignment(**measured(snapshot, _OF_ALIGNMENT, rows.of("daily")).get(None, {}))


def _objectives(snapshot: Snapshot, rows: Rows) -> list[Objective]:
    earned = measured(snapshot, [METRICS["etv"]], rows.of("objective_days"), by="objective_id")
    known = snapshot.rows(
        "select objective_id, title, done_issue_count, issue_count - canceled_issue_count, coalesce(status, ''),"
        " target_on, is_overdue from objectives where parent_id is null and list_contains(?, objective_id)",
        list(earned),
    )
    found = [Objective(title, earned[objective_id]["etv"], *others) for objective_id, title, *others in known]
    return sorted(found, key=lambda one: (-one.etv, one.title))


def _ai_tools(snapshot: Snapshot, rows: Rows) -> list[AiTool]:
    in_weeks = f"list_contains(?, date_trunc('{rows.unit}', used_on)::date)"
    found = snapshot.rows(
        f"""
        with people as (
            select tool, count(distinct developer_id) filter (is_active) as people
            from ai_usage where {in_weeks} group by tool
        ),
        costs as (
            select
                tool,
                sum(cost_nano) as cost,
                coalesce(sum(cost_nano) filter (list_contains(?, repository_id)), 0) as linked
            from ai_costs where {in_weeks} and cost_currency = 'USD' group by tool
        )
        select tool, people, cost / 1e9, linked / 1e9 from people left join costs using (tool)
        order by cost desc nulls last, tool
        """,
        list(rows.periods), list(rows.ids), list(rows.periods),
    )  # fmt: skip
    return [AiTool(*one) for one in found]
