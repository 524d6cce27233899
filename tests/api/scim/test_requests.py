"""What directories send beyond the plain case: dialects, concurrent writers, large and malformed requests."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from scim2_models import ResourceType, SearchRequest
from scim2_server.utils import parametrize
from sqlalchemy import event

from api.control.issued_tokens import key_hash
from api.control.scim.scim_tokens import find_directory
from api.control.store import ControlStore
from api.scim.service import provider
from api.scim.storage import DirectoryStorage
from tests.api.people import stored
from tests.api.published_facts import ORGANIZATION
from tests.api.scim.directories import ENTERPRISE, created, patched, token_for, user

NESTED = 1000


def test_a_manager_may_be_a_plain_text_in_every_place(directory: httpx.Client) -> None:
    made = created(directory, user("m1@acme.example", **{ENTERPRISE: {"manager": "boss"}}))
    assert made[ENTERPRISE]["manager"]["value"] == "boss"
    operations: list[dict[str, Any]] = [
        {"op": "Add", "path": f"{ENTERPRISE}:manager", "value": "b0"},
        {"op": "Replace", "value": {f"{ENTERPRISE}:manager": "b1"}},
        {"op": "replace", "value": {ENTERPRISE: {"manager": "b2"}}},
        {"op": "replace", "path": ENTERPRISE, "value": {"manager": "b3"}},
    ]
    for number, operation in enumerate(operations):
        answer = patched(directory, f"/Users/{made['id']}", operation)
        assert answer.status_code == 200, answer.text
        assert answer.json()[ENTERPRISE]["manager"]["value"] == f"b{number}"


def test_an_absent_work_mail_is_added_and_a_present_one_replaced_alone(directory: httpx.Client) -> None:
    made = created(
        directory,
        {"userName": "mails@corp.local", "emails": [{"value": "home@acme.example", "type": "home"}]},
    )
    path, work = f"/Users/{made['id']}", 'emails[type eq "work"].value'
    patched(directory, path, {"op": "Add", "path": work, "value": "first@corp.local"})
    answer = patched(directory, path, {"op": "Replace", "path": work, "value": "second@corp.local"})
    assert {(one["type"], one["value"]) for one in answer.json()["emails"]} == {
        ("home", "home@acme.example"),
        ("work", "second@corp.local"),
    }
    found = directory.get("/Users", params={"filter": 'emails[type eq "work"].value eq "SECOND@corp.local"'})
    assert [one["id"] for one in found.json()["Resources"]] == [made["id"]]


def test_answers_of_the_protocol_are_scim_whatever_fails(directory: httpx.Client, served: str) -> None:
    for answer, status in (
        (directory.get("/Users/nope"), 404),
        (directory.get("/Nothing/here"), 404),
        (directory.get("/Users", params={"nonsense": "1"}), 400),
        (directory.get("/Users", params={"filter": "userName eq"}), 400),
        (directory.post("/Users", content=b"{"), 400),
        (directory.post("/Users", content=b"x", headers={"Content-Type": "text/plain"}), 400),
        (directory.put("/Users", json={}), 405),
        (directory.post("/Bulk", json={}), 501),
        (httpx.get(f"{served}/scim/v2/Users"), 401),
    ):
        assert answer.status_code == status, answer.text
        assert answer.headers["content-type"] == "application/scim+json"
        assert answer.json()["status"] == str(status)
    assert directory.get("/Users", params={"aadOptscim062020": ""}).status_code == 200


@pytest.mark.parametrize(
    "hostile",
    [
        {"filter": " or ".join(['userName eq "a"'] * 10_000)},
        {"filter": "(" * NESTED + 'userName eq "a"' + ")" * NESTED},
        {"filter": "not (" * NESTED + 'userName eq "a"' + ")" * NESTED},
        user("hostile@acme.example", title="x" * 990_000),
        user("hostile@acme.example", title="x" * 1_100_000),
        user("hostile@acme.example", emails=[{"value": f"e{n}@acme.example"} for n in range(10_000)]),
        user("hostile@acme.example", title="nul\0"),
        {"Operations": [{"op": "replace", "path": "title", "value": "x"}] * 10_000},
        {"Operations": [{"op": "replace", "path": f'emails[type eq "{n}"].value', "value": "x"} for n in range(500)]},
        {"Operations": [{"op": "replace", "path": "emails[" + "(" * NESTED, "value": "x"}]},
    ],
    ids=lambda hostile: str(hostile)[:40],
)  # fmt: skip
def test_a_hostile_request_is_refused_within_a_second(
    directory: httpx.Client, kept: ControlStore, hostile: dict[str, Any]
) -> None:
    made = directory.get("/Users", params={"count": 1}).json()["Resources"][0]["id"]
    before = stored(kept)
    started = time.monotonic()
    if "filter" in hostile:
        answer = directory.post("/Users/.search", json=hostile)
    elif "Operations" in hostile:
        answer = patched(directory, f"/Users/{made}", *hostile["Operations"])
    else:
        answer = directory.post("/Users", json=hostile)
    took = time.monotonic() - started
    assert answer.status_code in (400, 413), answer.text
    assert answer.headers["content-type"] == "application/scim+json"
    assert took < 1
    assert stored(kept) == before


def test_two_writers_lose_nothing_and_an_old_version_is_refused(directory: httpx.Client) -> None:
    made = created(directory, user("writers@acme.example"))
    path = f"/Users/{made['id']}"

    def add(number: int) -> int:
        mail = {"value": f"w{number}@acme.example", "type": f"t{number}"}
        return patched(directory, path, {"op": "add", "path": "emails", "value": [mail]}).status_code

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(add, range(6))) == [200] * 6
    now = directory.get(path)
    assert len(now.json()["emails"]) == 7
    stale = {"If-Match": made["meta"]["version"]}
    for refused in (
        directory.put(path, json=user("writers@acme.example", title="late"), headers=stale),
        directory.delete(path, headers=stale),
    ):
        assert refused.status_code == 412, refused.text
    assert directory.get(path, headers={"If-None-Match": now.headers["etag"]}).status_code == 304
    fresh = {"If-Match": now.headers["etag"]}
    assert directory.put(path, json=user("writers@acme.example"), headers=fresh).status_code == 200


@contextmanager
def counted(store: ControlStore) -> Iterator[list[str]]:
    statements: list[str] = []

    def note(_: object, __: object, statement: str, *___: object) -> None:
        statements.append(statement)

    event.listen(store.engine, "before_cursor_execute", note)
    try:
        yield statements
    finally:
        event.remove(store.engine, "before_cursor_execute", note)


@pytest.mark.both_databases
@pytest.mark.parametrize("kind", ["User", "Group"])
def test_a_page_takes_the_same_queries_whatever_its_length(store: ControlStore, kind: str) -> None:
    store.ensure_organization("Acme", organization_id=ORGANIZATION, slug="acme")
    found = find_directory(store, key_hash(token_for(store, ORGANIZATION)))
    assert found is not None
    storage, described = DirectoryStorage(store, found[2]), provider()
    types: dict[Any, ResourceType] = {one.name: one for one in described.resource_types}
    users: Any = described.model_for("User")
    groups: Any = described.model_for("Group")
    made: Any = [storage.create(types["User"], users(user_name=f"u{n}")) for n in range(30)]
    for number in range(30):
        members = [{"value": one.id} for one in made[: number % 5]]
        storage.create(
            types["Group"], groups.model_validate({"displayName": f"g{number}", "members": members})
        )
    model = users if kind == "User" else groups
    numbers = []
    for count in (2, 30):
        with counted(store) as statements:
            page = storage.search(
                [types[kind]], parametrize(SearchRequest, model)(count=count, start_index=1)
            )
        assert len(page.resources) == count
        numbers.append(len(statements))
    assert numbers[0] == numbers[1] <= 6
