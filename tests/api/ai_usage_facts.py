"""Usage of AI tools in the facts: what authors of some commits used on the day of writing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from tests.api.published_facts import Commit, Facts

NANO = 10**9
CURRENCIES = ("USD", "EUR")
MODELS = ("claude-opus-5", "gpt-6-astra")
SPELLED = {"claude-opus-5": ("anthropic/claude-opus-5", "claude-opus-5"), "gpt-6-astra": ("gpt-6-astra",)}
"""Names that sources give a model."""


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

    @property
    def is_capped(self) -> bool:
        """Of few rows, so that most groups have none."""
        return self.tokens % 61 == 0

    @property
    def model_as_named(self) -> str:
        names = SPELLED[self.model]
        return names[self.tokens // 2 % len(names)]


def used(facts: Facts) -> list[Used]:
    """Every row. Each seventh is of an unknown actor, each fifth is not counted, each eleventh is in euros. Linus uses
    no tool.
    """
    found = []
    for n, commit in enumerate(facts.commits):
        if n % 2:
            continue
        day = commit.authored_at.date()
        is_known = n % 7 != 0 and facts.developers[commit.developer] != "Linus"
        found.append(
            Used(
                f"CURSOR:{n}", day, ("cursor", "codex")[n % 4 // 2], MODELS[n % 3 // 2],
                commit.developer if is_known else None, facts.team_on(commit.developer, day) if is_known else None,
                1_000_000 + 997 * n, 100 + n, n % 5 != 0, "EUR" if n % 11 == 0 else "USD",
            )
        )  # fmt: skip
    return found


@dataclass(frozen=True)
class Compared:
    """Usage of a tool, person and day as the vendor and telemetry have it. Costs are in millionths; None: no price."""

    tool: str
    day: date
    developer: str | None
    team: str | None
    vendor: int
    telemetry: int
    vendor_cost: int
    telemetry_cost: int | None


def compared(facts: Facts) -> list[Compared]:
    """One for each tool, person and day with usage: telemetry lacks a part, or has what the vendor lacks."""
    found: dict[tuple[str, date, str | None], Compared] = {}
    for n, one in enumerate(used(facts)):
        vendor, telemetry = (0 if n % 9 == 4 else 1000 + n, 0 if n % 4 == 0 else 900 + 2 * n)
        found[one.tool, one.day, one.developer] = Compared(
            one.tool, one.day, one.developer, one.team, vendor, telemetry, 3 * vendor,
            None if n % 50 == 7 else 3 * telemetry,
        )  # fmt: skip
    return list(found.values())


@dataclass(frozen=True)
class Linked:
    """Cost (in millionths) of usage for a commit; None for cost that is linked to none."""

    used: Used
    commit: Commit | None
    method: str
    confidence: int


METHODS = (("session", 1_000_000), ("session_of_day", 900_000), ("day", 600_000), ("next_day", 300_000))


def linked(facts: Facts, currencies: Iterable[str] = ("USD",)) -> list[Linked]:
    """Counted cost with the commit before which the tool was used; each third and that of nobody without."""
    commits = {f"CURSOR:{n}": (n, commit) for n, commit in enumerate(facts.commits)}
    found = []
    for one in used(facts):
        if not one.is_counted or one.currency not in currencies:
            continue
        n, commit = commits[one.key]
        is_linked = n % 3 != 0 and one.developer is not None
        method, confidence = METHODS[n % 4] if is_linked else ("none", 0)
        found.append(Linked(one, commit if is_linked else None, method, confidence))
    return found


def linked_by_commit(facts: Facts) -> dict[str, list[Linked]]:
    found: dict[str, list[Linked]] = {}
    for one in linked(facts):
        if one.commit:
            found.setdefault(one.commit.id, []).append(one)
    return found


def cost_columns(by_commit: Mapping[str, list[Linked]], commits: Iterable[str]) -> dict[str, int | None]:
    """The cost of these commits with its mean confidence."""
    found = [one for commit in commits for one in by_commit.get(commit, ())]
    cost = total(one.used.cost for one in found)
    if cost is None:
        return {"ai_cost_micro": None, "ai_cost_confidence_micro": None}
    confidence = round(sum(one.used.cost * one.confidence for one in found) / cost)
    return {"ai_cost_micro": cost, "ai_cost_confidence_micro": confidence}


def rows(facts: Facts) -> dict[str, list[dict[str, Any]]]:
    """The rows as the mart."""
    return {
        "ai_usage": [_row(one) for one in used(facts)],
        "ai_days": _days(facts),
        "ai_costs": [_cost(one) for one in linked(facts, CURRENCIES)],
        "ai_usage_reconciliation": [_compared(one) for one in compared(facts)],
    }


def _row(one: Used) -> dict[str, Any]:
    return {
        "usage_id": one.key, "source": "vendor", "connection_id": None, "connection_kind": "CURSOR", "tool": one.tool,
        "used_on": one.day, "developer_id": one.developer, "team_id": one.team,
        "actor": None if one.developer else "build-server", "model": one.model_as_named,
        "common_model": one.model, "requests": 2,
        "input_tokens": one.tokens, "output_tokens": 1, "cost_nano": one.cost * 1000, "cost_currency": one.currency,
        "cost_basis": "billed", "sessions": 1, "lines_accepted": 3, "is_active": True, "counts_cost": one.is_counted,
        "counts_tokens": one.is_counted, "counts_activity": one.is_counted, "unpriced_reason": None,
        "is_capped": one.is_capped,
    }  # fmt: skip


def _compared(one: Compared) -> dict[str, Any]:
    cost = None if one.telemetry_cost is None else one.telemetry_cost * 1000
    return {
        "tool": one.tool, "person_key": one.developer or "", "used_on": one.day, "developer_id": one.developer,
        "team_id": one.team, "actor": None, "vendor_kind": "CURSOR", "vendor_tokens": one.vendor,
        "telemetry_tokens": one.telemetry, "difference_tokens": one.vendor - one.telemetry,
        "captured_micro": one.telemetry * 10**6 // one.vendor if one.vendor else None,
        "vendor_nano": one.vendor_cost * 1000, "telemetry_nano": cost,
        "difference_nano": None if cost is None else one.vendor_cost * 1000 - cost,
    }  # fmt: skip


def _cost(one: Linked) -> dict[str, Any]:
    return {
        "used_on": one.used.day, "tool": one.used.tool, "developer_id": one.used.developer, "team_id": one.used.team,
        "commit_id": one.commit and one.commit.id, "repository_id": one.commit and one.commit.repository,
        "method": one.method, "confidence_micro": one.confidence, "cost_nano": one.used.cost * 1000,
        "cost_currency": one.used.currency,
    }  # fmt: skip


def _days(facts: Facts) -> list[dict[str, Any]]:
    """What people used on each day, as the mart: only dollars are added up."""
    found: dict[tuple[date, str], list[Used]] = {}
    for one in used(facts):
        if one.developer:
            found.setdefault((one.day, one.developer), []).append(one)
    return [
        {
            "used_on": day, "developer_id": developer, "team_id": own[0].team, "is_bot": developer == facts.bot,
            "usage_cost_nano": total(one.cost * 1000 for one in own if one.is_counted and one.currency == "USD"),
            "usage_tokens": total(one.tokens + 1 for one in own if one.is_counted), "usage_days": 1,
            "usage_sessions": total(1 for one in own if one.is_counted), "usage_lines_suggested": None,
            "usage_lines_accepted": total(3 for one in own if one.is_counted),
        }
        for (day, developer), own in found.items()
    ]  # fmt: skip


def total(values: Iterable[int]) -> int | None:
    """The sum; None without any."""
    found = list(values)
    return sum(found) if found else None
