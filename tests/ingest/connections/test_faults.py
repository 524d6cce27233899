"""Every provider over a real socket whose network fails: nothing is lost, nothing comes twice, nothing runs hot."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from ingest.connections import sync
from ingest.errors import ProviderRefused, Transient
from tests.ingest.connections import wire
from tests.ingest.connections.cases import CASES, NAMES, Case
from tests.ingest.connections.running import Handler, Recorded, rows, run, source_in
from tests.ingest.connections.test_broken_runs import facts, read
from tests.ingest.connections.wire import Fault, Wire, run_until_complete
from tests.suite.tiers import pairs

KINDS: tuple[Fault, ...] = (
    wire.timeout,
    wire.reset,
    wire.cut,
    wire.bad_gateway,
    wire.unavailable,
    wire.limited,
)


@pytest.fixture(scope="module")
def whole(case: Case, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], int]:
    """The facts of a run over an undisturbed network, and its number of requests."""
    source, plain = source_in(tmp_path_factory.mktemp("whole"), case.provider), Recorded(case.make())
    read(source, case, plain)
    return facts(source, case), len(plain.requests)


# Each timeout takes its whole time, so the first requests have them.
TIMED = 2 * len(KINDS)


def every_second(number: int) -> Fault | None:
    """Each kind in turn, so that a request fails once and its repetition succeeds."""
    kinds = KINDS if number <= TIMED else KINDS[1:]
    return kinds[number // 2 % len(kinds)] if number % 2 else None


def storm(fault: Fault) -> Callable[[int], Fault | None]:
    """From the third request on fourteen in a row, more than a run repeats."""
    return lambda number: fault if 3 <= number < 17 else None


@pytest.mark.parametrize(
    ("plan", "skew"),
    [
        (every_second, timedelta()),
        (storm(wire.limited), timedelta(days=2)),
        pytest.param(storm(wire.unavailable), timedelta(), marks=pytest.mark.release),
        pytest.param(storm(wire.bad_gateway), timedelta(days=-2), marks=pytest.mark.release),
    ],
    ids=["each second request", "429", "503", "502"],
)
def test_a_failing_network_costs_time_alone(
    case: Case,
    whole: tuple[dict[str, Any], int],
    plan: Callable[[int], Fault | None],
    skew: timedelta,
    tmp_path: Path,
) -> None:
    expected, plain = whole
    failing, source = Wire(case.make(), plan, skew), source_in(tmp_path / "failing", case.provider)
    report, broken = run_until_complete(source, case, failing)
    assert (report.failures, report.unread) == ({}, {})
    assert facts(source, case) == expected
    assert failing.faults >= 4
    # Each fault leads to a pause, to the end of a run, or to a smaller page of GraphQL at its second time.
    assert len(failing.sleeps) + broken >= failing.faults / 2
    assert all(1 <= pause <= 60 for pause in failing.sleeps)
    assert failing.requests <= plain * (1 + broken) + 2 * failing.faults


class Disordered:
    """Pages of main rows in another order, which begin with the last one of the page before; the last stays last."""

    def __init__(self, handler: Handler, case: Case) -> None:
        self.handler, self.case = handler, case
        self.before: list[Any] = []
        self.repeated = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        answer = self.handler(request)
        if not self.case.is_main(request) or not answer.is_success:
            return answer
        body = answer.json()
        found = _rows(body)
        if found:
            last, shown = found[-1:], found[-2::-1]
            # Some providers repeat that row themselves.
            again = [] if self.case.counts_rows else [one for one in self.before if one not in found]
            self.repeated += len(self.before)
            self.before = last
            found[:] = [*again, *shown, *last]
        headers = {name: value for name, value in answer.headers.items() if name in ("link", "x-ausername")}
        return httpx.Response(answer.status_code, json=body, headers=headers)


def _rows(body: Any) -> list[Any]:
    """The list of rows in a body, which is its first list of objects with ids."""
    if isinstance(body, list):
        return body
    for value in body.values() if isinstance(body, dict) else ():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return value
        if isinstance(value, dict) and (found := _rows(value)):
            return found
    return []


def test_repeated_and_reordered_pages_give_each_row_once(
    case: Case, whole: tuple[dict[str, Any], int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each page is committed, so that a row which comes again would be written again."""
    monkeypatch.setattr(sync, "BATCH_SLICES", 1)
    source, disordered = source_in(tmp_path / "disordered", case.provider), Disordered(case.make(), case)
    read(source, case, disordered)
    assert facts(source, case) == whole[0]
    assert disordered.repeated >= 1 or case.counts_rows


@pytest.mark.parametrize(
    ("case", "year"),
    pairs(dict(zip(NAMES, CASES, strict=True)), {"2020": 2020, "2035": 2035}),
    indirect=["case"],
)
def test_a_server_with_another_clock_hides_no_change(case: Case, year: int, tmp_path: Path) -> None:
    """Times of rows are the server's: they may lie in the future of the service, or years back."""
    server, source = case.make(), source_in(tmp_path / "skewed", case.provider)

    def now() -> datetime:
        return datetime(year, 1, 1, tzinfo=UTC)

    run(source, case.provider, case.connection, server, case.wanted, now=now)
    case.change(server)
    run(source, case.provider, case.connection, server, case.wanted, now=now)
    fresh = source_in(tmp_path / "fresh", case.provider)
    read(fresh, case, server)
    assert rows(source, case.table).keys() == rows(fresh, case.table).keys()
    column, value = case.edited
    values = {key: row[column] for key, row in rows(source, case.table).items()}
    assert values == {key: row[column] for key, row in rows(fresh, case.table).items()}
    assert value in values.values()


def _emptied(value: Any) -> Any:
    if isinstance(value, list):
        return []
    return {name: _emptied(one) for name, one in value.items()} if isinstance(value, dict) else value


ODD: dict[str, Callable[[httpx.Response], httpx.Response]] = {
    "empty lists": lambda answer: httpx.Response(200, json=_emptied(answer.json())),
    "an empty body": lambda _: httpx.Response(200, headers={"content-type": "application/json"}),
    "null": lambda _: httpx.Response(200, content=b"null", headers={"content-type": "application/json"}),
    "an object": lambda _: httpx.Response(200, json={"message": "maintenance"}),
    "a list of junk": lambda _: httpx.Response(200, json=[None, 7, "text", {}, {"id": []}]),
    "a page": lambda _: httpx.Response(200, html="<html>Maintenance</html>"),
    "a login": lambda _: httpx.Response(302, headers={"Location": "https://login.example/"}),
    "400": lambda _: httpx.Response(400, json={"message": "no"}),
    "401": lambda _: httpx.Response(401, json={"message": "no"}),
    "403": lambda _: httpx.Response(403, json={"message": "no"}),
    "404": lambda _: httpx.Response(404, json={"message": "no"}),
    "410": lambda _: httpx.Response(410, json={"message": "no"}),
    "500": lambda _: httpx.Response(500, json={"message": "no"}),
}


@pytest.mark.parametrize(
    "only_main",
    [pytest.param(False, marks=pytest.mark.release), True],
    ids=["every answer", "the main list"],
)
def test_an_empty_or_failing_answer_removes_no_row(case: Case, only_main: bool, tmp_path: Path) -> None:
    """Neither in a full sync nor in a sweep, whatever the run says of it."""
    server, source = case.make(), source_in(tmp_path, case.provider)
    read(source, case, server)
    before, later = facts(source, case), datetime.now(UTC) + timedelta(days=8)
    batch = source.state().batch
    options: tuple[dict[str, Any], ...] = ({"is_full": True}, {"now": lambda: later})
    for name, odd in ODD.items():
        handler = _answering(server, odd, case if only_main else None)
        for given in options:
            with contextlib.suppress(ProviderRefused, Transient):
                run(source, case.provider, case.connection, handler, case.wanted, **given)
            if source.state().batch != batch:
                assert facts(source, case) == before, name
                batch = source.state().batch
    assert run(source, case.provider, case.connection, server, case.wanted, is_full=True).failures == {}
    assert facts(source, case) == before


def _answering(
    server: Handler, odd: Callable[[httpx.Response], httpx.Response], case: Case | None
) -> Handler:
    """The server with odd answers, to all requests or to those for the main rows of a case."""

    def handler(request: httpx.Request) -> httpx.Response:
        answer = server(request)
        if case is not None and not case.is_main(request):
            return answer
        changed = odd(answer)
        if "x-ausername" in answer.headers:
            changed.headers["X-AUSERNAME"] = answer.headers["x-ausername"]
        return changed

    return handler
