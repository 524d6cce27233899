"""Usage around the commits of the invented history, and the naive way from usage to commits."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from ingest.schemas.ai_tools import USAGE
from ingest.schemas.telemetry import LINKS
from tests.dbt import warehouse
from tests.dbt.invented.invented_history import ORGANIZATION_ID

Rows = list[dict[str, Any]]
CONNECTION = "018f0000-0000-7000-8000-000000000022"


def _written(built: Path) -> Rows:
    """Commits of people by day, one of each."""
    return warehouse.rows(
        built,
        "select author_address, authored_at::date as day, min(commit_sha) as commit_sha from int_commits "
        "where not is_merge group by all order by all limit 60",
    )


def spent_around_commits(built: Path) -> Rows:
    """Billed usage up to seven days before commits."""
    empty: dict[str, Any] = {field.name: None for field in USAGE}
    return [
        empty | {
            "organization_id": ORGANIZATION_ID, "connection_id": CONNECTION, "batch": 1, "provider_id": f"around {n}",
            "tool": ("copilot", "windsurf")[n % 2], "used_on": one["day"] - timedelta(days=n % 8), "is_active": True,
            "payload": "{}", "connector_version": "1", "actor_email": one["author_address"],
            "amount_nano": 1000 + 37 * n, "currency": "EUR" if n % 13 == 5 else "USD", "basis": "billed",
        }
        for n, one in enumerate(_written(built))
    ]  # fmt: skip


def named_commits(built: Path) -> Rows:
    """The session `alone` names three commits, one of them by its first digits; `double`, which does not count, one."""
    at = datetime(2026, 11, 20, 12, tzinfo=UTC)
    empty: dict[str, Any] = {field.name: None for field in LINKS}
    return [
        empty | {
            "organization_id": ORGANIZATION_ID, "event_key": f"link {n}", "token_id": "t", "received_at": at,
            "happened_at": at, "tool": "claude_code", "session_id": "alone" if n < 3 else "double",
            "commit_sha": one["commit_sha"][: 40 if n else 12],
        }
        for n, one in enumerate(_written(built)[:4])
    ]  # fmt: skip


def expected_costs(filled: Path) -> dict[tuple[Any, ...], int]:
    """Cost by day, tool, developer, currency, commit and method, by loops over the rows of usage."""
    usage = warehouse.rows(filled, "select * from ai_usage")
    shas = {
        one["commit_sha"]: one["commit_id"] for one in warehouse.rows(filled, "select * from int_commits")
    }
    named: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in warehouse.rows(filled, "select * from stg_telemetry__links"):
        named[one["tool"], one["session_id"]] |= {sha for sha in shas if sha.startswith(one["commit_sha"])}
    written: dict[tuple[str, date], set[str]] = defaultdict(set)
    for one in warehouse.rows(filled, "select * from int_ai_usage__authored"):
        written[one["developer_id"], one["authored_on"]].add(one["commit_sha"])
    of_day: dict[tuple[str, str, date], set[str]] = defaultdict(set)
    for one in usage:
        if one["developer_id"]:
            of_day[one["developer_id"], one["tool"], one["used_on"]] |= named.get(
                (one["tool"], one["session_id"]), set()
            )
    units: dict[tuple[Any, ...], int] = defaultdict(int)
    for one in usage:
        if one["counts_cost"]:
            names = ("used_on", "tool", "developer_id", "cost_currency", "session_id")
            units[tuple(one[name] for name in names)] += one["cost_nano"]
    found: dict[tuple[Any, ...], int] = defaultdict(int)
    for (day, tool, person, currency, session), cost in units.items():
        ways = [
            ("session", named.get((tool, session), set())),
            ("session_of_day", of_day.get((person, tool, day), set())),
            ("day", written.get((person, day), set())),
        ]
        ways += [("next_day", written.get((person, day + timedelta(days=n)), set())) for n in range(1, 5)]
        method, commits = next(((name, one) for name, one in ways if one), ("none", set()))
        for place, sha in enumerate(sorted(commits)):
            share = cost // len(commits) + (place < cost % len(commits))
            found[day, tool, person, currency, shas[sha], method] += share
        if not commits:
            found[day, tool, person, currency, None, method] += cost
    return dict(found)
