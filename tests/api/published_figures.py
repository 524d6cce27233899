"""The figures of the facts as rows of marts: sums per day, week and month, reasons, and the CapEx report.

A row names only the columns that depend on the facts (see published_rows.py).
"""

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any

from ingest.settings import CHECKOUT
from tests.api.published_facts import (
    REFERENCE_PER_WEEK,
    REFERENCE_WEEKS,
    TODAY,
    Change,
    Facts,
    performance_of,
    weekly_etv,
)


def rows(facts: Facts, organization: str) -> dict[str, Iterable[dict[str, Any]]]:
    """The rows by mart, without the prefix of its name."""
    daily = list(_daily(facts))
    return {
        "daily": daily,
        "team_daily": [row | {"team_id": key} for row in daily for key in facts.and_above(row["team_id"])],
        "performance": _performance(facts, organization),
        "movements": _movements(facts, organization),
        "capex": _capex(facts, organization),
        "billable_developers": _billable(facts),
        "capex_evidence": _capex_evidence(facts),
        "zero_reasons": _zero_reasons(),
        "zero_reason_days": _zero_reason_days(facts),
        "zero_reason_commits": _zero_reason_commits(facts),
    }


def _zero_reasons() -> Iterable[dict[str, Any]]:
    """The reasons of the seed."""
    with (CHECKOUT / "dbt_project" / "seeds" / "zero_reason_texts.csv").open(newline="") as lines:
        for row in csv.DictReader(lines):
            yield {name: row[name] for name in ("zero_reason", "level", "title", "description")} | {
                "position": int(row["position"]),
                "warning_share_micro": 100_000 if row["warns"] == "true" else None,
            }


def _zero_reason_days(facts: Facts) -> Iterable[dict[str, Any]]:
    sums: dict[tuple[Any, ...], Counter[str]] = defaultdict(Counter)
    for commit in facts.commits:
        for reason, commits, files, lines in facts.parts(commit):
            assert commit.delivered_at is not None
            key = (
                commit.delivered_at.date(), commit.repository, facts.team_of_commit(commit), commit.developer,
                commit.developer == facts.bot, commit.repository == facts.sandbox, reason,
            )  # fmt: skip
            sums[key] += Counter(commits=commits, files=files, lines_added=lines)
    names = "delivered_on", "repository_id", "team_id", "developer_id", "is_bot", "is_sandbox", "zero_reason"
    for key, amounts in sums.items():
        yield dict(zip(names, key, strict=True)) | amounts


def _zero_reason_commits(facts: Facts) -> Iterable[dict[str, Any]]:
    """All commits with lines. One repository has URLs of its commits."""
    for commit in facts.commits:
        found: dict[str, tuple[int, int]] = {}
        for reason, _, files, lines in facts.parts(commit):
            if reason is not None and lines:
                before = found.get(reason, (0, 0))
                found[reason] = (before[0] + files, before[1] + lines)
        name = facts.repositories[commit.repository]
        is_hosted = commit.repository == next(iter(facts.repositories))
        for reason, (files, lines) in found.items():
            assert commit.delivered_at is not None
            yield {
                "commit_id": commit.id, "commit_sha": commit.sha, "zero_reason": reason,
                "repository_id": commit.repository, "repository_name": name,
                "team_id": facts.team_of_commit(commit), "developer_id": commit.developer,
                "is_sandbox": commit.repository == facts.sandbox, "delivered_on": commit.delivered_at.date(),
                "author_name": facts.developers[commit.developer], "subject": commit.subject, "files": files,
                "lines_added": lines,
                "commit_url": f"https://git.example/{name}/commit/{commit.sha}" if is_hosted else None,
            }  # fmt: skip


def _daily(facts: Facts) -> Iterable[dict[str, Any]]:
    # A counter drops zeros; the columns then have their empty value, which is 0.
    sums: dict[tuple[Any, ...], Counter[str]] = defaultdict(Counter)
    for commit in facts.commits:
        place = commit.repository, commit.developer, facts.team_of_commit(commit)
        for change in commit.changes:
            sums[change.day, *place, change.category, change.is_bot, change.is_sandbox] += Counter(
                etv_micro=change.etv, effort_micro=change.effort, points_micro=change.points, files=1,
                ai_etv_micro=change.etv if change.ai else 0,
                aligned_etv_micro=change.etv if change.is_aligned else 0, roadmap_etv_micro=change.roadmap_etv,
                lines_added=change.novel + change.comments,
            )  # fmt: skip
        if commit.changes:
            first = commit.changes[0]
            key = first.day, *place, commit.category, first.is_bot, first.is_sandbox
            sums[key] += Counter(commits=1, ai_commits=int(commit.ai))
    names = "delivered_on", "repository_id", "developer_id", "team_id", "category", "is_bot", "is_sandbox"
    for key, measures in sums.items():
        yield dict(zip(names, key, strict=True)) | measures


def _performance(facts: Facts, organization: str) -> Iterable[dict[str, Any]]:
    entities: list[tuple[str, str, str | None]] = [("organization", organization, None)]
    entities += [("repository", key, key) for key in facts.repositories]
    entities += [("developer", key, key) for key in facts.developers]
    entities += [("team", key, key) for key in facts.teams]
    for kind, entity, key in entities:
        weeks = weekly_etv(facts, kind, key)
        months: dict[date, list[int]] = defaultdict(list)
        for monday, etv in weeks.items():
            months[monday.replace(day=1)].append(etv)
            yield _performance_row(kind, entity, "week", monday, monday + timedelta(days=6), etv, 1.0)
        for first, values in months.items():
            last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
            yield _performance_row(kind, entity, "month", first, last, sum(values), float(len(values)))


def _performance_row(
    kind: str, entity: str, period: str, start: date, end: date, etv: int, weeks: float
) -> dict[str, Any]:
    return {
        "entity_kind": kind, "entity_id": entity, "period": period,
        "period_start": start, "period_end": end, "is_draft": end >= TODAY, "etv_micro": etv,
        "reference_etv_per_week_micro": REFERENCE_PER_WEEK, "developer_weeks": weeks,
        "reference_developer_weeks": REFERENCE_WEEKS, "performance": performance_of(etv, weeks),
    }  # fmt: skip


def _movements(facts: Facts, organization: str) -> Iterable[dict[str, Any]]:
    """Movements between months. Half of each comes from changes, a quarter from their size, the rest from the mix."""
    rows = [row for row in _performance(facts, organization) if row["period"] == "month"]
    etv = {(row["entity_id"], row["period_start"]): row["etv_micro"] for row in rows}
    for row in rows:
        before = etv.get((row["entity_id"], (row["period_start"] - timedelta(days=1)).replace(day=1)), 0)
        moved = row["etv_micro"] - before
        names = ("entity_kind", "entity_id", "period", "period_start", "period_end", "is_draft", "etv_micro")
        yield {name: row[name] for name in names} | {
            "previous_etv_micro": before, "changes_micro": moved // 2, "size_micro": moved // 4,
            "mix_micro": moved - moved // 2 - moved // 4,
        }  # fmt: skip


def _billable(facts: Facts) -> Iterable[dict[str, Any]]:
    # The renewal that is due, and the next one.
    for renewal in (date(2026, 11, 1), date(2026, 12, 1)):
        last = {
            change.developer: change.day
            for change in sorted(facts.changes, key=lambda change: change.day)
            if renewal - timedelta(days=90) <= change.day < renewal
            and not change.is_bot
            and not change.is_sandbox
        }
        for developer, day in last.items():
            name = facts.developers[developer]
            yield {
                "developer_id": developer, "name": name, "primary_email": f"{name.lower()}@acme.example",
                "renews_on": renewal, "last_delivered_on": day,
            }  # fmt: skip


def _capex_evidence(facts: Facts) -> Iterable[dict[str, Any]]:
    cells: dict[tuple[date, str, str, str, str], list[Change]] = defaultdict(list)
    main = {commit.id: commit.category or "" for commit in facts.commits}
    for change in facts.changes:
        if not change.is_bot and not change.is_sandbox:
            month = change.day.replace(day=1)
            kinds = change.category, main[change.commit]
            cells[month, change.developer, change.repository, *kinds].append(change)
    for (month, developer, repository, category, commit_category), changes in cells.items():
        yield {
            "month": month, "developer_id": developer, "repository_id": repository, "category": category,
            "commit_category": commit_category, "policy_version": "default",
            "is_capitalizable": category == "features", "effort_micro": sum(c.effort for c in changes),
            "etv_micro": sum(c.etv for c in changes), "commits": len({c.commit for c in changes}),
        }  # fmt: skip


def _capex(facts: Facts, organization: str) -> Iterable[dict[str, Any]]:
    rows: dict[tuple[date, str], list[Change]] = defaultdict(list)
    for change in facts.changes:
        if not change.is_bot and not change.is_sandbox:
            rows[change.day.replace(day=1), change.developer].append(change)
    for (month, developer), changes in rows.items():
        effort = sum(change.effort for change in changes)
        features = sum(change.effort for change in changes if change.category == "features")
        share = round(100 * features / effort, 2) if effort else None
        yield {
            "organization_id": organization, "developer_id": developer,
            # A name that a spreadsheet would run.
            "developer_name": "=HYPERLINK(1)" if facts.developers[developer] == "Ada" else facts.developers[developer],
            "primary_email": f"{facts.developers[developer].lower()}@acme.example",
            "team_id": facts.team_of_month(developer, month), "team": "@web",
            "policy_version": "default", "month": month,
            "hours": 160.0, "capex_percent": share, "capex_percent_low": None if share is None else round(share / 2, 2),
            "capex_percent_high": None if share is None else round((share + 100) / 2, 2),
            "capex_hours": None if share is None else round(1.6 * share, 2),
            "opex_hours": None if share is None else 160 - round(1.6 * share, 2),
            "etv_micro": sum(change.etv for change in changes),
            "effort_micro": effort, "capitalizable_effort_micro": features,
            "capitalizable_etv_micro": sum(c.etv for c in changes if c.category == "features"),
            "commits": len({change.commit for change in changes}), "dates_inferred": True,
            "is_draft": month == TODAY.replace(day=1),
        }  # fmt: skip
