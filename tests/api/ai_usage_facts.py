"""Usage of AI tools in the facts: what authors of some commits used on the day of writing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from tests.api.published_facts import Facts

NANO = 10**9
MODELS = ("claude-opus-5", "gpt-6-astra")


@dataclass(frozen=True)
class Used:
    """A row of usage. The developer is None for an actor whom nobody knows. `cost` is in millionths."""

    key: str
    day: date
    tool: str
    model: str
    developer: str | None
    team: str | None
    cost: int
    tokens: int
    is_counted: bool
    currency: str = "USD"


def used(facts: Facts) -> list[Used]:
    """Every row. Each seventh is of an unknown actor, each fifth is not counted, each eleventh is in euros."""
    found = []
    for n, commit in enumerate(facts.commits):
        if n % 2:
            continue
        day, is_known = commit.authored_at.date(), n % 7 != 0
        found.append(
            Used(
                f"CURSOR:{n}", day, ("cursor", "codex")[n % 4 // 2], MODELS[n % 3 // 2],
                commit.developer if is_known else None, facts.team_on(commit.developer, day) if is_known else None,
                1_000_000 + 997 * n, 100 + n, n % 5 != 0, "EUR" if n % 11 == 0 else "USD",
            )
        )  # fmt: skip
    return found


def rows(facts: Facts) -> dict[str, list[dict[str, Any]]]:
    """The rows as the mart."""
    return {"ai_usage": [_row(one) for one in used(facts)]}


def _row(one: Used) -> dict[str, Any]:
    return {
        "usage_id": one.key, "source": "vendor", "connection_id": None, "connection_kind": "CURSOR", "tool": one.tool,
        "used_on": one.day, "developer_id": one.developer, "team_id": one.team,
        "actor": None if one.developer else "build-server", "model": one.model, "requests": 2,
        "input_tokens": one.tokens, "output_tokens": 1, "cost_nano": one.cost * 1000, "cost_currency": one.currency,
        "cost_basis": "billed", "sessions": 1, "lines_accepted": 3, "is_active": True, "counts_cost": one.is_counted,
        "counts_tokens": one.is_counted, "counts_activity": one.is_counted, "unpriced_reason": None,
    }  # fmt: skip
