"""Every provider: runs that are killed at any request continue to the rows of an undisturbed run, each once."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import httpx
import pytest

from ingest.connections import sync
from ingest.connections.sync import Sync
from ingest.errors import Transient
from ingest.lake import Source
from ingest.providers.registry import PROVIDERS
from tests.ingest.connections.cases import CASES, Case
from tests.ingest.connections.running import Handler, Recorded, client_to, newest, run, source_in
from tests.suite.tiers import spread

Undisturbed = tuple[list[dict[str, Any]], list[int]]


class Killed(BaseException):
    """The process is gone: nothing after it is written."""


def read(source: Source, case: Case, handler: Handler) -> None:
    report = run(source, case.provider, case.connection, handler, case.wanted)
    assert (report.failures, report.unread) == ({}, {})


def facts(source: Source, case: Case) -> dict[str, Any]:
    """What models read, and how many versions of each row the lake has."""
    read = {table: source.read(table).to_pylist() for table in case.provider.category.versions}
    versions = {table: sorted(row["provider_id"] for row in found) for table, found in read.items()}
    deletions = source.read("deletions").to_pylist()
    return {**{table: newest(found, table, deletions) for table, found in read.items()}, "versions": versions}


def kill(source: Source, case: Case, handler: Handler, number: int, monkeypatch: pytest.MonkeyPatch) -> bool:
    """A run whose process is gone at a request. Returns whether it came so far."""
    count, is_gone = 0, False

    def dying(request: httpx.Request) -> httpx.Response:
        nonlocal count, is_gone
        count += 1
        if count == number:
            is_gone = True
            raise Killed
        return handler(request)

    def commit(*given: Any) -> None:
        if is_gone:
            raise Killed
        write(*given)

    with monkeypatch.context() as patched, client_to(case.provider, case.connection, dying) as client:
        write = source.commit
        patched.setattr(source, "commit", commit)
        try:
            with source.extracting():
                Sync(source, case.connection, case.provider, client, case.wanted).run()
        except Killed:
            return True
    return False


@pytest.fixture(scope="module")
def undisturbed(case: Case, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    """Facts and numbers of requests of a first run, and of one after a change."""
    source, server = source_in(tmp_path_factory.mktemp("undisturbed"), case.provider), case.make()
    found: list[dict[str, Any]] = []
    counts: list[int] = []
    for is_second in (False, True):
        if is_second:
            case.change(server)
        recorded = Recorded(server)
        read(source, case, recorded)
        found.append(facts(source, case))
        counts.append(len(recorded.requests))
    return found, counts


def test_every_provider_that_is_read_has_a_case() -> None:
    assert {case.provider.kind for case in CASES} == {one.kind for one in PROVIDERS if one.category.is_synced}


def test_the_change_of_a_case_shows(case: Case, undisturbed: Undisturbed) -> None:
    (before, after), counts = undisturbed
    added = after[case.table].keys() - before[case.table].keys()
    changed = [key for key, row in before[case.table].items() if after[case.table][key] != row]
    assert (len(added), len(changed)) == (case.rows_of_one, 1)
    assert counts[0] >= 4


@pytest.mark.parametrize(
    "is_second",
    [False, pytest.param(True, marks=pytest.mark.release)],
    ids=["first", "second"],
)
def test_a_process_that_is_gone_at_any_request_loses_and_repeats_nothing(
    case: Case, undisturbed: Undisturbed, is_second: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each slice is committed, so that there is a state to continue from between any two."""
    expected, counts = undisturbed
    monkeypatch.setattr(sync, "BATCH_SLICES", 1)
    if is_second:
        read(source_in(tmp_path / "first", case.provider), case, case.make())
    for number in spread(range(counts[is_second], 0, -1), 3):
        server, folder = case.make(), tmp_path / str(number)
        if is_second:
            shutil.copytree(tmp_path / "first", folder)
            case.change(server)
        assert kill(source_in(folder, case.provider), case, server, number, monkeypatch)
        read(source_in(folder, case.provider), case, server)
        assert facts(source_in(folder, case.provider), case) == expected[is_second], f"request {number}"


def test_a_network_that_is_gone_at_any_request_loses_and_repeats_nothing(
    case: Case, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    """What came until then is committed, and the next run starts after it. A kill differs in the state alone."""
    expected, counts = undisturbed
    for number in spread(range(2, counts[0] + 1), 2):
        source, server = source_in(tmp_path / str(number), case.provider), case.make()
        with pytest.raises(Transient):
            run(source, case.provider, case.connection, Recorded(server, number), case.wanted)
        read(source, case, server)
        assert facts(source, case) == expected[0], f"request {number}"
