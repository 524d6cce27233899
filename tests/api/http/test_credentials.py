"""Accepted and refused credentials, and the messages of refusals."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio
import httpx
import pytest
from sqlalchemy import event

from api.control.accounts.tokens import create_token, list_tokens, revoke_token
from api.control.store import open_store
from api.http.credentials import Authenticator
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.people import join, sign_in
from tests.api.published_facts import ORGANIZATION

# Reads of every kind; that no route is forgotten is seen to by test_authorization.py.
PATHS = [
    "/api/v1/organizations",
    ROOT,
    f"{ROOT}/repositories",
    f"{ROOT}/repositories/x",
    f"{ROOT}/developers",
    f"{ROOT}/developers/x",
    f"{ROOT}/commits",
    f"{ROOT}/commits/x",
    f"{ROOT}/commits/x/files",
    f"{ROOT}/metrics",
    f"{ROOT}/metrics:describe",
    f"{ROOT}/movements",
    f"{ROOT}/capex",
]


def assert_unauthenticated(response: httpx.Response) -> None:
    assert response.status_code == 401
    assert response.json()["code"] == 16
    assert response.headers["www-authenticate"].startswith("Bearer")
    assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", PATHS)
def test_every_path_checks_the_key_first(address: str, path: str) -> None:
    with client_for(address, None) as client:
        assert_unauthenticated(client.get(path))
        assert_unauthenticated(client.get(path, params={"pageSize": -1, "unknown": "x"}))


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"Bearer",
        b"Basic dXNlcjpwYXNz",
        b"Bearer other_key",
        b"Bearer service_",
        b"Bearer service_" + b"A" * 43,
        b"service_" + b"A" * 43,
        b"Bearer service_" + b"A" * 10_000,
        b"Bearer service_\xff\xfe",
    ],
)
def test_malformed_and_unknown_credentials_are_refused(address: str, header: bytes) -> None:
    with client_for(address, None) as client:
        response = client.get("/api/v1/organizations", headers={b"Authorization": header})
    assert_unauthenticated(response)
    assert "AAAA" not in response.text


def test_the_key_in_the_query_string_does_not_count(published: Deployment, address: str) -> None:
    with client_for(address, None) as client:
        assert_unauthenticated(client.get("/api/v1/organizations", params={"access_token": published.key()}))


def test_the_scheme_is_read_without_case(published: Deployment, address: str) -> None:
    with client_for(address, None) as client:
        response = client.get("/api/v1/organizations", headers={"Authorization": f"bearer {published.key()}"})
    assert response.status_code == 200


@pytest.mark.parametrize("scope", ["read", "write"])
def test_both_scopes_may_read(published: Deployment, address: str, scope: str) -> None:
    with client_for(address, published.key(scope=scope)) as client:
        assert client.get(f"{ROOT}/commits").status_code == 200


def test_a_key_stops_with_its_revocation_at_once(published: Deployment, address: str) -> None:
    made = create_token(published.store, ORGANIZATION, "short-lived")
    with client_for(address, made.key) as client:
        assert client.get(ROOT).status_code == 200
        assert client.get(ROOT).status_code == 200
        revoke_token(published.store, ORGANIZATION, made.token.id)
        assert_unauthenticated(client.get(ROOT))


def test_a_key_stops_when_it_expires(published: Deployment, address: str) -> None:
    expiry = datetime.now(UTC) + timedelta(seconds=1)
    with client_for(address, published.key(expires_at=expiry)) as client:
        assert client.get(ROOT).status_code == 200
        time.sleep(1.1)
        response = client.get(ROOT)
    assert_unauthenticated(response)
    assert "expired" in response.json()["message"]


def test_another_organization_looks_as_if_it_did_not_exist(published: Deployment, address: str) -> None:
    other = published.store.ensure_organization("Somebody else")
    key = create_token(published.store, other.id, "theirs").key
    with client_for(address, key) as client:
        theirs = client.get(f"/api/v1/organizations/{other.slug}")
        assert theirs.status_code == 200
        for path in PATHS[1:]:
            foreign, missing = client.get(path), client.get(path.replace("/acme", "/nobody"))
            assert (foreign.status_code, foreign.json()["code"]) == (404, 5)
            assert foreign.text.replace("acme", "nobody") == missing.text
        assert [found["id"] for found in client.get("/api/v1/organizations").json()["organizations"]] == [
            other.id
        ]


def test_the_last_use_is_remembered(published: Deployment, address: str) -> None:
    made = create_token(published.store, ORGANIZATION, "used")
    before = datetime.now(UTC)
    with client_for(address, made.key) as client:
        for _ in range(3):
            client.get(ROOT)
    token = next(token for token in list_tokens(published.store, ORGANIZATION) if token.id == made.token.id)
    assert token.last_used_at is not None
    assert before <= token.last_used_at <= datetime.now(UTC)


@pytest.mark.parametrize("kind", ["key", "session"])
def test_a_credential_is_looked_up_by_one_indexed_query_and_remembered_where_changes_show(
    tmp_path: Path, kind: str
) -> None:
    store = open_store(tmp_path)
    acme = store.ensure_organization("Acme").id
    account = join(store, acme, "owner")
    for number in range(5):
        join(store, store.ensure_organization(f"Other {number}").id, "viewer", account)
    credential = create_token(store, acme, "ci").key if kind == "key" else sign_in(store, account)
    statements: list[str] = []
    event.listen(store.engine, "before_cursor_execute", lambda *arguments: statements.append(arguments[2]))
    authenticator = Authenticator(store)
    for _ in range(5):
        anyio.run(authenticator.caller, f"Bearer {credential}")
    authenticator.close()
    selects = [one for one in statements if one.lstrip().lower().startswith("select")]
    # The first use of a key is written down; that is a change, after which it is looked up once more.
    assert len(statements) - len(selects) <= 1
    assert len(selects) <= (2 if store.engine.dialect.name == "sqlite" else 5)
    if store.engine.dialect.name == "sqlite":
        with store.engine.connect() as connection:
            parameters = tuple("?" for _ in range(selects[0].count("?")))
            plan = connection.exec_driver_sql(f"explain query plan {selects[0]}", parameters).all()
        assert not [step for step in plan if str(step[3]).startswith("SCAN")]
