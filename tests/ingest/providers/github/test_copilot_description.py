"""GitHub Copilot against a server that the official description of GitHub Enterprise Cloud drives (Prism)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from ingest.connections.ai_tools.days import Kept
from ingest.connections.model import Connection
from ingest.providers.github import copilot, copilot_totals
from ingest.providers.github.copilot import GitHubCopilot
from tests.ingest.connections.running import client_to, connection_to, rows, run, source_in
from tests.official_schemas.packages import npm_file
from tests.official_schemas.prism import Described, described_by
from tests.suite.tiers import some

PROVIDER = GitHubCopilot()
PLACES = {"orgs": "organization", "enterprises": "enterprise"}
REPORTS = ("users-1-day", "users-28-day/latest")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Described]:
    description = json.loads(npm_file("@octokit/openapi/generated/ghec.json").read_text())
    below = (f"/{name}/{{{name.removesuffix('s')}}}/copilot" for name in PLACES)
    paths = [
        f"{one}/{part}"
        for one in below
        for part in ("billing/seats", *(f"metrics/reports/{name}" for name in REPORTS))
    ]
    with described_by(tmp_path_factory.mktemp("copilot"), description, ["/user", *paths]) as found:
        yield found


@pytest.mark.parametrize(("place", "option"), some(PLACES.items(), 1), ids=some(PLACES, 1))
def test_requests_fit_the_description_and_its_examples_have_rows(
    server: Described, place: str, option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copilot, "KEPT", Kept(days=2, restated=1, late=1))
    connection: Connection = connection_to(PROVIDER, "https://github.com", **{option: "acme"})
    files: list[str] = []

    def handler(request: httpx.Request) -> httpx.Response:
        if request.url.host != "api.github.com":
            assert "authorization" not in request.headers
            files.append(str(request.url))
            return httpx.Response(200, content=b'{"user_id": 1, "user_login": "octocat"}\n')
        if request.url.path.endswith(copilot_totals.REPORT):
            # GitHub closed the totals, and the description has them no more.
            return httpx.Response(404, json={"message": "Not Found"})
        sent = {
            name: value
            for name, value in request.headers.items()
            if name not in ("host", "accept-encoding", "accept")
        }
        answer = server.get(
            request.url.path, request.url.query.decode(), sent | {"accept": "application/json"}
        )
        kept = {"content-type": answer.headers.get("content-type", "")}
        return httpx.Response(answer.status_code, content=answer.content, headers=kept)

    with client_to(PROVIDER, connection, handler) as client:
        assert PROVIDER.check(client, connection).account == "octocat, 2 seats"
    source = source_in(tmp_path, PROVIDER)
    report = run(source, PROVIDER, connection, handler)
    assert (report.failures, report.unread) == ({}, {})
    # Each of two days has two files, which name the same person.
    assert (len(files), len(rows(source, "usage"))) == (4, 2)
    assert {row["actor_login"] for row in rows(source, "seats").values()} == {"octocat", "octokitten"}
