"""A run over a connection: rows once, positions, kills, deletions."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from ingest.connections.model import Checked, Connection, Slice, Stream, Tracker, WantedRepository
from ingest.connections.records import Item
from ingest.connections.sync import Sync, SyncReport
from ingest.errors import Transient
from ingest.http import Client, Login
from ingest.lake import Lake, Source

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
        self, items: list[Item], fails_at: int | None = None, unread: dict[str, str] | None = None
    ) -> None:
        self.items, self.fails_at, self.unread = items, fails_at, unread or {}
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


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return Lake(tmp_path / "raw").source("trackers", ORGANIZATION, CONNECTION.id)


def run(source: Source, provider: Invented, *, is_full: bool = False) -> SyncReport:
    transport = httpx.MockTransport(lambda _: httpx.Response(500))
    with Client(Login("https://t.example", {}), transport=transport) as client, source.extracting():
        return Sync(source, CONNECTION, provider, client, [WantedRepository("r", "o")], is_full=is_full).run()


def titles(source: Source) -> dict[str, str]:
    """The newest title of each item that still exists, as models read them."""
    rows = sorted(source.read("items").to_pylist(), key=lambda row: row["batch"])
    gone = {row["provider_id"] for row in source.read("deletions").to_pylist()}
    return {row["provider_id"]: row["title"] for row in rows if row["provider_id"] not in gone}


def test_unchanged_rows_are_written_once(source: Source) -> None:
    items = [item(n) for n in range(8)]
    assert run(source, Invented(items)).rows == {"items": 8}
    batches = source.state().batch
    assert run(source, Invented(items)).rows == {}
    assert source.state().batch == batches
    assert source.read("items").num_rows == 8


def test_a_second_run_asks_for_changes_since_the_newest_one_with_an_overlap(source: Source) -> None:
    run(source, Invented([item(1, day=1), item(2, day=5)]))
    again = Invented([item(1, day=1), item(2, "Renamed", day=7)])
    assert run(source, again).rows == {"items": 1}
    assert again.asked == [(datetime(2026, 1, 4, 23, 55, tzinfo=UTC), None)]
    assert titles(source) == {"i1": "Item 1", "i2": "Renamed"}


def test_an_interrupted_pass_continues_after_its_last_slice(source: Source) -> None:
    items = [item(n) for n in range(9)]
    with pytest.raises(Transient):
        run(source, Invented(items, fails_at=2))
    assert source.read("items").num_rows == 6
    resumed = Invented(items)
    assert run(source, resumed).rows == {"items": 3}
    assert resumed.asked == [(None, "6")]
    assert titles(source) == {f"i{n}": f"Item {n}" for n in range(9)}


def test_a_full_pass_removes_items_that_no_longer_exist_and_takes_back_returning_ones(source: Source) -> None:
    run(source, Invented([item(1), item(2)]))
    assert run(source, Invented([item(1)]), is_full=True).deleted == 1
    assert titles(source) == {"i1": "Item 1"}
    run(source, Invented([item(1), item(2)]), is_full=True)
    assert titles(source) == {"i1": "Item 1", "i2": "Item 2"}


@pytest.mark.parametrize("left", [0, 3])
def test_a_listing_that_lacks_most_items_removes_none(source: Source, left: int) -> None:
    run(source, Invented([item(n) for n in range(30)]))
    report = run(source, Invented([item(n) for n in range(left)]), is_full=True)
    assert not report.is_complete
    assert "Nothing was removed" in report.failures["items"]
    assert len(titles(source)) == 30


def test_a_row_that_cannot_be_read_is_counted_and_what_was_read_of_it_before_stays(source: Source) -> None:
    run(source, Invented([item(1), item(2)]))
    report = run(source, Invented([item(1)], unread={"i2": "It has no title."}), is_full=True)
    assert report.failures == {"items/i2": "It has no title."}
    assert not report.is_complete
    assert report.deleted == 0
    assert titles(source) == {"i1": "Item 1", "i2": "Item 2"}


def test_messages_about_unread_rows_end_at_a_limit_and_the_count_does_not(source: Source) -> None:
    unread = {f"i{n}": "It has no title." for n in range(2, 102)}
    report = run(source, Invented([item(1)], unread=unread))
    assert report.unread == {"items": 100}
    assert len(report.failures) == 20


class Slices(Invented):
    """A tracker whose passes are given."""

    def __init__(self, *slices: Slice) -> None:
        super().__init__([])
        self.slices = slices

    def _read(self, since: datetime | None, cursor: str | None) -> Iterator[Slice]:
        self.asked.append((since, cursor))
        yield from self.slices


def test_a_row_that_cannot_be_read_is_counted_and_the_others_are_kept(source: Source) -> None:
    report = run(source, Slices(Slice([item(1), item(3)], None, failures={"i2": "i2 has no title"})))
    assert report.rows == {"items": 2}
    assert report.failures == {"items/i2": "i2 has no title"}
    assert not report.is_complete


def test_rows_that_the_provider_names_as_deleted_go_and_may_return(source: Source) -> None:
    run(source, Slices(Slice([item(n) for n in range(3)], None)))
    report = run(source, Slices(Slice([], None, deleted=["i1", "i2", "never seen"])))
    assert report.deleted == 2
    assert titles(source) == {"i0": "Item 0"}
    assert run(source, Slices(Slice([], None, deleted=["i1"]))).deleted == 0
    run(source, Slices(Slice([item(2)], None)))
    assert titles(source) == {"i0": "Item 0", "i2": "Item 2"}


def test_a_named_deletion_of_everything_is_not_taken_for_a_failure(source: Source) -> None:
    run(source, Slices(Slice([item(n) for n in range(30)], None)))
    report = run(source, Slices(Slice([], None, deleted=[f"i{n}" for n in range(30)])))
    assert (report.deleted, report.failures) == (30, {})
    assert titles(source) == {}


def test_what_changes_during_a_pass_is_asked_for_by_the_next_one(source: Source) -> None:
    """The first row may change while later ones, with newer times, are still read."""
    began = datetime(2026, 3, 1, tzinfo=UTC)
    run(source, Invented([item(1)]))
    for provider in (
        Invented([item(1), replace(item(2), updated_at=began + timedelta(hours=3))]),
        Invented([]),
    ):
        transport = httpx.MockTransport(lambda _: httpx.Response(500))
        with Client(Login("https://t.example", {}), transport=transport) as client, source.extracting():
            Sync(source, CONNECTION, provider, client, now=lambda: began).run()
    assert provider.asked == [(began - timedelta(minutes=5), None)]
