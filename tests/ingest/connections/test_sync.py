"""A run over a connection: rows once, positions, kills, deletions."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from ingest.connections.known import Known
from ingest.connections.model import Checked, Connection, Deferred, Slice, Stream, Tracker, WantedRepository
from ingest.connections.records import Item
from ingest.connections.sync import Sync, SyncReport
from ingest.errors import ProviderRefused, Refusal, Transient
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


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return Lake(tmp_path / "raw").source("trackers", ORGANIZATION, CONNECTION.id)


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


def test_a_row_that_a_provider_calls_deleted_is_removed_at_once(source: Source) -> None:
    run(source, Invented([item(1), item(2)]))
    assert run(source, Invented([], deleted=("i2", "i7"))).deleted == 1
    assert titles(source) == {"i1": "Item 1"}


def test_a_row_that_a_provider_cannot_read_is_counted_and_what_was_read_of_it_before_stays(
    source: Source,
) -> None:
    run(source, Invented([item(1), item(2)]))
    report = run(source, Invented([item(1)], unread={"i2": "It has no title."}), is_full=True)
    assert report.unread == {"items": 1}
    assert report.unread_reasons == {"items": "i2: It has no title."}
    assert report.deleted == 0
    assert titles(source) == {"i1": "Item 1", "i2": "Item 2"}


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


def test_details_are_read_only_of_changed_rows(source: Source) -> None:
    run(source, Detailed([item(1), item(2)]))
    again = Detailed([item(1), item(2, "Renamed")])
    assert run(source, again).rows == {"items": 1}
    assert again.details == ["i2"]
    assert titles(source) == {"i1": "Item 1", "i2": "Renamed"}


@pytest.mark.parametrize("is_full", [False, True])
def test_an_interrupted_full_pass_reads_no_details_twice(source: Source, is_full: bool) -> None:
    """Else a page with more details than a run has requests would never end."""

    class Breaking(Detailed):
        breaks_at: int | None = None

        def _detail(self, number: int, one: Item) -> Item:
            if number == self.breaks_at:
                raise Transient("the network is gone")
            return super()._detail(number, one)

    if is_full:
        run(source, Detailed([item(number) for number in range(6)]))
    provider = Breaking([item(number) for number in range(6)])
    for place in (2, 4):
        provider.breaks_at = place
        with pytest.raises(Transient):
            run(source, provider, is_full=is_full)
    provider.breaks_at = None
    run(source, provider, is_full=is_full)
    assert provider.details == [f"i{number}" for number in range(6)]


def test_a_full_sync_reads_all_details_again(source: Source) -> None:
    run(source, Detailed([item(1), item(2)]))
    again = Detailed([item(1), item(2)])
    run(source, again, is_full=True)
    assert again.details == ["i1", "i2"]


def test_a_row_that_cannot_be_read_is_counted_until_it_can_and_stops_no_other(source: Source) -> None:
    run(source, Detailed([item(n) for n in range(3)]))
    items = [item(n, f"New {n}", day=2) for n in range(3)]
    report = run(source, Detailed(items, bad=frozenset({1})))
    assert (report.rows, report.unread) == ({"items": 2}, {"items": 1})
    assert report.unread_reasons == {"items": "i1: unexpected content: KeyError 'title'"}
    assert titles(source) == {"i0": "New 0", "i1": "Item 1", "i2": "New 2"}
    assert run(source, Detailed([])).unread == {"items": 1}
    assert run(source, Detailed(items)).unread == {}
    assert titles(source)["i1"] == "New 1"


def test_a_full_pass_removes_no_row_that_it_could_not_read(source: Source) -> None:
    run(source, Detailed([item(1), item(2)]))
    assert run(source, Detailed([item(1), item(2)], bad=frozenset({1})), is_full=True).deleted == 0
    report = run(source, Detailed([item(1)], hidden=1), is_full=True)
    assert (report.deleted, report.unread) == (0, {"items": 1})
    assert len(titles(source)) == 2
    assert run(source, Detailed([item(1)]), is_full=True).deleted == 1


def test_changes_during_a_pass_are_read_by_the_next_one(source: Source) -> None:
    """The last row may be newer than the start of the pass, and so may unseen changes of the first ones."""
    clock = datetime(2026, 1, 10, tzinfo=UTC)
    run(source, Invented([item(1, day=1), item(2, day=12)]), now=clock)
    again = Invented([item(1, "Changed meanwhile", day=11), item(2, day=12)])
    assert run(source, again, now=clock).rows == {"items": 1}


class Several(Invented):
    """A tracker with several streams, of which some do not answer."""

    def __init__(self, failing: frozenset[int]) -> None:
        super().__init__([])
        self.failing = failing

    def streams(self, client: Client, connection: Connection, repositories: Any) -> Iterator[Stream]:
        for number in range(4):
            yield Stream(f"items/{number}", "items", partial(self._one, number))

    def _one(self, number: int, _since: datetime | None, _cursor: str | None) -> Iterator[Slice]:
        if number in self.failing:
            raise Transient(f"{number} does not answer")
        yield Slice([item(number)], None)


def test_a_stream_that_does_not_answer_stops_no_other(source: Source) -> None:
    with pytest.raises(Transient, match="1 does not"):
        run(source, Several(frozenset({1})))
    assert set(titles(source)) == {"i0", "i2", "i3"}


def test_a_host_that_does_not_answer_is_left_alone(source: Source) -> None:
    with pytest.raises(Transient):
        run(source, Several(frozenset({1, 2})))
    assert set(titles(source)) == {"i0"}


def test_a_number_that_no_column_holds_is_one_unread_row(source: Source) -> None:
    big = replace(item(2), number=3_000_000_000)
    rows: list[Item | Deferred] = [Deferred("i2", lambda: big), item(1)]

    class Raw(Invented):
        def _read(self, since: datetime | None, cursor: str | None) -> Iterator[Slice]:
            yield Slice(rows, None)

    assert run(source, Raw([])).unread == {"items": 1}
    assert titles(source) == {"i1": "Item 1"}


class Slices(Invented):
    """A tracker whose passes are given."""

    def __init__(self, *slices: Slice) -> None:
        super().__init__([])
        self.slices = slices

    def _read(self, since: datetime | None, cursor: str | None) -> Iterator[Slice]:
        yield from self.slices


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


class Versioned(Invented):
    """A tracker that tells beforehand whether anything changed."""

    version: Any = 1

    def streams(self, client: Client, connection: Connection, repositories: Any) -> Iterator[Stream]:
        yield Stream("items", "items", self._read, version=self.version)

    def passes(self, source: Source, version: Any, **options: Any) -> int:
        """How many passes a run makes over the items in a version."""
        self.version, before = version, len(self.asked)
        run(source, self, **options)
        return len(self.asked) - before


def test_a_stream_is_read_again_only_in_another_version(source: Source) -> None:
    provider = Versioned([item(1)])
    assert [provider.passes(source, version) for version in (1, 1, [2, "b"], [2, "b"])] == [1, 0, 1, 0]
    assert provider.passes(source, [2, "b"], is_full=True) == 1
    assert [provider.passes(source, None) for _ in range(2)] == [1, 1]


def test_an_unfinished_pass_of_a_version_is_continued(source: Source) -> None:
    provider = Versioned([item(number) for number in range(5)], fails_at=1)
    with pytest.raises(Transient):
        provider.passes(source, 1)
    provider.fails_at = None
    assert provider.passes(source, 2) == 1
    # The rows before the failure are those of the first version.
    assert [provider.passes(source, 2) for _ in range(2)] == [1, 0]


def test_rows_that_could_not_be_read_are_asked_for_in_the_same_version(source: Source) -> None:
    provider = Versioned([item(1)], unread={"i2": "it is hidden"})
    assert [provider.passes(source, 1) for _ in range(2)] == [1, 1]
    provider.unread = {}
    assert [provider.passes(source, 1, is_full=True), provider.passes(source, 1)] == [1, 0]


def test_a_sweep_in_an_unchanged_version_finds_what_is_gone(source: Source) -> None:
    provider = Swept([item(1), item(2)])
    run(source, provider, now=datetime(2026, 1, 2, tzinfo=UTC))
    provider.items = [item(1)]
    run(source, provider, now=datetime(2026, 1, 3, tzinfo=UTC))
    assert set(titles(source)) == {"i1", "i2"}
    run(source, provider, now=datetime(2026, 1, 20, tzinfo=UTC))
    assert set(titles(source)) == {"i1"}


class Swept(Invented):
    """A tracker in one version, of which items disappear."""

    def streams(self, client: Client, connection: Connection, repositories: Any) -> Iterator[Stream]:
        yield Stream("items", "items", self._read, lambda: (one.provider_id for one in self.items), version=1)


def test_a_row_that_changes_its_stream_is_missed_in_neither() -> None:
    """A moved issue belongs to the stream that met it last."""
    known = Known()
    known.changed("items", "a", "i1", 1, 1)
    known.changed("items", "a", "i2", 2, 1)
    known.changed("items", "b", "i1", 1, 2)
    for one in (known, Known.from_bytes(known.to_bytes())):
        assert [[key for key, _ in one.of_stream("items", name)] for name in "ab"] == [["i2"], ["i1"]]
        assert one.last_pass == 2


class Malformed(Several):
    """A tracker with a stream, or a list of streams, that has another shape than its connector expects."""

    def __init__(self, ends_at: int = 4) -> None:
        super().__init__(frozenset())
        self.ends_at = ends_at

    def streams(self, client: Client, connection: Connection, repositories: Any) -> Iterator[Stream]:
        for number, stream in enumerate(super().streams(client, connection, repositories)):
            if number == self.ends_at:
                raise KeyError("path")
            yield replace(stream, read=self._malformed) if number == 1 else stream

    def _malformed(self, _since: datetime | None, _cursor: str | None) -> Iterator[Slice]:
        yield Slice([], None)
        raise TypeError("no list")


def test_a_malformed_stream_stops_no_other_and_is_shown(source: Source) -> None:
    run(source, Several(frozenset()))
    report = run(source, Malformed(), is_full=True)
    assert report.failures == {"items/1": "unexpected content: TypeError no list"}
    assert set(titles(source)) == {"i0", "i1", "i2", "i3"}


def test_a_malformed_list_of_streams_ends_a_run_that_says_so(source: Source) -> None:
    report = run(source, Malformed(ends_at=3))
    assert report.failures[Malformed.title] == "unexpected content: KeyError 'path'"
    assert (set(titles(source)), report.is_complete) == ({"i0", "i2"}, False)


class Unlisted(Invented):
    """A tracker that refuses the list of its ids."""

    def streams(self, client: Client, connection: Connection, repositories: Any) -> Iterator[Stream]:
        for stream in super().streams(client, connection, repositories):
            yield replace(stream, list_ids=self._refuse)

    def _refuse(self) -> Iterator[str]:
        yield "i1"
        raise ProviderRefused(Refusal.INVALID, "A row has no id.")


def test_a_refused_sweep_is_shown_and_the_pass_is_complete(source: Source) -> None:
    run(source, Invented([item(1, day=1), item(2, day=5)]))
    later = datetime.now(UTC) + timedelta(days=8)
    report = run(source, Unlisted([item(2, "Renamed", day=7)]), now=later)
    assert (report.failures, report.rows) == ({"items": "A row has no id."}, {"items": 1})
    again = Invented([])
    run(source, again)
    assert again.asked == [(datetime(2026, 1, 6, 23, 55, tzinfo=UTC), None)]
    assert set(titles(source)) == {"i1", "i2"}
