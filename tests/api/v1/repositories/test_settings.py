"""Adding and changing repositories over HTTP."""

import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import httpx
import pytest

from api.control.accounts.tokens import create_token
from api.control.principals import Principal
from api.control.repositories import repositories, sync_status
from api.control.repositories.repositories import NewRepository
from api.control.store import ControlStore
from api.v1.repositories import settings as repository_settings
from ingest.git.identifiers import repository_id
from ingest.probe import probe_address
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.published_facts import ORGANIZATION

Serve = Callable[..., AbstractContextManager[str]]
NAMES = {"git.example": "93.184.215.14", "inside.example": "10.0.0.1"}


@pytest.fixture(autouse=True)
def _names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resolve two host names without a name server."""

    real = socket.getaddrinfo

    def known(host: str, *arguments: Any, **options: Any) -> Any:
        if str(host).endswith(".example") and host not in NAMES:
            raise socket.gaierror(socket.EAI_NONAME, "unknown name")
        return real(NAMES.get(host, host), *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", known)


@pytest.fixture
def client(deployment: Deployment, serve: Serve) -> Iterator[httpx.Client]:
    with serve(deployment.data_dir) as address, client_for(address, deployment.key(scope="write")) as client:
        yield client


def add(client: httpx.Client, *wanted: dict[str, Any]) -> list[dict[str, Any]]:
    answer = client.post(f"{ROOT}/repositories:batchCreate", json={"repositories": wanted})
    assert answer.status_code == 200, answer.text
    results: list[dict[str, Any]] = answer.json()["results"]
    assert len(results) == len(wanted)
    return results


def managed(client: httpx.Client, **params: Any) -> dict[str, Any]:
    answer = client.get(f"{ROOT}/repositories:managed", params=params)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def test_each_selected_repository_succeeds_or_fails_on_its_own(
    client: httpx.Client, deployment: Deployment
) -> None:
    results = add(
        client,
        {"address": "https://git.example/acme/web.git", "tags": ["b", "a"], "defaultBranch": "develop"},
        {"address": "git@git.example:acme/api.git", "name": "The API", "isSandbox": True},
        {"address": "https://GIT.example/acme/web"},
        {"address": "/srv/git/web"},
        {"address": "https://me:hunter2hunter2@git.example/acme/secret"},
        {"address": "https://inside.example/acme/web"},
        {"address": "https://127.0.0.1/acme/web"},
        {"address": "https://unknown.example/acme/web", "analysisStartTime": "2026-01-01T00:00:00Z"},
        {"address": "https://git.example/acme/odd", "tags": ["x" * 65]},
    )
    assert [result["status"]["code"] for result in results] == [0, 0, 6, 3, 3, 3, 3, 0, 3]
    web, api = results[0]["repository"], results[1]["repository"]
    assert (web["name"], web["origin"]) == ("acme/web", "git.example/acme/web")
    assert (web["tags"], web["defaultBranch"], web["health"]) == (["a", "b"], "develop", "PENDING")
    assert (api["name"], api["address"], api["isSandbox"]) == (
        "The API",
        "git@git.example:acme/api.git",
        True,
    )
    assert web["id"] == repository_id(ORGANIZATION, "git.example/acme/web")
    assert "'acme/web'" in results[2]["status"]["message"]
    assert "hunter2" not in str(results)
    for result in results:
        assert (result["repository"] is None) == (result["status"]["code"] != 0)
        violations = result["status"]["details"]
        assert bool(violations) == (result["status"]["code"] == 3)
    assert {one.repository_id for one in sync_status.waiting(deployment.store, 10)} == {
        result["repository"]["id"] for result in results if result["repository"]
    }


def test_derived_names_are_told_apart_and_chosen_ones_stay(client: httpx.Client) -> None:
    results = add(
        client,
        {"address": "https://git.example/acme/web"},
        {"address": "https://unknown.example/acme/web"},
        {"address": "https://other.example/acme/web", "name": "acme/web"},
    )
    assert [one["repository"]["name"] for one in results] == [
        "acme/web", "unknown.example/acme/web", "acme/web",
    ]  # fmt: skip


def test_the_operator_opens_hosts_inside(deployment: Deployment, serve: Serve) -> None:
    with (
        serve(deployment.data_dir, EAS_PRIVATE_HOSTS="10.0.0.0/24") as address,
        client_for(address, deployment.key(scope="write")) as client,
    ):
        [inside, loop] = add(
            client,
            {"address": "https://inside.example/acme/web"},
            {"address": "https://127.0.0.1/acme/web"},
        )
        assert (inside["status"]["code"], loop["status"]["code"]) == (0, 3)


def test_an_item_that_misses_the_shape_keeps_no_other_from_being_added(
    client: httpx.Client, deployment: Deployment
) -> None:
    web = "https://git.example/acme/web"
    malformed: list[tuple[dict[str, Any], list[str]]] = [
        ({}, ["address"]),
        ({"url": web}, ["url"]),
        ({"address": 7}, ["address"]),
        ({"address": f"{web}1", "tags": "backend"}, ["tags"]),
        ({"address": f"{web}2", "isSandbox": "perhaps", "colour": 1}, ["isSandbox", "colour"]),
        ({"address": f"{web}3", "analysisStartTime": "2026-01-01T00:00:00"}, ["analysisStartTime"]),
        ({"address": "https://me:hunter2hunter2@git.example/x", "name": "x" * 5000}, ["name"]),
    ]
    results = add(
        client,
        {"address": web},
        *(item for item, _ in malformed),
        {"address": "https://git.example/acme/api"},
    )
    assert [result["status"]["code"] for result in results] == [0, *[3] * len(malformed), 0]
    assert results[-1]["repository"]["name"] == "acme/api"
    for (item, fields), result in zip(malformed, results[1:-1], strict=True):
        [detail] = result["status"]["details"]
        assert sorted(one["field"] for one in detail["fieldViolations"]) == sorted(fields)
        assert all(field in result["status"]["message"] for field in fields)
        given = item.get("address")
        assert result["address"] == (given if isinstance(given, str) and "@" not in given else None)
        assert result["repository"] is None
    assert "hunter2" not in str(results)
    assert managed(client)["totalSize"] == 2


def test_the_item_of_a_selection_is_documented(client: httpx.Client) -> None:
    schemas = client.get("/openapi.json").json()["components"]["schemas"]
    items = schemas["Selection"]["properties"]["repositories"]["items"]
    assert items == {"$ref": "#/components/schemas/RepositoryToAdd"}
    assert schemas["RepositoryToAdd"]["properties"].keys() >= {"address", "connection", "providerId", "name"}


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {"repositories": []},
        {"repositories": {}},
        {"repositories": ["https://git.example/acme/web"]},
        {"repositories": [{"address": "https://git.example/acme/web"}, None]},
        {"repositories": [{"address": "https://git.example/acme/web"}], "more": 1},
    ],
)
def test_a_selection_is_a_list_of_objects(client: httpx.Client, body: Any) -> None:
    answer = client.post(f"{ROOT}/repositories:batchCreate", json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, 3)


@pytest.mark.both_databases
def test_the_lists_have_counts_of_each(client: httpx.Client, deployment: Deployment) -> None:
    results = add(
        client,
        *({"address": f"https://git.example/acme/{name}"} for name in ("a", "b", "c")),
        {"address": "https://git.example/acme/play", "isSandbox": True},
    )
    ids = [result["repository"]["id"] for result in results]
    client.patch(f"{ROOT}/repositories/{ids[1]}", json={"isDisabled": True}).raise_for_status()
    sync_status.note_failure(deployment.store, ORGANIZATION, ids[2], "there is no such repository")
    for state, expected in {
        "ALL": ["a", "b", "c"],
        "ACTIVE": ["a", "c"],
        "DISABLED": ["b"],
        "NEEDS_ATTENTION": ["c"],
        "SANDBOX": ["play"],
    }.items():
        body = managed(client, state=state)
        assert [one["name"] for one in body["repositories"]] == [f"acme/{name}" for name in expected]
        assert body["totalSize"] == len(expected)
        assert body["counts"] == {"all": 3, "active": 2, "disabled": 1, "needsAttention": 1, "sandbox": 1}
    [failing] = managed(client, state="needs_attention")["repositories"]
    assert (failing["health"], failing["failure"]) == ("FAILING", "there is no such repository")
    assert managed(client, orderBy="name desc", pageSize=1)["repositories"][0]["name"] == "acme/c"
    assert client.get(f"{ROOT}/repositories:managed", params={"state": "AVAILABLE"}).status_code == 400


def test_only_fields_of_the_mask_change_and_flags_are_booleans(client: httpx.Client) -> None:
    [added] = add(client, {"address": "https://git.example/acme/web"})
    path = f"{ROOT}/repositories/{added['repository']['id']}"
    both = {"name": "Web", "isExcluded": True}
    changed = client.patch(path, json=both, params={"updateMask": "isExcluded"}).json()
    assert (changed["name"], changed["isExcluded"]) == ("acme/web", True)
    assert client.patch(path, json={"isExcluded": None}).status_code == 400
    assert client.patch(path, json={"origin": "x"}).status_code == 400
    assert client.patch(path, json={"name": ""}).status_code == 400
    kept = client.get(f"{path}/settings").json()
    assert (kept["name"], kept["isExcluded"]) == ("acme/web", True)
    assert client.patch(f"{ROOT}/repositories/nothing", json={"name": "x"}).status_code == 404
    assert client.get(f"{ROOT}/repositories/nothing/settings").status_code == 404
    cleared = client.patch(path, json={"defaultBranch": None, "analysisStartTime": None}).json()
    assert (cleared["defaultBranch"], cleared["analysisStartTime"]) == (None, None)


def test_an_edit_of_a_stopped_repository_lets_it_be_analysed_again(
    client: httpx.Client, deployment: Deployment
) -> None:
    [added] = add(client, {"address": "https://git.example/acme/web"})
    path = f"{ROOT}/repositories/{added['repository']['id']}"
    assert client.patch(path, json={"isStopped": True}).json()["isStopped"] is True
    assert sync_status.waiting(deployment.store, 10) == []
    assert client.patch(path, json={"tags": ["backend"]}).json()["isStopped"] is False
    assert len(sync_status.waiting(deployment.store, 10)) == 2


def test_another_organization_knows_nothing_of_it(
    client: httpx.Client, deployment: Deployment, serve: Serve
) -> None:
    [added] = add(client, {"address": "https://git.example/acme/web"})
    other = deployment.store.ensure_organization("Other", slug="other")

    key = create_token(deployment.store, other.id, "other", scope="write").key
    with serve(deployment.data_dir) as address, client_for(address, key) as stranger:
        path = f"/api/v1/organizations/other/repositories/{added['repository']['id']}"
        assert stranger.patch(path, json={"isDisabled": True}).status_code == 404
        assert stranger.get(f"{path}/settings").status_code == 404
        assert stranger.delete(path).status_code == 404
        listed = stranger.get("/api/v1/organizations/other/repositories:managed").json()
        assert (listed["totalSize"], listed["counts"]["all"]) == (0, 0)
        assert "POST …/repositories:batchCreate" in listed["nextStep"]
    assert managed(client)["nextStep"] is None


def test_odd_text_fails_for_its_repository_alone(client: httpx.Client) -> None:
    results = add(
        client,
        {"address": "https://git.example/a/b\0"},
        {"address": "https://git.example/a/\u202eb"},
        {"address": "https://git.example/a/c", "name": "a\0b"},
        {"address": "https://git.example/a/d", "tags": ["a\nb"]},
        {"address": "https://git.example/a/e", "defaultBranch": "a\0b"},
        {"address": "https://git.example/acme/web"},
    )
    assert [result["status"]["code"] for result in results] == [3, 3, 3, 3, 3, 0]


def test_a_server_error_for_one_item_does_not_affect_the_others(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    added = repositories.add_repository

    def failing(store: ControlStore, actor: Principal, organization: str, one: NewRepository) -> Any:
        if one.origin.endswith("/bad"):
            raise RuntimeError("hunter2")
        return added(store, actor, organization, one)

    def odd(address: str, *arguments: Any, **options: Any) -> Any:
        if address.endswith("/odd"):
            raise OSError("hunter2")
        return probe_address(address, *arguments, **options)

    monkeypatch.setattr(repositories, "add_repository", failing)
    monkeypatch.setattr(repository_settings, "probe_address", odd)
    results = add(
        client, *({"address": f"https://git.example/a/{name}"} for name in ("good", "bad", "odd", "after"))
    )
    assert [result["status"]["code"] for result in results] == [0, 13, 13, 0]
    assert "hunter2" not in str(results)
    assert [one["name"] for one in managed(client)["repositories"][:2]] == ["a/after", "a/good"]


@pytest.mark.parametrize(
    "instant",
    [
        "9999-12-31T23:59:59-23:59",
        "0001-01-01T00:00:00+23:59",
        "1969-12-31T23:59:59Z",
        "3000-01-01T00:00:00Z",
        "2999-12-31T23:59:59-23:59",
    ],
)
def test_an_instant_that_no_calendar_of_the_service_has_is_refused(
    client: httpx.Client, instant: str
) -> None:
    results = add(
        client,
        {"address": "https://git.example/a/good", "analysisStartTime": "3000-01-01T00:00:00+01:00"},
        {"address": "https://git.example/a/bad", "analysisStartTime": instant},
        {"address": "https://git.example/a/after"},
    )
    assert [result["status"]["code"] for result in results] == [0, 3, 0]
    asked = client.get(f"{ROOT}/auditEntries", params={"startTime": instant})
    changed = client.patch(
        f"{ROOT}/repositories/{results[0]['repository']['id']}", json={"analysisStartTime": instant}
    )
    for answer in (asked, changed):
        assert answer.status_code == 400, answer.text
        assert "must be between 1970-01-01 and 2999-12-31" in answer.json()["message"]
    [kept] = [one for one in managed(client)["repositories"] if one["name"] == "a/good"]
    assert client.get(f"{ROOT}/auditEntries", params={"endTime": kept["createdAt"]}).status_code == 200
