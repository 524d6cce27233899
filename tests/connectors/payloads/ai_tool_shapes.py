"""Shapes of payloads of AI tools. Keep out: parsers, which are the product's."""

from __future__ import annotations

from datetime import date
from typing import Any

from ingest.connections.rows import row_of
from ingest.providers.anthropic import accounts, claude_code
from ingest.providers.cursor import commits
from ingest.providers.cursor import tool as cursor
from ingest.providers.github import copilot, copilot_totals
from ingest.providers.windsurf import analytics
from ingest.providers.windsurf import tool as windsurf
from tests.connectors.payloads.shape import EACH, Shape

DAY = date(2026, 1, 1)
"""The day of a list of seats and of a share of code, which vendors do not name."""


def _claude_code(row: Any) -> Any:
    """A person's activity, and the tokens of each model, as rows of the raw table."""
    return [row_of(one.read()) for one in claude_code._rows(row)]


def _copilot(row: Any) -> Any:
    return row_of(copilot._person(date.fromisoformat(str(dict.get(row, "day"))), row))


def _windsurf_cascade(row: Any) -> Any:
    """Cascade is asked for one person, whom the answer does not name."""
    read = windsurf._run if dict.get(row, "cascadeId") else windsurf._lines
    return row_of(read("ann@example.com", row))


def _windsurf_suggestion(row: Any) -> Any:
    return row_of(analytics.suggestion({}, row))


def _copilot_seat(row: Any) -> Any:
    return row_of(copilot._seat(DAY, row))


AI_TOOL_SHAPES: tuple[Shape, ...] = (
    Shape("claude", "usage", ("data",), frozenset({"date", "actor", "core_metrics"}), _claude_code),
    Shape("claude", "account", ("data",), frozenset({"id", "email", "role"}), lambda it: row_of(accounts.account(it))),
    Shape("cursor", "commit", ("items",), frozenset({"commitHash", "commitTs"}), lambda it: row_of(commits.record(it))),
    Shape("cursor", "usage", ("usageEvents",), frozenset({"timestamp", "model"}), lambda it: row_of(cursor._event(it))),
    Shape("cursor", "usage", ("data",), frozenset({"isActive", "email"}), lambda it: row_of(cursor._active(it))),
    Shape("cursor", "seat", ("teamMembers",), frozenset({"email", "role"}), lambda it: row_of(cursor._seat(DAY, it))),
    Shape("github", "seat", ("seats",), frozenset({"assignee", "created_at"}), _copilot_seat),
    *(
        Shape("windsurf", "usage", ("queryResults", EACH, name, name), frozenset({"day", field}), _windsurf_cascade)
        for name, field in (("cascadeLines", "linesAccepted"), ("cascadeRuns", "messagesSent"))
    ),
    Shape("windsurf", "usage", ("queryResults", EACH, "responseItems", EACH, "item"), frozenset({"api_key", "date"}),
          _windsurf_suggestion),
    Shape("windsurf", "usage", ("queryResults", EACH, "responseItems", EACH, "item"), frozenset({"codeium_bytes"}),
          lambda it: row_of(analytics.code(DAY, it))),
    Shape("windsurf", "seat", ("userTableStats",), frozenset({"email", "apiKey"}),
          lambda it: row_of(windsurf._seat(DAY, it))),
    Shape("github", "usage", (), frozenset({"day", "user_id", "user_login"}), _copilot),
    *(
        Shape("github", "usage", (), frozenset({field, "total_active_users"}),
              lambda it: row_of(copilot_totals.record(it)))
        for field in ("day", "date")
    ),
)  # fmt: skip
