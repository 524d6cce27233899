"""Ingest tokens over HTTP: created once, listed without the key, revoked; by owners and admins alone."""

from collections.abc import Iterator

import httpx
import pytest

from api.control.permissions import Role
from api.control.store import ControlStore
from api.control.telemetry.ingest_tokens import create_ingest_token
from tests.api.conftest import ROOT, client_for
from tests.api.empty_organization import address, data_dir, store
from tests.api.people import join, sign_in
from tests.api.published_facts import ORGANIZATION

__all__ = ["address", "data_dir", "store"]

PATH = f"{ROOT}/ingestTokens"


@pytest.fixture
def admin(address: str, store: ControlStore) -> Iterator[httpx.Client]:
    with client_for(address, sign_in(store, join(store, ORGANIZATION, Role.ADMIN))) as client:
        yield client


def test_a_token_is_shown_once_listed_and_revoked(admin: httpx.Client) -> None:
    given = {"name": "Ada's laptop", "developerEmail": "Ada@Example.org", "expiresAt": "2099-01-01T00:00:00Z"}
    made = admin.post(PATH, json=given).json()
    assert made["key"].startswith("ingest_")
    assert (made["developerEmail"], made["state"], made["lastUsedAt"]) == ("ada@example.org", "ACTIVE", None)
    sender = {"Authorization": f"Bearer {made['key']}"}
    sent = admin.post("/otlp/v1/traces", json={}, headers=sender)
    assert (sent.status_code, sent.json()) == (200, {})
    [listed] = admin.get(PATH).json()["ingestTokens"]
    assert "key" not in listed
    assert listed["lastUsedAt"] is not None
    assert listed | {"lastUsedAt": None, "key": made["key"]} == made
    for _ in range(2):
        assert admin.delete(f"{PATH}/{made['id']}").json() == {}
    assert admin.get(PATH).json()["ingestTokens"][0]["state"] == "REVOKED"
    assert admin.post("/otlp/v1/metrics", json={}, headers=sender).status_code == 401
    audit = admin.get(f"{ROOT}/auditEntries").json()["auditEntries"]
    assert [one["action"] for one in audit if one["targetId"] == made["id"]] == [
        "ingestTokens.revoke",
        "ingestTokens.create",
    ]
    assert made["key"] not in str(audit)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": "x", "developerEmail": "nobody"}, "developerEmail"),
        ({"name": "x", "expiresAt": "2020-01-01T00:00:00Z"}, "expiresAt"),
        ({"name": "x", "expiresAt": "tomorrow"}, "expiresAt"),
        ({"name": "x", "scope": "READ"}, "scope"),
    ],
)
def test_a_malformed_token_is_refused_with_its_field(
    admin: httpx.Client, body: dict[str, str], field: str
) -> None:
    answer = admin.post(PATH, json=body)
    assert answer.status_code == 400
    assert [one["field"] for one in answer.json()["details"][0]["fieldViolations"]] == [field]


def test_another_organizations_token_is_unknown(admin: httpx.Client, store: ControlStore) -> None:
    other = store.ensure_organization("Other", slug="other")
    theirs = create_ingest_token(store, other.id, "theirs").token.id
    assert admin.delete(f"{PATH}/{theirs}").status_code == 404
