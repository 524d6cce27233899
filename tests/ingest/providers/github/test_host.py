"""GitHub: every page once, incremental runs, kills, partial answers, limits."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from graphql import GraphQLError

from ingest.connections.model import WantedRepository
from ingest.errors import RateLimited
from ingest.lake import Source
from ingest.providers.github.access import api_address
from ingest.providers.github.pull_requests import graphql_address
from tests.ingest.connections.running import client_to, connection_to, rows, run, run_broken, source_in
from tests.ingest.providers.github.host_runs import CONNECTION, PROVIDER, STREAM, WANTED, read, read_one
from tests.ingest.providers.github.host_server import (
    GitHubServer,
    at,
    commit,
    pull,
    repository,
    review,
)
from tests.official_schemas.graphql_schemas import official
from tests.suite.tiers import some


@pytest.fixture(params=["subset", "official"])
def server(request: pytest.FixtureRequest) -> GitHubServer:
    return GitHubServer(official("github") if request.param == "official" else None)


def test_every_page_is_read(source: Source, server: GitHubServer) -> None:
    server.repositories = [repository(n, name) for n, name in enumerate(["a", "b", "c", "d", "shop"], 3)]
    server.pulls["shop"] = [pull(n) for n in range(1, 121)]
    report = read(source, server)
    assert report.rows == {"repositories": 5, "pull_requests": 120}
    assert list(rows(source, "repositories")) == ["3", "4", "5", "6", "7"]
    assert {row["number"] for row in rows(source, "pull_requests").values()} == set(range(1, 121))
    assert {row["repository_id"] for row in rows(source, "pull_requests").values()} == {"repository-of-shop"}


def test_a_second_run_reads_changes_alone(source: Source, server: GitHubServer) -> None:
    server.pulls["shop"] = [pull(n) for n in range(1, 121)]
    read(source, server)
    server.pulls["shop"][3].update(title="Renamed", updatedAt=at(150))
    server.pulls["shop"].append(pull(121))
    server.asked.clear()
    assert read(source, server).rows == {"pull_requests": 2}
    assert rows(source, "pull_requests")["7/4"]["title"] == "Renamed"
    assert server.asked == ["/user/repos", "/graphql"]


def test_a_run_without_changes_writes_nothing_and_asks_twice(source: Source, server: GitHubServer) -> None:
    server.pulls["shop"] = [pull(n) for n in range(1, 121)]
    read(source, server)
    server.asked.clear()
    assert read(source, server).rows == {}
    assert server.asked == ["/user/repos", "/graphql"]


def test_a_run_without_changes_asks_once_for_many_repositories(source: Source, server: GitHubServer) -> None:
    names = [f"shop-{place}" for place in range(30)]
    server.repositories = [repository(place + 7, name) for place, name in enumerate(names)]
    server.pulls = {name: [pull(1), pull(2)] for name in names} | {"shop-29": []}
    wanted = [WantedRepository(f"r-{name}", f"github.com/acme/{name}") for name in names]
    assert run(source, PROVIDER, CONNECTION, server, wanted).rows["pull_requests"] == 58
    server.asked.clear()
    assert run(source, PROVIDER, CONNECTION, server, wanted).rows == {}
    assert server.asked.count("/graphql") == 1
    server.pulls["shop-3"][0].update(title="Renamed", updatedAt=at(150))
    server.pulls["shop-29"].append(pull(3))
    server.asked.clear()
    assert run(source, PROVIDER, CONNECTION, server, wanted).rows == {"pull_requests": 2}
    assert server.asked.count("/graphql") == 3


def test_a_second_change_at_the_time_of_the_first_one_is_found(source: Source, server: GitHubServer) -> None:
    """The first run asks within the second of the first change, and the number and newest change stay the same."""
    names = ["shop-1", "shop-2", "shop-3"]
    server.repositories = [repository(place + 7, name) for place, name in enumerate(names)]
    server.pulls = {name: [pull(1), pull(2)] for name in names}
    wanted = [WantedRepository(f"r-{name}", f"github.com/acme/{name}") for name in names]
    server.now = at(2)
    run(source, PROVIDER, CONNECTION, server, wanted)
    server.pulls["shop-2"][1]["title"] = "Renamed"
    server.now = at(2, 1)
    assert run(source, PROVIDER, CONNECTION, server, wanted).rows == {"pull_requests": 1}
    server.asked.clear()
    assert run(source, PROVIDER, CONNECTION, server, wanted).rows == {}
    assert server.asked.count("/graphql") == 1


def test_each_repository_is_asked_where_the_question_is_refused(source: Source, server: GitHubServer) -> None:
    names = ["shop-1", "shop-2", "shop-3"]
    server.repositories = [repository(place + 7, name) for place, name in enumerate(names)]
    server.pulls = {name: [pull(1)] for name in names}
    wanted = [WantedRepository(f"r-{name}", f"github.com/acme/{name}") for name in names]
    run(source, PROVIDER, CONNECTION, server, wanted)
    server.pulls["shop-2"].append(pull(2))

    def refusing(request: httpx.Request) -> httpx.Response:
        if "query Newest" in request.content.decode():
            return httpx.Response(502, html="<h1>Bad gateway</h1>")
        return server(request)

    assert run(source, PROVIDER, CONNECTION, refusing, wanted).rows == {"pull_requests": 1}


@pytest.mark.parametrize("fails_at", some((2, 5, 9, 1, 3, 4, 6, 7, 8), 3))
def test_a_killed_run_continues_to_the_same_rows(tmp_path: Path, server: GitHubServer, fails_at: int) -> None:
    server.pulls["shop"] = [pull(n) for n in range(1, 121)]
    server.pulls["shop"][40]["commits"] = [commit(f"{n:040x}") for n in range(140)]
    undisturbed, killed = source_in(tmp_path / "a", PROVIDER), source_in(tmp_path / "b", PROVIDER)
    read(undisturbed, server)
    run_broken(killed, PROVIDER, CONNECTION, server, WANTED, fails_at)
    assert rows(killed, "pull_requests") == rows(undisturbed, "pull_requests")
    assert killed.read("pull_requests").num_rows == 120


def test_a_continued_run_starts_after_the_last_page(source: Source, server: GitHubServer) -> None:
    server.pulls["shop"] = [pull(n) for n in range(1, 121)]
    run_broken(source, PROVIDER, CONNECTION, server, WANTED, fails_at=4)
    # Two pages before the failure, three after it; none twice.
    assert server.asked.count("/graphql") == 5


def test_pull_requests_that_change_while_they_are_listed_are_not_lost(
    source: Source, server: GitHubServer
) -> None:
    """Each page of changes moves the oldest one to the front, which shifts the others onto the next page."""
    server.pulls["shop"] = [pull(n) for n in range(1, 61)]
    now = datetime(2027, 1, 1, tzinfo=UTC)
    read(source, server, now=lambda: now)
    for one in server.pulls["shop"]:
        one.update(title="Changed", updatedAt=at(100 + one["number"]))
    step = iter(range(300, 400))

    def change_oldest() -> None:
        min(server.pulls["shop"], key=lambda one: str(one["updatedAt"]))["updatedAt"] = at(next(step))

    server.before = change_oldest
    read(source, server, now=lambda: now)
    server.before = lambda: None
    read(source, server, now=lambda: now)
    assert {row["title"] for row in rows(source, "pull_requests").values()} == {"Changed"}
    newest = {row["number"]: row["updated_at"].isoformat() for row in rows(source, "pull_requests").values()}
    assert newest == {one["number"]: one["updatedAt"].replace("Z", "+00:00") for one in server.pulls["shop"]}


def test_a_page_that_takes_too_long_is_asked_for_in_parts(source: Source, server: GitHubServer) -> None:
    server.pulls["shop"] = [pull(n) for n in range(1, 31)]
    server.max_size = 7
    assert read(source, server).rows["pull_requests"] == 30
    assert server.sizes == [25, 25, 12, 12, 6, 6, 6, 6, 6]


def test_hidden_and_malformed_pull_requests_are_counted_and_the_others_read(
    source: Source, server: GitHubServer
) -> None:
    server.pulls["shop"] = [pull(n) for n in range(1, 4)]
    read(source, server)
    server.pulls["shop"] = [
        pull(1, updated=9, title="New"),
        None,
        pull(2, updated=9, updatedAt="soon"),
        pull(3, updated=9, title="New"),
    ]
    report = read(source, server, is_full=True)
    assert report.unread == {STREAM: 2}
    assert report.deleted == 0
    assert {row["title"] for row in rows(source, "pull_requests").values()} == {"New", "Pull request 2"}


@pytest.mark.parametrize("part", ["reviews", "mergeCommit"])
def test_a_part_that_a_partial_answer_lacks_does_not_replace_the_one_in_the_lake(
    source: Source, server: GitHubServer, part: str
) -> None:
    first = read_one(source, server, reviews=[review("APPROVED", 2)])
    refused = GraphQLError("Resource not accessible", extensions={"type": "FORBIDDEN"})
    server.pulls["shop"] = [pull(1, updated=9, **{part: refused})]
    report = read(source, server)
    assert report.unread_reasons == {STREAM: f"7/1: GitHub leaves out {part}: Resource not accessible"}
    assert rows(source, "pull_requests")["7/1"] == first


def test_a_repository_out_of_reach_keeps_its_rows(source: Source, server: GitHubServer) -> None:
    server.repositories.append(repository(8, "plans"))
    wanted = [*WANTED, WantedRepository("repository-of-plans", "github.com/acme/plans")]
    server.pulls |= {"shop": [pull(1)], "plans": [pull(1)]}
    run(source, PROVIDER, CONNECTION, server, wanted)
    del server.pulls["shop"]
    server.pulls["plans"].append(pull(2))
    report = run(source, PROVIDER, CONNECTION, server, wanted, is_full=True)
    assert "acme/shop" in report.failures[STREAM]
    assert list(rows(source, "pull_requests")) == ["7/1", "8/1", "8/2"]


def test_an_empty_repository_has_no_pull_requests(source: Source, server: GitHubServer) -> None:
    server.repositories = [repository(7, "shop", size=0, pushed_at=at(1))]
    assert read(source, server).rows == {"repositories": 1}
    assert rows(source, "repositories")["7"]["is_empty"] is True


def test_public_repositories_are_found_by_their_address(source: Source, server: GitHubServer) -> None:
    server.repositories = []
    server.public = [repository(9, "shop", private=False)]
    server.pulls["shop"] = [pull(1)]
    assert read(source, server).rows == {"repositories": 1, "pull_requests": 1}
    assert "9/1" in rows(source, "pull_requests")


def test_a_renamed_repository_is_the_same_one(source: Source, server: GitHubServer) -> None:
    server.repositories = [repository(7, "store")]
    server.pulls["store"] = [pull(1)]
    wanted = [WantedRepository("repository-of-shop", "github.com/acme/shop", "7")]
    run(source, PROVIDER, CONNECTION, server, wanted)
    assert rows(source, "pull_requests")["7/1"]["repository_id"] == "repository-of-shop"


def test_tokens_of_apps_list_the_repositories_of_their_installation(
    source: Source, server: GitHubServer
) -> None:
    app = connection_to(PROVIDER, "https://github.com", secret="ghs_invented")
    assert run(source, PROVIDER, app, server, WANTED).rows == {"repositories": 1}
    assert server.asked[0] == "/installation/repositories"


def test_a_sweep_removes_pull_requests_that_no_longer_exist(source: Source, server: GitHubServer) -> None:
    server.pulls["shop"] = [pull(n) for n in range(1, 4)]
    start = datetime(2027, 1, 1, tzinfo=UTC)
    read(source, server, now=lambda: start)
    del server.pulls["shop"][0]
    assert read(source, server, now=lambda: start).deleted == 0
    assert read(source, server, now=lambda: start + timedelta(days=8)).deleted == 1
    assert list(rows(source, "pull_requests")) == ["7/2", "7/3"]


@pytest.mark.parametrize(
    ("address", "rest", "graphql"),
    [
        ("https://github.com", "https://api.github.com", "https://api.github.com/graphql"),
        ("https://acme.ghe.com", "https://api.acme.ghe.com", "https://api.acme.ghe.com/graphql"),
        ("https://git.acme.example", "https://git.acme.example/api/v3", "https://git.acme.example/api/graphql"),
        ("https://git.acme.example:8443", "https://git.acme.example:8443/api/v3", "https://git.acme.example:8443/api/graphql"),
    ],
)  # fmt: skip
def test_addresses_of_the_interfaces(address: str, rest: str, graphql: str) -> None:
    connection = connection_to(PROVIDER, address)
    assert api_address(address) == rest
    with client_to(PROVIDER, connection, lambda _: httpx.Response(500)) as client:
        assert graphql_address(client) == graphql


# Far beyond an hour also when the tests before this one took hours.
RESET = str(int(time.time()) + 36_000)
LIMITED = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": RESET}


@pytest.mark.parametrize(
    ("answer", "is_long"),
    [
        (httpx.Response(403, json={"message": "API rate limit exceeded"}, headers=LIMITED), True),
        (httpx.Response(429, json={"message": "slow down"}, headers={"retry-after": "7000"}), True),
        (httpx.Response(403, json={"message": "You have exceeded a secondary rate limit."}), False),
        (
            httpx.Response(
                403,
                json={"message": "You have exceeded a secondary rate limit."},
                headers={"x-ratelimit-remaining": "4000", "x-ratelimit-reset": RESET},
            ),
            False,
        ),
    ],
)
def test_limits_are_recognised(answer: httpx.Response, is_long: bool) -> None:
    with client_to(PROVIDER, CONNECTION, lambda _: answer) as client, pytest.raises(RateLimited) as caught:
        PROVIDER.check(client, CONNECTION)
    wait = caught.value.retry_after or 0
    assert wait > 3600 if is_long else wait == 60


def test_a_limit_of_graphql_parks_the_run_without_losing_rows(source: Source, server: GitHubServer) -> None:
    server.pulls["shop"] = [pull(n) for n in range(1, 61)]
    body = {"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}

    def limited(request: httpx.Request) -> httpx.Response:
        if server.asked.count("/graphql") == 2:
            return httpx.Response(200, json=body, headers=LIMITED)
        return server(request)

    with pytest.raises(RateLimited) as caught:
        run(source, PROVIDER, CONNECTION, limited, WANTED)
    assert (caught.value.retry_after or 0) > 3600
    assert len(rows(source, "pull_requests")) == 50
    read(source, server)
    assert len(rows(source, "pull_requests")) == 60
    assert server.asked.count("/graphql") == 3
