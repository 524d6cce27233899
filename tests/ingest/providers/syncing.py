"""A tracker with its invented server, its connection and its lake."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ingest.connections.model import WantedRepository
from ingest.connections.sync import SyncReport
from ingest.connections.trackers.tracker import Tracker
from ingest.errors import Transient
from ingest.http.client import Client
from tests.ingest.connections import running
from tests.ingest.connections.running import Handler, Recorded


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
        self.source = running.source_in(self.folder, self.tracker)
        self.connection = running.connection_to(
            self.tracker, self.address, secret=self.secret, **self.options
        )

    def client(self) -> Client:
        return running.client_to(self.tracker, self.connection, self.handler)

    def run(
        self, *, is_full: bool = False, fails_after: int | None = None, days_later: int = 0
    ) -> SyncReport:
        """One run; after more than a week it looks for deletions. The network may be gone after some requests."""
        handler = self.handler if fails_after is None else Recorded(self.handler, fails_after + 1)
        return running.run(
            self.source,
            self.tracker,
            self.connection,
            handler,
            self.repositories,
            is_full=is_full,
            now=lambda: datetime.now(UTC) + timedelta(days=days_later),
        )

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
        return running.rows(self.source, "items")

    def rows(self) -> int:
        """Rows of items in the lake, with all versions."""
        return int(self.source.read("items").num_rows)


def rows_after_kills(make: Callable[[Path], Synced], folder: Path, every: int) -> int:
    """The rows of a lake after runs that were killed; they and the items are those of an undisturbed run."""
    calm, killed = make(folder / "calm"), make(folder / "killed")
    calm.run()
    killed.run_with_kills(every)
    assert killed.items() == calm.items()
    assert killed.rows() == calm.rows()
    return killed.rows()
