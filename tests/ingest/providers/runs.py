"""Connections of trackers whose login has a user, and the times of their fake servers."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from ingest.connections.model import Connection
from ingest.connections.trackers.tracker import Tracker
from tests.ingest.connections import running

SECRET = "s3cret-token"


def connection(tracker: Tracker, address: str, **options: Any) -> Connection:
    return running.connection_to(tracker, address, secret=SECRET, user="ann@example.com", **options)


def at(day: int, hour: int = 12, minute: int = 0) -> datetime:
    """A time in October 2026."""
    return datetime(2026, 10, day, hour, minute, tzinfo=UTC)
