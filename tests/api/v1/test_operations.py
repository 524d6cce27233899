"""Operations over HTTP: an answer to a change names them."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import httpx
import pytest

from api.control import operations
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.published_facts import ORGANIZATION

Serve = Callable[..., AbstractContextManager[str]]


@pytest.fixture
def client(deployment: Deployment, serve: Serve) -> Iterator[httpx.Client]:
    with serve(deployment.data_dir) as address, client_for(address, deployment.key(scope="write")) as client:
        yield client


def test_an_answer_to_a_change_names_its_operation_and_the_build_ends_it(
    client: httpx.Client, deployment: Deployment
) -> None:
    made = client.post(f"{ROOT}/teams", json={"name": "Web"})
    found = client.get(f"{ROOT}/operations/{made.headers['X-Operation']}").json()
    assert (found["state"], found["action"], found["targetId"]) == (
        "PENDING",
        "teams.create",
        made.json()["id"],
    )
    assert found["buildId"] is None
    operations.include(deployment.store, ORGANIZATION, operations.seen(deployment.store, ORGANIZATION), "b7")
    found = client.get(f"{ROOT}/operations/{found['id']}").json()
    assert (found["state"], found["buildId"]) == ("DONE", "b7")


def test_what_changes_nothing_or_is_refused_names_none(client: httpx.Client) -> None:
    team = client.post(f"{ROOT}/teams", json={"name": "Web"}).json()["id"]
    for answer in (
        client.post(f"{ROOT}/teams", json={"name": "Web"}),
        client.patch(f"{ROOT}/teams/{team}", json={"name": "Web"}),
        client.get(f"{ROOT}/teams:tree"),
    ):
        assert "X-Operation" not in answer.headers
    assert client.get(f"{ROOT}/operations").json()["totalSize"] == 1


def test_the_list_is_paged_and_filtered_by_state(client: httpx.Client, deployment: Deployment) -> None:
    for number in range(3):
        client.post(f"{ROOT}/teams", json={"name": f"Team {number}"})
    store = deployment.store
    operations.include(store, ORGANIZATION, operations.Seen(1, store.now()), "b")
    page = client.get(f"{ROOT}/operations", params={"pageSize": 1, "state": "pending"}).json()
    assert (page["totalSize"], [one["position"] for one in page["operations"]]) == (2, [3])
    rest = client.get(
        f"{ROOT}/operations",
        params={"pageSize": 1, "state": "pending", "pageToken": page["nextPageToken"]},
    ).json()
    assert [one["position"] for one in rest["operations"]] == [2]
    assert client.get(f"{ROOT}/operations", params={"state": "odd"}).status_code == 400
    assert client.get(f"{ROOT}/operations/none").status_code == 404
