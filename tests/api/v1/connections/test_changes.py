"""Changes of a connection while others change it, and while the key of tokens is missing."""

import base64
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import httpx
import pytest

from api.control.connections.connections import ConnectionChange, change_connection, remove_connection
from api.control.connections.sync_status import note_failure
from api.control.connections.usable import usable_connections
from api.control.principals import OPERATOR
from api.control.secrets import FILE
from api.operator.variables import SECRET_KEY
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.published_facts import ORGANIZATION
from tests.api.v1.connections.conftest import ADDRESS, HOST, TOKEN, FakeHost

Serve = Callable[..., AbstractContextManager[str]]
NEW = {"kind": "GITEA", "address": ADDRESS, "name": "Host", "secret": TOKEN}
KEYS = [base64.b64encode(bytes([number]) * 32).decode() for number in range(2)]


@pytest.fixture
def one(admin: httpx.Client) -> str:
    """The id of a connection."""
    answer = admin.post(f"{ROOT}/connections", json=NEW)
    assert answer.status_code == 200, answer.text
    found: str = answer.json()["id"]
    return found


def meanwhile(host: FakeHost, act: Callable[[], object]) -> None:
    """Do something while the provider checks the next request, which it then accepts."""

    def answer() -> httpx.Response:
        host.refusal = lambda: httpx.Response(200, json={"login": "ada"})
        act()
        return httpx.Response(200, json={"login": "ada"})

    host.refusal = answer


def actions(admin: httpx.Client, connection: str) -> list[str]:
    found = admin.get(f"{ROOT}/auditEntries", params={"target": connection}).json()["auditEntries"]
    return [entry["action"] for entry in found]


def test_another_user_is_checked_with_the_stored_token_and_synced(
    admin: httpx.Client, deployment: Deployment, host: FakeHost, one: str
) -> None:
    note_failure(deployment.store, ORGANIZATION, one, reason="UNAUTHORIZED", message="The user is wrong.")
    host.requests.clear()
    host.refusal = lambda: httpx.Response(200, json={"login": "grace"})
    changed = admin.patch(f"{ROOT}/connections/{one}", json={"user": "grace"})
    assert changed.status_code == 200, changed.text
    shown = changed.json()
    assert (shown["user"], shown["account"], shown["health"]) == ("grace", "grace", "PENDING")
    assert {request.headers["authorization"] for request in host.requests} == {f"token {TOKEN}"}
    operation = admin.get(f"{ROOT}/operations/{changed.headers['X-Operation']}").json()
    assert (operation["action"], operation["connectionId"]) == ("connections.update", one)


@pytest.mark.both_databases
@pytest.mark.parametrize("theirs", [ConnectionChange(secret="other-t0ken"), ConnectionChange(user="eve")])
def test_parts_that_nobody_checked_together_are_not_stored_together(
    admin: httpx.Client, deployment: Deployment, host: FakeHost, one: str, theirs: ConnectionChange
) -> None:
    """An administrator replaces the token, or the user, while the provider checks the change of another one."""
    mine: dict[str, Any] = {"user": "grace"} if theirs.secret == "other-t0ken" else {"secret": TOKEN}
    meanwhile(host, lambda: change_connection(deployment.store, OPERATOR, ORGANIZATION, one, theirs))
    refused = admin.patch(f"{ROOT}/connections/{one}", json=mine)
    assert (refused.status_code, refused.json()["code"]) == (400, 9), refused.text
    assert "meanwhile" in refused.json()["message"]
    [kept] = usable_connections(deployment.store)
    expected = ("", "other-t0ken") if theirs.secret == "other-t0ken" else ("eve", TOKEN)
    assert (kept.user, kept.secret) == expected
    assert admin.patch(f"{ROOT}/connections/{one}", json=mine).status_code == 200


@pytest.mark.both_databases
def test_of_two_replacements_at_once_the_later_one_holds(
    admin: httpx.Client, deployment: Deployment, host: FakeHost, one: str
) -> None:
    both = threading.Barrier(2, timeout=20)

    def answer() -> httpx.Response:
        if host.requests[-1].url.path.endswith("/version"):
            both.wait()
        return httpx.Response(200, json={"login": "ada"})

    host.refusal = answer
    path, codes = f"{ROOT}/connections/{one}", []

    def replace(secret: str) -> None:
        codes.append(admin.patch(path, json={"secret": secret}).status_code)

    threads = [threading.Thread(target=replace, args=(f"t0ken-no-{n}",)) for n in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert codes == [200, 200]
    [kept] = usable_connections(deployment.store)
    assert kept.secret in ("t0ken-no-0", "t0ken-no-1")
    assert actions(admin, one).count("connections.replaceSecret") == 2


def test_a_connection_that_is_removed_during_the_check_stays_removed(
    admin: httpx.Client, deployment: Deployment, host: FakeHost, one: str
) -> None:
    meanwhile(host, lambda: remove_connection(deployment.store, OPERATOR, ORGANIZATION, one))
    answer = admin.patch(f"{ROOT}/connections/{one}", json={"secret": TOKEN})
    assert (answer.status_code, answer.json()["code"]) == (404, 5), answer.text
    assert usable_connections(deployment.store) == []


@pytest.mark.both_databases
def test_a_token_whose_key_is_lost_is_replaced_and_other_changes_say_so(
    admin: httpx.Client, deployment: Deployment, one: str
) -> None:
    (deployment.data_dir / FILE).unlink()
    path = f"{ROOT}/connections/{one}"
    refused = admin.patch(path, json={"user": "grace"})
    assert (refused.status_code, refused.json()["code"]) == (400, 9), refused.text
    assert "replace the token" in refused.json()["message"]
    assert admin.get(path).status_code == 200
    assert admin.patch(path, json={"secret": TOKEN}).status_code == 200
    assert usable_connections(deployment.store)[0].secret == TOKEN


def test_a_malformed_key_is_named_and_nothing_is_stored(
    admin: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SECRET_KEY, "not-a-key")
    answer = admin.post(f"{ROOT}/connections", json=NEW)
    assert (answer.status_code, answer.json()["code"]) == (400, 9), answer.text
    assert SECRET_KEY in answer.json()["message"]
    assert "not-a-key" not in answer.text
    assert admin.get(f"{ROOT}/connections").json()["totalSize"] == 0


def test_a_restart_with_another_key_first_encrypts_all_tokens_anew(
    deployment: Deployment, host: FakeHost, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SECRET_KEY, KEYS[0])
    key = deployment.key("admin", scope="write")
    with (
        serve(deployment.data_dir, EAS_PRIVATE_HOSTS=HOST) as address,
        client_for(address, key) as admin,
    ):
        assert admin.post(f"{ROOT}/connections", json=NEW).status_code == 200
    monkeypatch.setenv(SECRET_KEY, f"{KEYS[1]},{KEYS[0]}")
    with serve(deployment.data_dir, EAS_PRIVATE_HOSTS=HOST):
        pass
    monkeypatch.setenv(SECRET_KEY, KEYS[1])
    assert usable_connections(deployment.store)[0].secret == TOKEN


@pytest.mark.parametrize(
    "body",
    [
        NEW | {"secret": TOKEN * 200},
        NEW | {"secret": [TOKEN]},
        NEW | {"secret": {"value": TOKEN}},
        NEW | {"token": TOKEN},
        {"secret": TOKEN},
    ],
)
def test_a_malformed_body_is_refused_without_repeating_the_token(
    admin: httpx.Client, host: FakeHost, body: dict[str, Any]
) -> None:
    answer = admin.post(f"{ROOT}/connections", json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, 3), answer.text
    assert TOKEN not in answer.text
    assert host.requests == []


def test_an_unparsable_body_is_refused_without_repeating_the_token(admin: httpx.Client) -> None:
    answer = admin.post(f"{ROOT}/connections", content=f'{{"secret": "{TOKEN}", }}'.encode())
    assert answer.status_code == 400, answer.text
    assert TOKEN not in answer.text
