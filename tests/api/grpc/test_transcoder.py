"""A real Envoy in front, with the configuration that ships, answers HTTP and JSON as REST does."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.api.conftest import Deployment, client_for
from tests.api.grpc.conftest import NAMES, path_of, reads, speaking
from tests.api.grpc.envoy import SHIPPED, envoy_running


@pytest.fixture(scope="module")
def front(published: Deployment, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of an Envoy in front of the deployment."""
    folder = tmp_path_factory.mktemp("envoy")
    with (
        speaking(published.data_dir) as spoken,
        envoy_running(SHIPPED, folder, spoken.rpartition(":")[2]) as port,
    ):
        yield f"http://{port}"


@pytest.fixture(scope="module")
def through(front: str, key: str) -> Iterator[httpx.Client]:
    with client_for(front, key) as made:
        yield made


def bare(value: Any) -> Any:
    """The same JSON without what a message leaves unset: nulls and empty lists."""
    if isinstance(value, dict):
        return {name: bare(one) for name, one in value.items() if one is not None and one != []}
    return [bare(one) for one in value] if isinstance(value, list) else value


LISTS = [name for name in reads() if NAMES[name][1].variables <= {"organization"}]


@pytest.mark.parametrize("name", LISTS)
def test_it_answers_every_list_as_rest_does(through: httpx.Client, client: httpx.Client, name: str) -> None:
    path = path_of(NAMES[name][1], {"organization": "acme"})
    answer, rest = through.get(path), client.get(path)
    assert answer.status_code == rest.status_code
    if rest.is_success:
        assert bare(answer.json()) == bare(rest.json())
    else:
        assert (answer.json()["code"], answer.json()["message"]) == (
            rest.json()["code"],
            rest.json()["message"],
        )


@pytest.mark.parametrize(
    "query",
    [
        "pageSize=2&orderBy=etv+desc",
        "pageSize=2&orderBy=etv%20desc",
        "pageSize=-1",
        "category=TESTS&pageSize=3",
    ],
)
def test_a_query_means_the_same(through: httpx.Client, client: httpx.Client, query: str) -> None:
    path = f"/api/v1/organizations/acme/commits?{query}"
    answer, rest = through.get(path), client.get(path)
    assert answer.status_code == rest.status_code
    assert bare(answer.json()) == bare(rest.json())


def test_a_body_is_the_body_of_rest(through: httpx.Client, client: httpx.Client) -> None:
    made = through.post("/api/v1/organizations/acme/teams", json={"name": "Through the front"})
    shown = client.get(f"/api/v1/organizations/acme/teams/{made.json()['id']}").json()
    assert (made.status_code, bare(made.json())) == (200, bare(shown))
    assert through.delete(f"/api/v1/organizations/acme/teams/{shown['id']}").status_code == 200


@pytest.mark.parametrize("credential", [None, "eas_wrong"])
def test_a_wrong_credential_is_refused_with_the_status_of_rest(front: str, credential: str | None) -> None:
    with client_for(front, credential) as client:
        answer = client.get("/api/v1/organizations/acme/teams")
    assert (answer.status_code, answer.json()["code"]) == (401, 16)
