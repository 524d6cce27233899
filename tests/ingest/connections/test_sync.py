"""A run over a connection: rows once, positions, kills, named deletions."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest

from ingest.connections.known import Known
from ingest.connections.model import Connection, Deferred, Slice, Stream
from ingest.connections.trackers.records import Item
from ingest.errors import Transient
from ingest.http.client import Client
from ingest.lake import Source
from tests.ingest.connections.invented_tracker import Detailed, Invented, item, run, titles


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
