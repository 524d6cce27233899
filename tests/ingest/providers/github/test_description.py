"""GitHub against a server that its official OpenAPI descriptions drive (Prism), cloud and Enterprise Server.

The server refuses a request that does not fit the description, and answers with its examples. It holds no state.
GraphQL is answered by the invented server, on the official schema.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from ingest.connections.model import Connection, WantedRepository
from ingest.errors import ProviderRefused, Refusal
from ingest.providers.github.host import GitHub
from ingest.providers.github.tracker import GitHubIssues
from tests.ingest.connections.running import client_to, connection_to, rows, run, source_in
from tests.ingest.providers.github.host_server import GitHubServer, pull
from tests.official_schemas.graphql_schemas import official
from tests.official_schemas.packages import npm_file
from tests.official_schemas.prism import Described, described_by

PROVIDER = GitHub()
DESCRIPTIONS = {
    "cloud": ("api.github.com.json", "https://github.com", ""),
    "enterprise": ("ghes-*[0-9].json", "https://github.example.com", "/api/v3"),
}
PATHS = ("/user", "/user/repos", "/installation/repositories", "/repos/{owner}/{repo}")


class Forwarding:
    """Forwards requests to the described server below a path. `code` asks it for an answer with a status."""

    def __init__(self, server: Described, connection: Connection, below: str) -> None:
        self.connection, self._below, self._server = connection, below, server
        self.asked: list[str] = []
        self.code: int | None = None

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path.removeprefix(self._below)
        self.asked.append(path)
        headers = {
            name: value for name, value in request.headers.items() if name not in ("host", "accept-encoding")
        }
        # GitHub asks for a media type of its own, and its description names the plain one.
        assert headers.pop("accept") == "application/vnd.github+json"
        headers["accept"] = "application/json"
        if self.code is not None:
            headers["prefer"] = f"code={self.code}"
        answer = self._server.get(path, request.url.query.decode(), headers)
        kept = {"content-type": answer.headers.get("content-type", "")}
        return httpx.Response(answer.status_code, content=answer.content, headers=kept)


@pytest.fixture(scope="module", params=list(DESCRIPTIONS.values()), ids=list(DESCRIPTIONS))
def started(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Described, str, str]]:
    """The server, the address of the GitHub that it stands for, and the path of the latter's interface."""
    name, address, below = request.param
    description = json.loads(npm_file(f"@octokit/openapi/generated/{name}").read_text())
    with described_by(tmp_path_factory.mktemp("github"), description, PATHS) as server:
        yield server, address, below


@pytest.fixture
def described(started: tuple[Described, str, str]) -> Forwarding:
    server, address, below = started
    return Forwarding(server, connection_to(PROVIDER, address), below)


def test_the_check_of_a_token_fits_the_description(described: Forwarding) -> None:
    with client_to(PROVIDER, described.connection, described) as client:
        assert PROVIDER.check(client, described.connection).account == "octocat"
    assert described.asked == ["/user", "/user/repos"]


@pytest.mark.parametrize(
    ("code", "refusal", "words"),
    [
        (401, Refusal.UNAUTHORIZED, "wrong, expired or revoked"),
        (403, Refusal.FORBIDDEN, "answers 403"),
    ],
)
def test_refusals_of_the_description_are_explained(
    described: Forwarding, code: int, refusal: Refusal, words: str
) -> None:
    described.code = code
    with (
        pytest.raises(ProviderRefused, match=words) as caught,
        client_to(PROVIDER, described.connection, described) as client,
    ):
        PROVIDER.check(client, described.connection)
    assert caught.value.refusal is refusal


@pytest.mark.parametrize("prefix", ["", "ghs_"], ids=["user", "app"])
def test_repositories_and_pull_requests_are_read_from_the_examples(
    described: Forwarding, tmp_path: Path, prefix: str
) -> None:
    connection = connection_to(PROVIDER, described.connection.address, secret=f"{prefix}token")
    graph = GitHubServer(official("github"))
    graph.pulls["Hello-World"] = [pull(1), pull(2)]
    graph.owner = "octocat"

    def server(request: httpx.Request) -> httpx.Response:
        return graph(request) if request.url.path.endswith("/graphql") else described(request)

    source = source_in(tmp_path, PROVIDER)
    run(source, PROVIDER, connection, server)
    (listed,) = rows(source, "repositories").values()
    assert (listed["owner"], listed["name"], listed["default_branch"]) == ("octocat", "Hello-World", "master")
    wanted = WantedRepository("r", listed["address"].removeprefix("https://").removesuffix(".git"))
    report = run(source, PROVIDER, connection, server, [wanted])
    assert (report.failures, report.unread) == ({}, {})
    assert len(rows(source, "pull_requests")) == 2
    assert set(described.asked) == {"/installation/repositories" if prefix else "/user/repos"}


def test_a_repository_by_its_address_fits_the_description(described: Forwarding, tmp_path: Path) -> None:
    address = described.connection.address
    host = address.removeprefix("https://")
    source = source_in(tmp_path, PROVIDER)
    wanted = WantedRepository("r", f"{host}/other/one")
    report = run(source, PROVIDER, described.connection, _without_graphql(described), [wanted])
    assert (report.failures, report.unread) == ({}, {})
    assert described.asked == ["/user/repos", "/repos/other/one"]


def test_the_check_of_the_tracker_fits_the_description(described: Forwarding) -> None:
    tracker = GitHubIssues()
    connection = connection_to(tracker, described.connection.address)
    with client_to(tracker, connection, described) as client:
        assert tracker.check(client, connection).account == "octocat"
    assert "/user" in described.asked


def _without_graphql(described: Forwarding) -> Callable[[httpx.Request], httpx.Response]:
    graph = GitHubServer(official("github"))
    return lambda request: graph(request) if request.url.path.endswith("/graphql") else described(request)
