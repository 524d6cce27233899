"""The developers behind actors of AI tools over HTTP."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import httpx
import pytest

from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.published_facts import ORGANIZATION, Facts

Serve = Callable[..., AbstractContextManager[str]]
PATH = f"{ROOT}/aiActors"


@pytest.fixture
def client(deployment: Deployment, serve: Serve) -> Iterator[httpx.Client]:
    deployment.publish()
    with serve(deployment.data_dir) as address, client_for(address, deployment.key(scope="write")) as client:
        yield client


def test_an_actor_gets_a_developer_and_loses_it(
    client: httpx.Client, deployment: Deployment, facts: Facts
) -> None:
    ada, grace, *_ = (key for key in facts.developers if key != facts.bot)
    made = client.post(PATH, json={"actor": " Ada-Laptop ", "developerId": ada}).json()
    assert (made["actor"], made["developerId"], made["developerName"]) == (
        "ada-laptop",
        ada,
        facts.developers[ada],
    )
    assert client.get(PATH).json()["aiActors"] == [made]
    rows = deployment.store.snapshot(ORGANIZATION)["ai_actors"]
    assert [(row["actor"], row["developer_id"]) for row in rows] == [("ada-laptop", ada)]
    again = client.post(PATH, json={"actor": "ADA-LAPTOP", "developerId": grace})
    assert (again.status_code, again.json()["code"]) == (409, 6)
    assert made["id"] in again.json()["message"]
    assert client.delete(f"{PATH}/{made['id']}").json() == {}
    assert client.delete(f"{PATH}/{made['id']}").status_code == 404
    assert deployment.store.snapshot(ORGANIZATION)["ai_actors"] == []


def test_several_people_share_a_key(client: httpx.Client, deployment: Deployment) -> None:
    made = client.post(PATH, json={"actor": "proxy", "developerId": None}).json()
    assert (made["developerId"], made["developerName"]) == (None, None)
    assert client.get(PATH, params={"orderBy": "developerName desc"}).json()["aiActors"] == [made]
    [row] = deployment.store.snapshot(ORGANIZATION)["ai_actors"]
    assert row["developer_id"] is None
    assert client.post(PATH, json={"actor": "proxy"}).status_code == 400


def test_a_bot_and_a_stranger_have_no_actor(client: httpx.Client, facts: Facts) -> None:
    bot = client.post(PATH, json={"actor": "ci", "developerId": facts.bot})
    assert (bot.status_code, bot.json()["code"]) == (400, 9)
    assert "is a bot" in bot.json()["message"]
    assert client.post(PATH, json={"actor": "ci", "developerId": "nobody"}).status_code == 404
    assert client.get(PATH).json()["aiActors"] == []
