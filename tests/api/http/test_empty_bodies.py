"""A request needs no body where every field of it is optional. The routes come from the OpenAPI document."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from api.control.store import open_store
from tests.api.conftest import client_for, serving
from tests.api.http.test_bodies import DOCUMENT, resolved
from tests.api.people import join, make_account, sign_in

BODIES = {
    path: (
        operation["requestBody"],
        resolved(operation["requestBody"]["content"]["application/json"]["schema"]),
    )
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
    if method == "post" and "application/json" in operation.get("requestBody", {}).get("content", {})
    # OTLP says what an export request is.
    if not path.startswith("/otlp/")
}
OPTIONAL = [
    path for path, (_, schema) in BODIES.items() if "oneOf" not in schema and not schema.get("required")
]
OTHERS = [path for path in BODIES if path not in OPTIONAL and path.startswith("/api/v1/")]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    folder: Path = tmp_path_factory.mktemp("empty-bodies")
    store = open_store(folder)
    acme = store.ensure_organization("Acme", slug="acme").id
    owner = sign_in(store, join(store, acme, "owner", make_account(store)))
    with serving(folder) as address, client_for(address, owner) as made:
        yield made
    store.close()


def named(answer: httpx.Response) -> list[str]:
    """The fields that an answer blames."""
    listed = [detail.get("fieldViolations", []) for detail in answer.json()["details"]]
    return [violation["field"] for violations in listed for violation in violations]


def test_there_are_such_routes() -> None:
    assert any(path.endswith("plan:requestUpgrade") for path in OPTIONAL)
    assert OTHERS


@pytest.mark.parametrize("path", BODIES)
def test_the_document_says_whether_a_body_is_needed(path: str) -> None:
    body, _ = BODIES[path]
    assert body.get("required", False) == (path not in OPTIONAL)


@pytest.mark.parametrize("headers", [{}, {"Content-Type": "application/json"}], ids=["bare", "typed"])
@pytest.mark.parametrize("path", OPTIONAL)
def test_no_body_is_the_same_as_an_empty_object(
    client: httpx.Client, path: str, headers: dict[str, str]
) -> None:
    url = path.replace("{organization}", "acme").replace("{correction}", "nothing")
    bare, empty = client.post(url, headers=headers), client.post(url, json={})
    # Each request of a long work is an operation of its own, with its own id and times.
    assert bare.status_code == empty.status_code
    assert bare.json().keys() == empty.json().keys() if bare.is_success else bare.json() == empty.json()
    assert bare.is_success or "body" not in named(bare)


@pytest.mark.parametrize("path", OTHERS)
def test_elsewhere_the_missing_body_is_named(client: httpx.Client, path: str) -> None:
    answer = client.post(path.replace("{organization}", "acme"))
    assert answer.status_code == 400
    assert "body" in named(answer)
