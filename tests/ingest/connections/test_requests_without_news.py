"""A run without news takes a handful of requests however many repositories there are, and no change is overlooked."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from ingest.errors import Transient
from tests.ingest.connections.many_repositories import MANY, NAMES, REPOSITORIES, Many
from tests.ingest.connections.running import Handler, Recorded, rows, run, source_in
from tests.suite.tiers import pairs, spread


def _name(many: Many) -> str:
    return many.provider.kind.lower()


@pytest.fixture(params=MANY, ids=NAMES)
def many(request: pytest.FixtureRequest) -> Many:
    found: Many = request.param
    return found


def read(folder: Path, many: Many, server: Handler, count: int = REPOSITORIES, **options: Any) -> int:
    """The requests of a run over so many repositories, which reads everything."""
    recorded, source = Recorded(server), source_in(folder, many.provider)
    report = run(source, many.provider, many.connection, recorded, many.wanted(count), **options)
    assert (report.failures, report.unread) == ({}, {})
    return len(recorded.requests)


def titles(folder: Path, many: Many) -> list[str]:
    return sorted(row["title"] for row in rows(source_in(folder, many.provider), many.table).values())


def facts(folder: Path, many: Many) -> dict[str, Any]:
    return rows(source_in(folder, many.provider), many.table)


def test_a_run_without_news_takes_a_handful_of_requests(many: Many, tmp_path: Path) -> None:
    server = many.make()
    assert read(tmp_path, many, server) >= REPOSITORIES
    batch = source_in(tmp_path, many.provider).state().batch
    assert [read(tmp_path, many, server) for _ in range(2)] <= [many.most] * 2
    assert source_in(tmp_path, many.provider).state().batch == batch
    assert len(facts(tmp_path, many)) == REPOSITORIES


@pytest.mark.parametrize("number", [pytest.param(1, marks=pytest.mark.release), 17, REPOSITORIES])
def test_a_change_in_one_repository_is_found_and_the_others_are_not_asked(
    many: Many, number: int, tmp_path: Path
) -> None:
    server = many.make()
    read(tmp_path, many, server)
    many.change(server, number)
    assert read(tmp_path, many, server) <= many.most + 10
    many.add(server, number)
    assert read(tmp_path, many, server) <= many.most + 10
    assert titles(tmp_path, many).count("Renamed") == 1
    read(tmp_path / "fresh", many, server)
    assert facts(tmp_path, many) == facts(tmp_path / "fresh", many)


def test_a_new_repository_is_read_whole(many: Many, tmp_path: Path) -> None:
    server = many.make()
    read(tmp_path, many, server, REPOSITORIES - 2)
    assert len(facts(tmp_path, many)) == REPOSITORIES - 2
    read(tmp_path, many, server)
    assert len(facts(tmp_path, many)) == REPOSITORIES
    assert read(tmp_path, many, server) <= many.most


REFUSALS = {
    "404": httpx.Response(404, json={"message": "no such thing"}),
    "403": httpx.Response(403, json={"message": "no"}),
    "a page": httpx.Response(200, html="<html>Not here</html>"),
    "null": httpx.Response(200, json=None),
    "an object": httpx.Response(200, json={"data": {}}),
    "junk": httpx.Response(200, json=[None, 7, {"id": []}]),
    "500": httpx.Response(500, json={"message": "no"}),
}


@pytest.mark.parametrize(
    ("many", "refusal"), pairs(dict(zip(NAMES, MANY, strict=True)), REFUSALS), indirect=["many"]
)
def test_each_repository_is_asked_where_the_server_refuses_the_question(
    many: Many, refusal: httpx.Response, tmp_path: Path
) -> None:
    server = many.make()
    read(tmp_path, many, server)
    many.change(server, 17)
    many.add(server, 3)

    def refusing(request: httpx.Request) -> httpx.Response:
        if many.is_question(request):
            return httpx.Response(refusal.status_code, content=refusal.content, headers=refusal.headers)
        answer: httpx.Response = server(request)
        return answer

    assert read(tmp_path, many, refusing) >= REPOSITORIES
    assert len(facts(tmp_path, many)) == REPOSITORIES + 1
    assert titles(tmp_path, many).count("Renamed") == 1


def test_a_false_answer_hides_a_change_until_the_next_sweep_at_most(many: Many, tmp_path: Path) -> None:
    server = many.make()
    read(tmp_path, many, server)
    many.change(server, 17)

    def lying(request: httpx.Request) -> httpx.Response:
        if many.is_question(request):
            nothing: Any = {"value": []} if "dev.azure.com" in request.url.host else []
            return httpx.Response(200, json=nothing, headers={"X-Total-Count": "0"})
        answer: httpx.Response = server(request)
        return answer

    read(tmp_path, many, lying)
    later = datetime.now(UTC) + timedelta(days=8)
    read(tmp_path, many, server, now=lambda: later)
    assert "Renamed" in titles(tmp_path, many)


@pytest.mark.parametrize("many", [one for one in MANY if "query" in one.question], ids=_name, indirect=True)
def test_an_empty_list_after_a_question_that_told_of_a_change_is_read_again(
    many: Many, tmp_path: Path
) -> None:
    server = many.make()
    read(tmp_path, many, server)
    many.change(server, 17)

    def lying(request: httpx.Request) -> httpx.Response:
        if "/projects/17/" in request.url.path:
            return httpx.Response(200, json=[])
        answer: httpx.Response = server(request)
        return answer

    read(tmp_path, many, lying)
    assert "Renamed" not in titles(tmp_path, many)
    read(tmp_path, many, server)
    assert "Renamed" in titles(tmp_path, many)
    assert read(tmp_path, many, server) <= many.most


def test_each_repository_is_asked_where_the_server_tells_no_time(many: Many, tmp_path: Path) -> None:
    """Without its clock nobody knows whether a change is followed by another one with the same time."""
    server = many.make()

    def timeless(request: httpx.Request) -> httpx.Response:
        answer: httpx.Response = server(request)
        answer.headers.pop("date", None)
        return answer

    read(tmp_path, many, timeless)
    assert read(tmp_path, many, timeless) >= REPOSITORIES


def test_a_second_change_at_the_time_of_the_first_one_is_found(many: Many, tmp_path: Path) -> None:
    """The first run asks within the second of the first change, and nothing that it is told changes with the other."""
    server = many.make()
    many.change(server, 5)
    server.now = many.changed_at
    read(tmp_path, many, server)
    many.row(server, 5)["title"] = "Renamed again"
    server.now = (datetime.fromisoformat(many.changed_at) + timedelta(hours=1)).isoformat()
    read(tmp_path, many, server)
    assert "Renamed again" in titles(tmp_path, many)
    assert read(tmp_path, many, server) <= many.most


def test_a_network_that_is_gone_during_a_run_with_news_loses_nothing(many: Many, tmp_path: Path) -> None:
    server, first, whole = many.make(), tmp_path / "first", tmp_path / "whole"
    read(first, many, server)
    shutil.copytree(first, whole)
    many.change(server, 17)
    many.add(server, 3)
    for number in spread(range(1, read(whole, many, server) + 1), 4):
        folder = tmp_path / str(number)
        shutil.copytree(first, folder)
        source = source_in(folder, many.provider)
        with pytest.raises(Transient):
            run(source, many.provider, many.connection, Recorded(server, number), many.wanted())
        read(folder, many, server)
        assert facts(folder, many) == facts(whole, many), f"request {number}"


def test_a_full_sync_and_a_sweep_ask_each_repository(many: Many, tmp_path: Path) -> None:
    server = many.make()
    read(tmp_path, many, server)
    assert read(tmp_path, many, server, is_full=True) >= REPOSITORIES
    later = datetime.now(UTC) + timedelta(days=8)
    assert read(tmp_path, many, server, now=lambda: later) >= REPOSITORIES
