"""The end of a pass: what no longer exists goes, and a listing that fails or lacks most rows removes none."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ingest.connections.model import Connection, Stream
from ingest.errors import ProviderRefused, Refusal
from ingest.http.client import Client
from ingest.lake import Source
from tests.ingest.connections.invented_tracker import Detailed, Invented, item, run, titles


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


def test_a_full_pass_removes_no_row_that_it_could_not_read(source: Source) -> None:
    run(source, Detailed([item(1), item(2)]))
    assert run(source, Detailed([item(1), item(2)], bad=frozenset({1})), is_full=True).deleted == 0
    report = run(source, Detailed([item(1)], hidden=1), is_full=True)
    assert (report.deleted, report.unread) == (0, {"items": 1})
    assert len(titles(source)) == 2
    assert run(source, Detailed([item(1)]), is_full=True).deleted == 1


class Swept(Invented):
    """A tracker in one version, of which items disappear."""

    def streams(self, client: Client, connection: Connection, repositories: Any) -> Iterator[Stream]:
        yield Stream("items", "items", self._read, lambda: (one.provider_id for one in self.items), version=1)


def test_a_sweep_in_an_unchanged_version_finds_what_is_gone(source: Source) -> None:
    provider = Swept([item(1), item(2)])
    run(source, provider, now=datetime(2026, 1, 2, tzinfo=UTC))
    provider.items = [item(1)]
    run(source, provider, now=datetime(2026, 1, 3, tzinfo=UTC))
    assert set(titles(source)) == {"i1", "i2"}
    run(source, provider, now=datetime(2026, 1, 20, tzinfo=UTC))
    assert set(titles(source)) == {"i1"}


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
