"""Removal of a repository over HTTP: the required role, and the part that the next build does."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from api.control.repositories import removals
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.published_facts import ORGANIZATION

Serve = Callable[..., AbstractContextManager[str]]


@pytest.fixture
def known(deployment: Deployment) -> Deployment:
    for name in ("one", "two"):
        deployment.store.upsert_repository(ORGANIZATION, name, name=name, origin=f"example.org/{name}")
    deployment.publish()
    return deployment


def marked(deployment: Deployment) -> list[str]:
    found = removals.repositories(deployment.store, ORGANIZATION)
    return [one.repository_id for one in found if one.is_removed]


def test_a_key_that_may_write_removes_a_repository_once_and_again(known: Deployment, serve: Serve) -> None:
    with serve(known.data_dir) as address, client_for(address, known.key(scope="write")) as client:
        for _ in range(2):
            answer = client.delete(f"{ROOT}/repositories/one")
            assert (answer.status_code, answer.json()) == (200, {})
    assert marked(known) == ["one"]
    assert [row["repository_id"] for row in known.store.snapshot(ORGANIZATION)["repositories"]] == ["two"]


def test_others_are_refused_and_remove_nothing(known: Deployment, serve: Serve) -> None:
    with serve(known.data_dir) as address:
        with client_for(address, known.key()) as client:
            answer = client.delete(f"{ROOT}/repositories/one")
            assert (answer.status_code, answer.json()["code"]) == (403, 7)
            assert "eas token create --write" in answer.json()["message"]
        with client_for(address, None) as client:
            assert client.delete(f"{ROOT}/repositories/one").status_code == 401
        with client_for(address, known.key(scope="write")) as client:
            assert client.delete(f"{ROOT}/repositories/three").status_code == 404
            assert client.delete("/api/v1/organizations/other/repositories/one").status_code == 404
            assert client.delete(f"{ROOT}/repositories/one", params={"force": "true"}).status_code == 400
            assert client.delete(f"{ROOT}/repositories").status_code == 405
    assert marked(known) == []
