"""A connection as the service shows it. Keep out: changing it (connections.py), its secret (usable.py)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from api.control.connections.health import ConnectionHealth
from api.control.models import Connection
from api.control.records import copied

WARN_BEFORE = timedelta(days=14)
"""Providers accept a new token at once; two weeks cover a holiday."""


@dataclass(frozen=True, slots=True)
class ConnectionRecord:
    """A connection without its secret."""

    id: str
    kind: str
    category: str
    address: str
    name: str
    user: str
    options: Mapping[str, Any]
    account: str
    expires_at: datetime | None
    created_at: datetime
    created_by: str
    health: ConnectionHealth
    failure: str | None
    failure_reason: str | None
    warnings: tuple[str, ...]
    last_synced_at: datetime | None
    last_attempt_at: datetime | None
    next_attempt_at: datetime | None
    row_counts: Mapping[str, int]


def record_of(row: Connection, now: datetime) -> ConnectionRecord:
    """The record of a row. Its warnings tell the end of the token."""
    return copied(ConnectionRecord, row, warnings=_warnings(row, now))


def _warnings(row: Connection, now: datetime) -> tuple[str, ...]:
    """Warnings of the provider and of the last run, and the end of the token, which a run does not ask for."""
    told = [one for one in row.warnings if not one.startswith("The token ends on ")]
    if row.expires_at is not None and row.expires_at - now < WARN_BEFORE:
        verb = "ended" if row.expires_at <= now else "ends"
        told.insert(0, f"The token {verb} on {row.expires_at:%Y-%m-%d}: create a new one and replace it.")
    return tuple(told)
