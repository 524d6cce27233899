"""A tracker that a test fills with items, and runs over it."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

import httpx

from ingest.connections.model import Checked, Connection, Deferred, Slice, Stream, WantedRepository
from ingest.connections.sync import Sync, SyncReport
from ingest.connections.trackers.records import Item
from ingest.connections.trackers.tracker import Tracker
from ingest.errors import ProviderRefused, Refusal, Transient
from ingest.http.client import Client, Login
from ingest.lake import Source

ORGANIZATION = "00000000-0000-0000-0000-000000000001"
CONNECTION = Connection(
    "018f0000-0000-7000-8000-000000000001", ORGANIZATION, "INVENTED", "https://t.example", "s3cret"
)


def item(number: int, title: str = "", *, day: int = 1) -> Item:
    at = datetime(2026, 1, day, tzinfo=UTC)
    return Item(
        f"i{number}", "issue", f"A-{number}", title or f"Item {number}", "Open", "todo", at, at, {"n": number}
    )


class Invented(Tracker):
    """A tracker that lists items three at a time and may fail before a slice."""

    kind, title, levels = "INVENTED", "Invented", {}

    def __init__(
        self,
        items: list[Item],
        fails_at: int | None = None,
        unread: dict[str, str] | None = None,
        deleted: Sequence[str] = (),
    ) -> None:
        self.items, self.fails_at, self.unread, self.deleted = items, fails_at, unread or {}, deleted
        self.asked: list[tuple[datetime | None, str | None]] = []

    def login(self, connection: Connection) -> Login:
        return Login(connection.address, {})

    def check(self, client: Client, connection: Connection) -> Checked:
        return Checked("ann")

    def streams(self, client: Client, connection: Connection, repositories: Any) -> Iterator[Stream]:
        yield Stream("items", "items", self._read)

    def _read(self, since: datetime | None, cursor: str | None) -> Iterator[Slice]:
        self.asked.append((since, cursor))
        wanted = [one for one in self.items if since is None or one.updated_at >= since]
        for number, start in enumerate(range(int(cursor or 0), len(wanted), 3)):
            if self.fails_at == number:
                raise Transient("the network is gone")
            end = start + 3
            yield Slice(wanted[start:end], str(end) if end < len(wanted) else None, self.unread)
        yield Slice([], None, deleted=self.deleted)


class Detailed(Invented):
    """A tracker whose items need a request each; some have an unexpected form, some have no id."""

    def __init__(self, items: list[Item], bad: frozenset[int] = frozenset(), hidden: int = 0) -> None:
        super().__init__(items)
        self.bad, self.hidden = bad, hidden
        self.details: list[str] = []

    def _read(self, since: datetime | None, cursor: str | None) -> Iterator[Slice]:
        wanted = [
            (number, one) for number, one in enumerate(self.items) if since is None or one.updated_at >= since
        ]
        rows = [
            Deferred(one.provider_id, partial(self._detail, number, one), one.title, one.updated_at)
            for number, one in wanted
        ]
        yield Slice([*rows, *[Deferred(None, self._nothing)] * self.hidden], None)

    def _detail(self, number: int, one: Item) -> Item:
        self.details.append(one.provider_id)
        if number in self.bad:
            raise KeyError("title")
        return one

    def _nothing(self) -> Item:
        raise ProviderRefused(Refusal.FORBIDDEN, "you may not see this item")


def run(
    source: Source, provider: Invented, *, is_full: bool = False, now: datetime | None = None
) -> SyncReport:
    transport = httpx.MockTransport(lambda _: httpx.Response(500))
    with Client(Login("https://t.example", {}), transport=transport) as client, source.extracting():
        wanted = [WantedRepository("r", "o")]
        clock = (lambda: now) if now else (lambda: datetime.now(UTC))
        return Sync(source, CONNECTION, provider, client, wanted, is_full=is_full, now=clock).run()


def titles(source: Source) -> dict[str, str]:
    """The newest title of each item that still exists, as models read them."""
    rows = sorted(source.read("items").to_pylist(), key=lambda row: row["batch"])
    gone = {row["provider_id"] for row in source.read("deletions").to_pylist()}
    return {row["provider_id"]: row["title"] for row in rows if row["provider_id"] not in gone}
