"""Runs of a tracker over an invented server, and what the lake holds after them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx

from ingest.connections.model import Connection, Tracker, WantedRepository
from ingest.connections.sync import Sync, SyncReport
from ingest.errors import Transient
from ingest.http import Client
from ingest.lake import Lake

Handler = Callable[[httpx.Request], httpx.Response]
ORGANIZATION = "00000000-0000-0000-0000-000000000001"
ID = "018f0000-0000-7000-8000-000000000001"


@dataclass
class Synced:
    """A tracker, its server, and a lake of its own."""

    folder: Path
    tracker: Tracker
    handler: Handler
    address: str
    secret: str = "s3cret"
    options: dict[str, Any] = field(default_factory=dict)
    repositories: Sequence[WantedRepository] = ()

    def __post_init__(self) -> None:
        self.source = Lake(self.folder).source("trackers", ORGANIZATION, ID)
        self.connection = Connection(
            ID, ORGANIZATION, self.tracker.kind, self.address, self.secret, options=self.options
        )

    def client(self, fails_after: int | None = None) -> Client:
        """A client whose network is gone after so many requests."""
        sent = 0

        def handle(request: httpx.Request) -> httpx.Response:
            nonlocal sent
            sent += 1
            if fails_after is not None and sent > fails_after:
                raise httpx.ConnectError("the network is gone")
            return self.handler(request)

        return Client(
            self.tracker.login(self.connection),
            self.tracker.rate_limits,
            transport=httpx.MockTransport(handle),
            sleep=lambda _: None,
        )

    def run(
        self, *, is_full: bool = False, fails_after: int | None = None, days_later: int = 0
    ) -> SyncReport:
        """One run; after more than a week it looks for deletions."""
        with self.client(fails_after) as client, self.source.extracting():
            return Sync(
                self.source,
                self.connection,
                self.tracker,
                client,
                self.repositories,
                is_full=is_full,
                now=lambda: datetime.now(UTC) + timedelta(days=days_later),
            ).run()

    def run_with_kills(self, every: int) -> None:
        """Run with a kill after so many requests, again and again until a run completes."""
        for _ in range(1_000):
            try:
                self.run(fails_after=every)
            except Transient:
                continue
            return
        raise AssertionError("no run completes")

    def items(self) -> dict[str, dict[str, Any]]:
        """The newest version of each item that still exists, as models read them."""
        rows = sorted(self.source.read("items").to_pylist(), key=lambda row: row["batch"])
        gone = {row["provider_id"] for row in self.source.read("deletions").to_pylist()}
        return {row["provider_id"]: row for row in rows if row["provider_id"] not in gone}

    def facts(self) -> dict[str, dict[str, Any]]:
        """The items without the number of their batch, to compare two lakes."""
        return {
            key: {name: row[name] for name in row if name != "batch"} for key, row in self.items().items()
        }

    def rows(self) -> int:
        """Rows of items in the lake, with all versions."""
        return int(self.source.read("items").num_rows)
