"""Exclusions of commits over HTTP: one, many, undo, and a new analysis."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import httpx
import pytest

from api.control.repositories import removals, sync_status
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.published_facts import ORGANIZATION, Facts

Serve = Callable[..., AbstractContextManager[str]]


@pytest.fixture
def client(deployment: Deployment, serve: Serve) -> Iterator[httpx.Client]:
    deployment.publish()
    for key, name in deployment.facts.repositories.items():
        deployment.store.upsert_repository(ORGANIZATION, key, name=name, origin=f"git.example/{name}")
    with serve(deployment.data_dir) as address, client_for(address, deployment.key(scope="write")) as client:
        yield client


def post(client: httpx.Client, path: str, body: Any = None) -> httpx.Response:
    return client.post(f"{ROOT}/{path}", json=body)


def decided(client: httpx.Client, **params: Any) -> list[dict[str, Any]]:
    answer = client.get(f"{ROOT}/commitExclusions", params=params)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["commitExclusions"]
    return found


def test_a_commit_is_left_out_by_id_or_sha_and_taken_back(client: httpx.Client, facts: Facts) -> None:
    commit = facts.commits[0]
    answer = post(client, f"commits/{commit.sha}:exclude", {"reason": "revert", "note": " undone "})
    assert answer.status_code == 200, answer.text
    made = answer.json()
    assert (made["commitId"], made["reason"], made["note"]) == (commit.id, "REVERT", "undone")
    assert (made["repositoryId"], made["subject"]) == (commit.repository, commit.subject)
    operation = answer.headers["x-operation"]
    assert client.get(f"{ROOT}/operations/{operation}").json()["action"] == "commits.exclude"
    assert [one["commitSha"] for one in decided(client)] == [commit.sha]
    again = post(client, f"commits/{commit.id}:include")
    assert again.json() == {"exclusion": None}
    assert decided(client) == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"reason": "BECAUSE"},
        {"reason": "OTHER"},
        {"reason": "OTHER", "note": "  "},
        {"reason": "OTHER", "note": "x" * 1001},
        {"reason": "REVERT", "why": "x"},
        {"note": "x"},
    ],
)
def test_a_reason_of_the_list_is_needed(client: httpx.Client, facts: Facts, body: dict[str, str]) -> None:
    answer = post(client, f"commits/{facts.commits[0].id}:exclude", body)
    assert (answer.status_code, answer.json()["code"]) == (400, 3)
    assert decided(client) == []


def test_a_commit_that_is_not_excluded_cannot_be_included(client: httpx.Client, facts: Facts) -> None:
    counted = next(
        c for c in facts.commits if c.etv and c.repository != facts.sandbox and c.developer != facts.bot
    )
    undelivered = next(c for c in facts.commits if c.delivered_at is None)
    for commit, why in (
        (counted, "it is not excluded"),
        (undelivered, "not on the default branch"),
    ):
        answer = post(client, f"commits/{commit.id}:include")
        assert (answer.status_code, answer.json()["code"]) == (400, 9)
        assert why in answer.json()["message"]


def test_each_commit_of_a_batch_has_its_own_status(client: httpx.Client, facts: Facts) -> None:
    one, two = facts.commits[:2]
    given = [one.id, "nope", two.sha, one.sha, "0" * 40]
    answer = post(client, "commits:batchExclude", {"commits": given, "reason": "IMPORT"})
    assert answer.status_code == 200, answer.text
    results = answer.json()["results"]
    assert [result["commit"] for result in results] == given
    assert [result["status"]["code"] for result in results] == [0, 5, 0, 0, 5]
    assert "'nope'" in results[1]["status"]["message"]
    assert [result["exclusion"] and result["exclusion"]["commitId"] for result in results] == [
        one.id,
        None,
        two.id,
        one.id,
        None,
    ]
    assert {found["commitId"] for found in decided(client)} == {one.id, two.id}
    # Said twice, it is done once.
    assert len(answer.headers["x-operation"].split(",")) == 2


def test_a_batch_has_an_end(client: httpx.Client) -> None:
    for commits in ([], ["x"] * 501):
        answer = post(client, "commits:batchExclude", {"commits": commits, "reason": "IMPORT"})
        assert (answer.status_code, answer.json()["code"]) == (400, 3)


@pytest.mark.both_databases
def test_the_list_is_filtered_sorted_and_paged(client: httpx.Client, facts: Facts) -> None:
    chosen = facts.commits[:9]
    post(client, "commits:batchExclude", {"commits": [c.id for c in chosen], "reason": "MIGRATION"})
    pages, token = [], ""
    while True:
        params: dict[str, str | int] = {"pageSize": 2, "pageToken": token, "orderBy": "commitId desc"}
        body = client.get(f"{ROOT}/commitExclusions", params=params).json()
        pages += [one["commitId"] for one in body["commitExclusions"]]
        assert body["totalSize"] == 9
        token = body["nextPageToken"]
        if not token:
            break
    assert pages == sorted((c.id for c in chosen), reverse=True)
    web = next(iter(facts.repositories))
    expected = {c.id for c in chosen if c.repository == web}
    assert {one["commitId"] for one in decided(client, repository=web)} == expected
    assert decided(client, excluded=False) == []
    assert client.get(f"{ROOT}/commitExclusions", params={"orderBy": "subject"}).status_code == 400


def test_before_the_first_publish_there_is_nothing_to_leave_out(deployment: Deployment, serve: Serve) -> None:
    with serve(deployment.data_dir) as address, client_for(address, deployment.key(scope="write")) as client:
        answer = post(client, f"commits/{'0' * 40}:exclude", {"reason": "IMPORT"})
        assert (answer.status_code, answer.json()["code"]) == (400, 9)


def test_a_commit_is_analysed_again_by_an_operation(
    client: httpx.Client, facts: Facts, deployment: Deployment
) -> None:
    commit = facts.commits[0]
    answer = post(client, f"commits/{commit.sha}:reanalyze")
    assert answer.status_code == 200, answer.text
    operation = answer.json()
    assert (operation["state"], operation["action"]) == ("PENDING", "commits.reanalyze")
    assert operation["id"] == answer.headers["x-operation"]
    [waiting] = sync_status.waiting(deployment.store, 10)
    assert (waiting.repository_id, waiting.commit_sha) == (commit.repository, commit.sha)
    sync_status.answer(deployment.store, {waiting.operation_id: {"hasChanged": False}})
    told = client.get(f"{ROOT}/operations/{operation['id']}").json()
    assert told["result"] == {"hasChanged": False}
    assert post(client, "commits/nope:reanalyze").status_code == 404


@pytest.mark.parametrize("state", ["isDisabled", "isStopped"])
def test_a_commit_of_a_repository_that_is_not_read_is_not_analysed_again(
    client: httpx.Client, facts: Facts, deployment: Deployment, state: str
) -> None:
    commit = facts.commits[0]
    client.patch(f"{ROOT}/repositories/{commit.repository}", json={state: True}).raise_for_status()
    answer = post(client, f"commits/{commit.id}:reanalyze")
    assert (answer.status_code, answer.json()["code"]) == (400, 9)
    removals.remove(deployment.store, ORGANIZATION, commit.repository)
    assert post(client, f"commits/{commit.id}:reanalyze").status_code == 404
    assert sync_status.waiting(deployment.store, 10) == []
