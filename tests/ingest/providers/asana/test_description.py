"""Asana's connector against a server that its official OpenAPI description drives (Prism).

The server checks each request and answers with the description's examples. It holds no state, so it always names a
next page, which the test takes out. Lists have short examples: the test puts those of single entities in their place.
"""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from ingest.providers.asana.tracker import Asana
from tests.ingest.providers.syncing import Synced
from tests.official_schemas.packages import asana_description
from tests.official_schemas.prism import Described, described_by

PATHS = (
    "/users/{user_gid}",
    "/workspaces",
    "/goals",
    "/goals/{goal_gid}",
    "/goal_relationships",
    "/portfolios",
    "/portfolios/{portfolio_gid}",
    "/portfolios/{portfolio_gid}/items",
    "/projects",
    "/projects/{project_gid}",
    "/tasks",
    "/tasks/{task_gid}",
    "/tasks/{task_gid}/subtasks",
    "/tasks/{task_gid}/stories",
)


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Described]:
    with described_by(tmp_path_factory.mktemp("asana"), asana_description(), PATHS) as server:
        yield server


def test_every_request_fits_the_description_and_its_examples_become_items(
    described: Described, tmp_path: Path
) -> None:
    asked: set[str] = set()

    def answered(path: str, query: str = "") -> httpx.Response:
        return described.get(path, query, {"Authorization": "Bearer token"})

    def handle(request: httpx.Request) -> httpx.Response:
        path = request.url.path.removeprefix("/api/1.0")
        asked.add(path)
        answer = answered(path, request.url.query.decode())
        body = answer.json()
        noun = "tasks" if path.endswith("/subtasks") else path.removeprefix("/")
        if answer.is_success and noun in ("goals", "portfolios", "projects", "tasks"):
            body["data"] = [answered(f"/{noun}/{one['gid']}").json()["data"] for one in body["data"]]
        body.pop("next_page", None)
        return httpx.Response(answer.status_code, json=body)

    run = Synced(tmp_path, Asana(), handle, "https://app.asana.com")
    with run.client() as client:
        assert run.tracker.check(client, run.connection).warnings == ()
    report = run.run()
    assert (report.failures, report.unread_reasons, report.notes) == ({}, {}, {})
    assert report.rows["items"] >= 1
    assert {path.split("/")[1] for path in asked} >= {
        "users", "workspaces", "goals", "goal_relationships", "portfolios", "projects", "tasks"
    }  # fmt: skip
