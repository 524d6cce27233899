"""Shapes of payloads of AI tools. Keep out: parsers, which are the product's."""

from __future__ import annotations

from datetime import date
from typing import Any

from ingest.connections.rows import row_of
from ingest.providers.anthropic import claude_code
from ingest.providers.cursor import tool as cursor
from ingest.providers.github import copilot
from tests.connectors.payloads.shape import Shape

DAY = date(2026, 1, 1)
"""The day of a list of seats, which vendors do not name."""


def _claude_code(row: Any) -> Any:
    """A person's activity, and the tokens of each model, as rows of the raw table."""
    return [row_of(one.read()) for one in claude_code._rows(row)]


def _copilot(row: Any) -> Any:
    return row_of(copilot._person(date.fromisoformat(str(dict.get(row, "day"))), row))


def _copilot_seat(row: Any) -> Any:
    return row_of(copilot._seat(DAY, row))


AI_TOOL_SHAPES: tuple[Shape, ...] = (
    Shape("claude", "usage", ("data",), frozenset({"date", "actor", "core_metrics"}), _claude_code),
    Shape("cursor", "usage", ("usageEvents",), frozenset({"timestamp", "model"}), lambda it: row_of(cursor._event(it))),
    Shape("cursor", "usage", ("data",), frozenset({"isActive", "email"}), lambda it: row_of(cursor._active(it))),
    Shape("cursor", "seat", ("teamMembers",), frozenset({"email", "role"}), lambda it: row_of(cursor._seat(DAY, it))),
    Shape("github", "seat", ("seats",), frozenset({"assignee", "created_at"}), _copilot_seat),
    Shape("github", "usage", (), frozenset({"day", "user_id", "user_login"}), _copilot),
)  # fmt: skip
