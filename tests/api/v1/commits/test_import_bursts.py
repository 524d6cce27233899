"""Import bursts over HTTP: the list with evidence, and the decision to count one as own work."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import httpx
import pytest

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


def listed(client: httpx.Client, **params: Any) -> list[dict[str, Any]]:
    answer = client.get(f"{ROOT}/importBursts", params=params)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["importBursts"]
    assert answer.json()["totalSize"] == len(found)
    return found


def commits_of(facts: Facts, burst: str) -> set[str]:
    return {commit.id for commit in facts.commits if facts.burst_of(commit) == burst}


def test_the_list_has_every_burst_with_its_evidence(client: httpx.Client, facts: Facts) -> None:
    found = listed(client)
    assert {one["id"] for one in found} == {b for c in facts.commits if (b := facts.burst_of(c))}
    starts = [one["startedAt"] for one in found]
    assert len(found) > 1
    assert starts == sorted(starts, reverse=True)
    for one in found:
        own = [commit for commit in facts.commits if facts.burst_of(commit) == one["id"]]
        assert (one["commitCount"], one["rule"]) == (len(own), "FORTNIGHT")
        assert one["developerName"] == facts.developers[own[0].developer]
        assert one["workedShare"] == 0.05
        assert client.get(f"{ROOT}/importBursts/{one['id']}").json() == one
    by_share = [one["reworkedShare"] for one in listed(client, orderBy="reworkedShare desc")]
    assert by_share == sorted(by_share, reverse=True)


def test_it_is_filtered_by_status_repository_and_developer(client: httpx.Client, facts: Facts) -> None:
    everything = listed(client)
    waiting = [one for one in everything if one["status"] == "WAITING_FOR_EVIDENCE"]
    assert len(waiting) == 1
    assert waiting[0]["evidenceUntil"] > waiting[0]["endedAt"]
    assert listed(client, status="waiting_for_evidence") == waiting
    assert listed(client, filter="status = WAITING_FOR_EVIDENCE") == waiting
    assert listed(client, status="COUNTED") == []
    for repository in facts.repositories:
        expected = [one for one in everything if repository in one["repositoryIds"]]
        assert listed(client, repository=repository) == expected
        assert listed(client, filter=f'repositoryIds:"{repository}"') == expected
    developer = everything[0]["developerId"]
    assert listed(client, developer=developer) == [o for o in everything if o["developerId"] == developer]
    for wrong in ({"status": "OWN"}, {"orderBy": "repositoryIds"}, {"kind": "HOUR"}):
        assert client.get(f"{ROOT}/importBursts", params=wrong).status_code == 400


def test_its_commits_are_a_filter_of_the_commits(client: httpx.Client, facts: Facts) -> None:
    burst = listed(client)[0]["id"]
    answer = client.get(f"{ROOT}/commits", params={"filter": f'importBurstId = "{burst}"', "pageSize": 1000})
    assert {one["id"] for one in answer.json()["commits"]} == commits_of(facts, burst)


def test_a_burst_is_counted_by_one_decision_that_can_be_undone(client: httpx.Client, facts: Facts) -> None:
    burst = listed(client)[0]["id"]
    own = commits_of(facts, burst)
    answer = client.post(f"{ROOT}/importBursts/{burst}:include", json={"reason": "Written elsewhere by us."})
    assert answer.status_code == 200, answer.text
    assert answer.json() == {
        "importBurstId": burst, "countedCommitCount": len(own), "changedCommitCount": len(own),
    }  # fmt: skip
    assert "," not in answer.headers["x-operation"]
    operation = client.get(f"{ROOT}/operations/{answer.headers['x-operation']}").json()
    assert operation["action"] == "importBursts.include"
    decided = client.get(f"{ROOT}/commitExclusions", params={"pageSize": 1000}).json()["commitExclusions"]
    assert {one["commitId"] for one in decided} == own
    assert {(o["isExcluded"], o["importBurstId"], o["note"]) for o in decided} == {
        (False, burst, "Written elsewhere by us.")
    }
    log = client.get(f"{ROOT}/auditEntries", params={"action": "importBursts.include"}).json()["auditEntries"]
    assert [(one["targetId"], one["after"]["reason"]) for one in log] == [(burst, "Written elsewhere by us.")]
    undone = client.post(f"{ROOT}/importBursts/{burst}:undo")
    assert undone.json()["changedCommitCount"] == len(own)
    assert client.get(f"{ROOT}/commitExclusions").json()["commitExclusions"] == []
    assert client.post(f"{ROOT}/importBursts/{burst}:undo").status_code == 404


@pytest.mark.parametrize(
    "body", [{}, {"reason": ""}, {"reason": "  "}, {"reason": "x" * 1001}, {"note": "x"}]
)
def test_a_reason_in_words_is_needed(client: httpx.Client, body: dict[str, str]) -> None:
    burst = listed(client)[0]["id"]
    answer = client.post(f"{ROOT}/importBursts/{burst}:include", json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, 3)
    assert client.get(f"{ROOT}/commitExclusions").json()["commitExclusions"] == []


def test_unknown_bursts_are_not_found(client: httpx.Client) -> None:
    for burst in ("nope", "00000000-0000-5000-8000-000000000000"):
        assert client.get(f"{ROOT}/importBursts/{burst}").status_code == 404
        answer = client.post(f"{ROOT}/importBursts/{burst}:include", json={"reason": "Ours."})
        assert (answer.status_code, answer.json()["code"]) == (404, 5)


def test_where_people_are_hidden_no_burst_names_one(client: httpx.Client, deployment: Deployment) -> None:
    """Decisions stay possible, because they concern single commits."""
    burst = listed(client)[0]["id"]
    client.patch(f"{ROOT}/settings", json={"minimumGroupSize": 3}).raise_for_status()
    for path in ("importBursts", f"importBursts/{burst}"):
        answer = client.get(f"{ROOT}/{path}")
        assert (answer.status_code, answer.json()["code"]) == (403, 7)
        assert "figures of single developers" in answer.json()["message"]
    answer = client.post(f"{ROOT}/importBursts/{burst}:include", json={"reason": "Ours."})
    assert set(answer.json()) == {"importBurstId", "countedCommitCount", "changedCommitCount"}
