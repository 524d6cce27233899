"""Rows that are made to stop a run: ids that differ in what no column holds, rows without ids, rows without end."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

import httpx
import pytest

from ingest.connections import rows as raw_rows
from ingest.connections import sync
from ingest.connections.model import Connection, Deferred, Slice, Stream
from ingest.connections.sync import Sync, SyncReport
from ingest.connections.trackers.records import Item
from ingest.errors import ProviderRefused, Refusal
from ingest.http import budgets
from ingest.http.bodies import UNREADABLE, parsed
from ingest.http.client import Client, Login
from ingest.http.pages import BodyLink, Query, all_rows, pages
from ingest.lake import Source
from tests.ingest.connections.invented_tracker import CONNECTION, Invented, item, run, titles
from tests.ingest.connections.running import client_to


@pytest.mark.parametrize("other", ["i1\x00", "i\x001", "i1\ud800"])
def test_ids_that_no_column_tells_apart_are_one_row(source: Source, other: str) -> None:
    run(source, Invented([item(1), replace(item(1, "Later", day=2), provider_id=other)]))
    keys = [row["provider_id"] for row in source.read("items").to_pylist()]
    assert len(keys) == len(set(keys)) == len(titles(source))


@pytest.mark.parametrize("key", ["", "  ", "\x00", "x" * (raw_rows.MAX_ID + 1)])
def test_a_row_with_an_id_that_is_none_is_counted(source: Source, key: str) -> None:
    report = run(source, Invented([replace(item(1), provider_id=key), item(2)]))
    assert (report.failures, report.unread) == ({}, {"items": 1})
    assert "an id of" in report.unread_reasons["items"]
    assert titles(source) == {"i2": "Item 2"}


class Unnamed(Invented):
    """A tracker that hides which of its rows cannot be read."""

    def __init__(self, hidden: int) -> None:
        super().__init__([item(1)])
        self.hidden = hidden

    def _read(self, since: datetime | None, cursor: str | None) -> Iterator[Slice]:
        def refuse() -> Item:
            raise ProviderRefused(Refusal.FORBIDDEN, "hidden")

        yield Slice([*self.items, *(Deferred(None, refuse) for _ in range(self.hidden))], None)


def test_rows_without_an_id_count_once_however_many_runs_meet_them(source: Source) -> None:
    counts = [run(source, Unnamed(2)).unread for _ in range(4)]
    assert counts == [{"items": 2}] * 4


def test_a_batch_ends_before_its_texts_fill_the_memory(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync, "BATCH_SIZE", 1_000)
    run(source, Invented([replace(item(n), title="x" * 600) for n in range(9)]))
    assert source.state().batch == 4


def test_a_row_with_an_endless_payload_is_counted(source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raw_rows, "MAX_PAYLOAD", 1_000)
    report = run(source, Invented([replace(item(1), payload=["x" * 2_000]), item(2)]))
    assert report.unread == {"items": 1}
    assert titles(source) == {"i2": "Item 2"}


@pytest.mark.parametrize("value", [float("inf"), float("nan"), float("-inf")])
def test_a_number_without_an_end_is_no_estimate(source: Source, value: float) -> None:
    assert run(source, Invented([replace(item(1), estimate=value)])).unread == {"items": 1}


def test_links_lead_to_the_web_alone(source: Source) -> None:
    given = [
        "javascript:alert(1)",
        "data:text/html,x",
        "https://t.example/1",
        "HTTP://t.example/2",
        "//t.example",
        "x",
    ]
    run(source, Invented([replace(item(n), url=url) for n, url in enumerate(given)]))
    kept = {row["provider_id"]: row["url"] for row in source.read("items").to_pylist()}
    assert [kept[f"i{n}"] for n in range(6)] == [None, None, *given[2:4], None, None]


class Details(Invented):
    """A tracker whose second item has details without end; all come from an invented server."""

    def __init__(self) -> None:
        super().__init__([item(n) for n in (1, 2, 3)])
        self.requests = 0

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.requests += 1
        follows = "more" in request.url.params or request.url.path.endswith("/2")
        body = {
            "rows": [self.requests],
            "next": f"https://t.example/2?more={self.requests}" if follows else None,
        }
        return httpx.Response(200, json=body)

    def streams(self, client: Client, connection: Connection, repositories: Any) -> Iterator[Stream]:
        def read(one: Item, number: int) -> Item:
            found = all_rows(client, pages(client, Query(f"{number}"), BodyLink(("rows",), ("next",))))
            return replace(one, payload=found)

        def listed(_since: datetime | None, _cursor: str | None) -> Iterator[Slice]:
            yield Slice(
                [Deferred(one.provider_id, partial(read, one, n)) for n, one in enumerate(self.items, 1)],
                None,
            )

        yield Stream("items", "items", listed)


def through(source: Source, tracker: Details) -> SyncReport:
    with client_to(tracker, CONNECTION, tracker.answer) as client, source.extracting():
        return Sync(source, CONNECTION, tracker, client).run()


def test_a_row_with_details_without_end_is_counted_and_stops_no_other(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budgets, "of_row", lambda: budgets.Budget("one row", 50, 10**9, 600.0))
    tracker = Details()
    report = through(source, tracker)
    assert (report.failures, report.unread) == ({}, {"items": 1})
    assert "more than 50 rows for one row" in report.unread_reasons["items"]
    assert titles(source).keys() == {"i1", "i3"}
    assert tracker.requests < 60


@pytest.mark.parametrize(
    ("rows", "size", "seconds", "named"),
    [(10**6, 5_000, 600.0, "megabytes"), (10**6, 10**9, 0.0, "minutes")],
    ids=["bytes", "seconds"],
)
def test_bytes_and_time_end_a_row_too(
    source: Source, monkeypatch: pytest.MonkeyPatch, rows: int, size: int, seconds: float, named: str
) -> None:
    monkeypatch.setattr(budgets, "of_row", lambda: budgets.Budget("one row", rows, size, seconds))
    report = through(source, Details())
    assert named in report.unread_reasons["items"]


def test_a_cursor_at_which_nothing_goes_on_is_given_up(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync, "MAX_RESUMPTIONS", 2)

    class Stuck(Invented):
        def _read(self, since: datetime | None, cursor: str | None) -> Iterator[Slice]:
            self.asked.append((since, cursor))
            if cursor is not None:
                raise ValueError("spoilt")
            yield Slice([item(1)], "spoilt")
            raise ValueError("spoilt")

    tracker = Stuck([])
    for _ in range(5):
        assert run(source, tracker).failures
    assert [cursor for _, cursor in tracker.asked].count(None) == 2


ROWS = b'[{"id": 1}, {"id": "a\\u0000b\\ud800", "deep": %s, "long": %s}, {"id": 3}]'


@pytest.mark.parametrize("levels", [10, 948, 1_100, 50_000])
@pytest.mark.parametrize("digits", [5, 4_000, 5_000])
def test_one_value_spoils_its_own_row_alone(levels: int, digits: int) -> None:
    body = parsed(ROWS % (b"[" * levels + b"]" * levels, b"9" * digits))
    assert [row["id"] for row in body] == [1, "ab?", 3]
    spoilt = replace(item(1), payload=body[1])
    if levels <= 948 and digits == 5:
        # How many levels the parser and the writer take depends on the depth of their callers.
        with contextlib.suppress(RecursionError):
            raw_rows.row_of(spoilt)
    else:
        with pytest.raises((TypeError, RecursionError)):
            raw_rows.row_of(spoilt)


def _same(answer: httpx.Response, _: httpx.Request) -> httpx.Response:
    return answer


@pytest.mark.parametrize("token", ["s3cret-token-1234", 'quo"ted/token\\12', "plainToken1234"])
def test_a_token_that_comes_back_is_hidden_however_it_is_escaped(token: str) -> None:
    def spelled(sign: str) -> str:
        return f"\\u{ord(sign):04X}"

    escaped = "".join(map(spelled, token))
    slashed = token.replace("\\", "\\\\").replace('"', '\\"').replace("/", "\\/")
    plain = token.replace("\\", "\\\\").replace('"', '\\"')
    for spelling in (escaped, slashed, plain):
        body = f'{{"note": "Token {spelling}.", "{spelling}": [{{"deep": "{spelling}"}}]}}'
        answer = httpx.Response(
            200,
            content=body.encode(),
            headers={"content-type": "application/json", "link": f'<https://t.example/{token}>; rel="next"'},
        )
        login = Login("https://t.example", {}, (token,))
        with Client(login, transport=httpx.MockTransport(partial(_same, answer))) as client:
            found = client.get("x")
        assert found.body == {"note": "Token ***.", "***": [{"deep": "***"}]}
        assert token not in str(found.headers)


def test_rows_of_a_list_count_over_all_runs_of_a_pass(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync, "MAX_PASS_ROWS", 5)
    many = [item(n) for n in range(9)]
    report = run(source, Invented(many))
    assert "more than 5 rows" in report.failures["items"]
    asked = Invented(many)
    assert "more than 5 rows" in run(source, asked).failures["items"]
    assert len(asked.asked) == 1


def test_a_stream_whose_version_cannot_be_stored_is_read(source: Source) -> None:
    class Versioned(Invented):
        def streams(self, client: Client, connection: Connection, repositories: Any) -> Iterator[Stream]:
            yield Stream("items", "items", self._read, version=[UNREADABLE])

    assert run(source, Versioned([item(1)])).failures == {}
    assert titles(source) == {"i1": "Item 1"}


def test_the_message_of_a_stream_hides_nothing(source: Source) -> None:
    class Refusing(Invented):
        def _read(self, since: datetime | None, cursor: str | None) -> Iterator[Slice]:
            raise ProviderRefused(Refusal.NOT_FOUND, "no acme/\u202eevil\ud800\x1b[2J")

    assert run(source, Refusing([])).failures == {"items": "no acme/ evil? [2J"}
