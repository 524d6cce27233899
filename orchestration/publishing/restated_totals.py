"""Compares the totals of an organization before and after a change of rules: a release, a constant or a model.

Add: a total to compare. Keep out: the record (`api.control.operations.restatements`), closed months of CapEx
(capex_restatements.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import duckdb

from api.control.categories import CATEGORIES
from api.control.operations import restatements
from api.control.operations.restatements import LAST_12_MONTHS, WHOLE_HISTORY, RestatedPeriod, Totals
from api.presentation.metrics import METRICS, aggregates
from orchestration.deployment import Deployment
from orchestration.publishing.snapshot import Published

# Inputs of a build that are rules. A record also names the other inputs that differ.
RULES = ("version", "code")
OTHER_INPUTS = ("facts", "settings", "local_date")

_SUMS = [METRICS[name] for name in ("etv", "effort", "commits", *(f"{name}Etv" for name in CATEGORIES))]
_COUNTED_WORK = """
    from daily where not is_bot and not is_sandbox
        and delivered_on between coalesce($first, delivered_on) and $last
"""
_ZERO_SCORES = """
    select zero_reason, count(*), sum(lines_added)::bigint from commits_by_time
    where zero_reason is not null and delivered_on between coalesce($first, delivered_on) and $last
    group by zero_reason order by zero_reason
"""


def record_restatement(
    deployment: Deployment, organization_id: str, done: Published, build_record: Mapping[str, Any]
) -> bool:
    """Record the totals of both builds if the rules of a published build differ from those of the previous one.

    Records nothing if the version is the same and no total differs. Returns whether it recorded a restatement. Call
    it before the run state records the build.
    """
    before = deployment.run_state.build(organization_id)
    if before is None:
        return False
    now = build_record["inputs"]
    changed = [name for name in (*RULES, *OTHER_INPUTS) if before.inputs.get(name) != now.get(name)]
    if not set(RULES) & set(changed):
        return False
    periods = compare(done.file.with_name(f"{before.build_id}.duckdb"), done.file)
    if "version" not in changed and all(period.before == period.after for period in periods):
        return False
    with deployment.control() as control:
        restatements.restate(
            control,
            organization_id,
            (before.build_id, done.build_id),
            (before.inputs.get("version", ""), now["version"]),
            changed,
            periods,
        )
    return True


def compare(before: Path, after: Path) -> list[RestatedPeriod]:
    """Totals of two snapshots over the whole history, and over the last twelve months complete in the newer one."""
    periods = _periods(after)
    earlier, later = (totals(file, [days for _, *days in periods]) for file in (before, after))
    if later is None:
        raise RuntimeError(f"{after} lacks tables or columns that this release publishes")
    return [
        RestatedPeriod(period, first, last, earlier[n] if earlier else None, later[n])
        for n, (period, first, last) in enumerate(periods)
    ]


def totals(file: Path, periods: list[list[date | None]]) -> list[Totals] | None:
    """Totals by period, each a first day (None: from the beginning) and a last day; None if the file is unreadable."""
    if not file.is_file():
        return None
    try:
        with _connect(file) as build:
            return [_totals(build, first, last) for first, last in periods]
    except duckdb.Error:
        return None


def _periods(file: Path) -> list[tuple[str, date | None, date]]:
    with _connect(file) as build:
        [(today, month)] = build.execute(
            "select local_date, last_complete_month_start from organizations"
        ).fetchall()
        found: list[tuple[str, date | None, date]] = [(WHOLE_HISTORY, None, today)]
        if month is not None:
            [(first, last)] = build.execute(
                "select ($1::date - interval 11 months)::date, last_day($1::date)", [month]
            ).fetchall()
            found.append((LAST_12_MONTHS, first, last))
        return found


def _totals(build: duckdb.DuckDBPyConnection, first: date | None, last: date | None) -> Totals:
    days = {"first": first, "last": last}
    [(etv, effort, commits, *by_category)] = build.execute(
        f"select {aggregates(_SUMS)} {_COUNTED_WORK}", days
    ).fetchall()
    [(developers,)] = build.execute(f"select count(distinct developer_id) {_COUNTED_WORK}", days).fetchall()
    [(min_developers,)] = build.execute(
        "select coalesce(min(people), 0) from (select count(distinct developer_id) as people "
        f"{_COUNTED_WORK} group by date_trunc('month', delivered_on))",
        days,
    ).fetchall()
    zero_scores = build.execute(_ZERO_SCORES, days).fetchall()
    return Totals(
        etv_micro=etv,
        effort_micro=effort,
        commits=commits,
        developers=developers,
        fewest_developers=min_developers,
        category_etv_micro=dict(zip(CATEGORIES, by_category, strict=True)),
        zero_commits={reason: commits for reason, commits, _ in zero_scores},
        zero_lines_added={reason: lines for reason, _, lines in zero_scores},
    )


def _connect(file: Path) -> duckdb.DuckDBPyConnection:
    return duckdb.connect(str(file), read_only=True, config={"threads": 2})
