"""Reads the figures of a report from the published snapshot.

Add: a figure. Keep out: definitions of metrics (api/presentation), tables on the terminal (tables.py). ETV here is in
units of ETV, in the snapshot in millionths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from api.control.categories import CATEGORIES
from api.presentation.metrics import METRICS, MICRO
from orchestration.report import connected, unearned
from orchestration.report.connected import Connected
from orchestration.report.measured import Rows, measured
from orchestration.report.periods import complete, label, running
from orchestration.report.snapshot import Snapshot
from orchestration.report.unearned import Unearned

_SHOWN = [
    metric
    for metric in METRICS.values()
    if metric.is_split or metric.name in ("etv", "ai_share_at_least", "ai_commits", "commits")
]
MAX_DEVELOPERS = 15
MAX_COMMITS = 10


@dataclass(frozen=True)
class Line:
    """A row of a table: a period, a developer or a repository.

    ETV is in units, `ai_share` is 0 to 1 and `performance` 0 to 100, or None for a dash. `is_draft` marks an incomplete
    period.
    """

    name: str
    etv: float = 0.0
    categories: dict[str, float] = field(default_factory=dict)
    ai_share: float | None = None
    ai_commits: int = 0
    commits: int = 0
    performance: float | None = None
    is_draft: bool = False
    shared_commits: int = 0
    """Commits of others that name the developer as a co-author. They are in `commits` of their authors alone."""


@dataclass(frozen=True)
class TopCommit:
    """One of the most valuable commits, with the explanation of its score."""

    sha: str
    delivered_on: date
    repository: str
    developer: str
    subject: str
    category_label: str
    etv: float
    is_provisional: bool
    explanation: str


@dataclass(frozen=True)
class Movement:
    """ETV of a month and of the month before, and the parts that add up to the difference."""

    month: date
    etv: float
    previous: float
    parts: dict[str, float]


@dataclass(frozen=True)
class Figures:
    """All figures of a report.

    `is_dormant` is true if the last complete periods have no deliveries, so the report shows earlier ones.
    """

    organization: str
    time_zone: str
    weeks: list[Line]
    months: list[Line]
    developers: list[Line]
    more_developers: int
    repositories: list[Line]
    bots: Line | None
    commits: list[TopCommit]
    month_of_performance: date | None
    developer_weeks_before: float | None
    """Developer-weeks of the organization in the year before that month, with which its performance is compared."""
    other_repositories: int
    is_dormant: bool
    movement: Movement | None
    """The movement of the last month that has a performance."""
    agents: dict[str, int]
    """Commits by the accounts of AI agents, which count as bots."""
    connected: Connected
    unearned: Unearned
    misdated: list[tuple[str, int]]
    """Repositories with deliveries whose time is impossible, and how many."""
    analysed: int
    """Number of repositories in the report."""


def read(snapshot: Snapshot, repository_ids: Sequence[str]) -> Figures:
    """Read the figures of these repositories. Raises duckdb.Error if the snapshot is from another release."""
    name, zone, week, month = snapshot.rows(
        "select name, time_zone, last_complete_week_start, last_complete_month_start from organizations"
    )[0]
    ids = list(repository_ids)
    weeks, dormant = complete(snapshot, "week", week, ids)
    months, _ = complete(snapshot, "month", month, ids, dormant=dormant)
    drafts = {unit: running(snapshot, unit, last, ids) for unit, last in (("week", week), ("month", month))}
    entity = _performance_entity(snapshot, ids)
    monthly = _series(snapshot, "month", months, drafts["month"], ids, entity)
    # A month without deliveries has no performance.
    last_month = next(
        (month for month, line in reversed(list(zip(months, monthly, strict=False))) if line.commits), None
    )
    developers = _developers(snapshot, ids, weeks or drafts["week"], last_month, is_bot=False)
    bots = _developers(snapshot, ids, weeks or drafts["week"], last_month, is_bot=True)
    all_bots = _lines(snapshot, "null", Rows(ids, "week", weeks or drafts["week"], is_bot=True))
    return Figures(
        organization=name,
        time_zone=zone,
        weeks=_series(snapshot, "week", weeks, drafts["week"], ids, entity),
        months=monthly,
        developers=developers[:MAX_DEVELOPERS],
        more_developers=max(0, len(developers) - MAX_DEVELOPERS),
        repositories=_repositories(snapshot, ids, weeks or drafts["week"], last_month),
        bots=next((replace(line, name="bots") for line in all_bots.values()), None),
        commits=_commits(snapshot, ids, weeks or drafts["week"]),
        month_of_performance=last_month,
        developer_weeks_before=_developer_weeks_before(snapshot, last_month),
        misdated=snapshot.rows(
            "select name, misdated_deliveries from repositories"
            " where misdated_deliveries > 0 and list_contains(?, repository_id) order by name",
            ids,
        ),
        other_repositories=snapshot.rows(
            "select count(*) from repositories where not list_contains(?, repository_id)", ids
        )[0][0],
        is_dormant=dormant,
        movement=_movement(snapshot, entity, last_month),
        agents={line.name: line.ai_commits for line in bots if line.ai_commits},
        connected=connected.read(snapshot, ids, weeks or drafts["week"]),
        unearned=unearned.read(snapshot, ids, weeks or drafts["week"]),
        analysed=len(ids),
    )


def _movement(snapshot: Snapshot, entity: tuple[str, str] | None, month: date | None) -> Movement | None:
    if entity is None or month is None:
        return None
    parts = ("changes", "size", "mix", "rework", "value")
    found = snapshot.rows(
        f"select etv_micro, previous_etv_micro, {', '.join(f'{part}_micro' for part in parts)} from movements"
        " where entity_kind = ? and entity_id = ? and period = 'month' and period_start = ?",
        *entity,
        month,
    )
    if not found:
        return None
    etv, before, *moved = (value / MICRO for value in found[0])
    return Movement(month, etv, before, dict(zip(parts, moved, strict=True)))


def _performance_entity(snapshot: Snapshot, ids: list[str]) -> tuple[str, str] | None:
    """Kind and id of the entity that equals the selection: the organization, a repository, or None."""
    counted = [
        row[0]
        for row in snapshot.rows(
            "select repository_id from repositories where not is_sandbox and not is_excluded"
        )
    ]
    if set(counted) == set(ids):
        return "organization", snapshot.rows("select organization_id from organizations")[0][0]
    return ("repository", ids[0]) if len(ids) == 1 else None


def _series(
    snapshot: Snapshot,
    unit: str,
    complete: list[date],
    running: list[date],
    ids: list[str],
    entity: tuple[str, str] | None,
) -> list[Line]:
    lines = _lines(
        snapshot, f"date_trunc('{unit}', delivered_on)::date", Rows(ids, unit, [*complete, *running])
    )
    found = _performance(snapshot, unit, entity[0]) if entity else {}
    return [
        replace(
            lines.get(start, Line("")),
            name=label(unit, start),
            performance=found.get((entity[1], start)) if entity and start in complete else None,
            is_draft=start in running,
        )
        for start in [*complete, *running]
    ]


def _developers(
    snapshot: Snapshot, ids: list[str], weeks: list[date], month: date | None, *, is_bot: bool
) -> list[Line]:
    names = dict(snapshot.rows("select developer_id, name from developers"))
    return _entities(snapshot, "developer", names, ids, weeks, month, is_bot=is_bot)


def _repositories(snapshot: Snapshot, ids: list[str], weeks: list[date], month: date | None) -> list[Line]:
    names = dict(
        snapshot.rows(
            "select repository_id, name from repositories where list_contains(?, repository_id)", ids
        )
    )
    return _entities(snapshot, "repository", names, ids, weeks, month, is_bot=False)


def _entities(
    snapshot: Snapshot,
    kind: str,
    names: dict[str, str],
    ids: list[str],
    weeks: list[date],
    month: date | None,
    *,
    is_bot: bool,
) -> list[Line]:
    """One line per developer or repository over the shown weeks, with the performance of the last shown month."""
    lines = _lines(snapshot, f"{kind}_id", Rows(ids, "week", weeks, is_bot))
    found = _performance(snapshot, "month", kind)
    shared = _shared_commits(snapshot, weeks, ids) if kind == "developer" else {}
    named = [
        replace(
            line,
            name=names.get(entity_id, entity_id),
            performance=found.get((entity_id, month)),
            shared_commits=shared.get(entity_id, 0),
        )
        for entity_id, line in lines.items()
    ]
    return sorted(named, key=lambda line: (-line.etv, -line.commits, line.name))


def _shared_commits(snapshot: Snapshot, weeks: list[date], ids: list[str]) -> dict[str, int]:
    rows = snapshot.rows(
        "select credits.developer_id, count(*) from commit_credits as credits"
        " join commits_by_time as commits using (commit_id)"
        " where credits.role = 'co_author' and commits.is_counted and list_contains(?, commits.repository_id)"
        " and list_contains(?, date_trunc('week', commits.delivered_on)::date) group by credits.developer_id",
        ids,
        weeks,
    )
    return dict(rows)


def _lines(snapshot: Snapshot, group: str, rows: Rows) -> dict[Any, Line]:
    return {
        key: Line(
            "",
            found["etv"],
            {category: found[f"{category}_etv"] for category in CATEGORIES},
            found["ai_share_at_least"],
            found["ai_commits"] or 0,
            found["commits"],
        )
        for key, found in measured(snapshot, _SHOWN, rows.of("daily"), by=group).items()
    }


def _performance(snapshot: Snapshot, unit: str, kind: str) -> dict[tuple[str, date | None], float]:
    rows = snapshot.rows(
        "select entity_id, period_start, performance from performance"
        " where entity_kind = ? and period = ? and performance is not null",
        kind,
        unit,
    )
    return {(entity_id, start): performance for entity_id, start, performance in rows}


def _developer_weeks_before(snapshot: Snapshot, month: date | None) -> float | None:
    found = snapshot.rows(
        "select reference_developer_weeks from performance"
        " where entity_kind = 'organization' and period = 'month' and period_start = ?",
        month,
    )
    return found[0][0] if found else None


def _commits(snapshot: Snapshot, ids: list[str], weeks: list[date]) -> list[TopCommit]:
    rows = snapshot.rows(
        "select commit_sha, delivered_on, repository_name, developer_name, subject, category_label, etv_micro,"
        " is_provisional, explanation from commits_by_time"
        " where list_contains(?, repository_id) and is_counted and etv_micro > 0"
        " and list_contains(?, date_trunc('week', delivered_on)::date)"
        f" order by etv_micro desc, commit_sha limit {MAX_COMMITS}",
        ids,
        weeks,
    )
    return [
        TopCommit(sha, on, repository, developer, subject, label, etv / MICRO, is_provisional, explanation)
        for sha, on, repository, developer, subject, label, etv, is_provisional, explanation in rows
    ]
