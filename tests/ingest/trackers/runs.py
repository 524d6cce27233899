"""Runs of a tracker's connector against a fake server into a lake of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from ingest.connections.model import Connection, Tracker, WantedRepository
from ingest.connections.sync import Sync, SyncReport
from ingest.http import Client
from ingest.lake import Lake, Source

ORGANIZATION = "00000000-0000-0000-0000-000000000001"
CONNECTION_ID = "018f0000-0000-7000-8000-000000000001"
SECRET = "s3cret-token"


def connection(kind: str, address: str, **options: Any) -> Connection:
    return Connection(CONNECTION_ID, ORGANIZATION, kind, address, SECRET, "ann@example.com", options)


def source(folder: Path) -> Source:
    return Lake(folder / "raw").source("trackers", ORGANIZATION, CONNECTION_ID)


def client(tracker: Tracker, of: Connection, server: Callable[[httpx.Request], httpx.Response]) -> Client:
    """A client that never sleeps."""
    transport = httpx.MockTransport(server)
    return Client(tracker.login(of), tracker.rate_limits, transport=transport, sleep=lambda _: None)


def sync(
    into: Source,
    tracker: Tracker,
    of: Connection,
    server: Callable[[httpx.Request], httpx.Response],
    repositories: Sequence[WantedRepository] = (),
    *,
    is_full: bool = False,
    now: datetime | None = None,
) -> SyncReport:
    with client(tracker, of, server) as open_client, into.extracting():
        return Sync(
            into,
            of,
            tracker,
            open_client,
            repositories,
            is_full=is_full,
            now=lambda: now or datetime.now(UTC),
        ).run()


def items(of: Source) -> dict[str, dict[str, Any]]:
    """The newest row of each item that exists, by id, as models read them."""
    rows = sorted(of.read("items").to_pylist(), key=lambda row: row["batch"])
    gone = {row["provider_id"] for row in of.read("deletions").to_pylist()}
    return {row["provider_id"]: row for row in rows if row["provider_id"] not in gone}


def without_batch(rows: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The same rows, without the number of the batch, which depends on interruptions."""
    return {key: {name: value for name, value in row.items() if name != "batch"} for key, row in rows.items()}


def at(day: int, hour: int = 12, minute: int = 0) -> datetime:
    """A time in October 2026."""
    return datetime(2026, 10, day, hour, minute, tzinfo=UTC)
