"""SCIM tokens over HTTP: created once, listed without the key, revoked; by owners and admins alone, in person."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import anyio
import httpx
import pytest
from sqlalchemy import update

from api.control.accounts.takeovers import take_over
from api.control.accounts.tokens import create_token
from api.control.errors import NotAllowed
from api.control.issued_tokens import key_hash
from api.control.models import Account, ScimToken
from api.control.permissions import DIRECTORY, Permission, Role
from api.control.principals import ActorKind
from api.control.scim.scim_tokens import create_scim_token, find_directory, revoke_scim_token
from api.control.store import ControlStore
from api.errors import Unauthenticated
from api.http.credentials import Authenticator
from tests.api.conftest import ROOT, client_for
from tests.api.empty_organization import address, data_dir, store
from tests.api.people import join, principal, sign_in, stored
from tests.api.published_facts import ORGANIZATION

__all__ = ["address", "data_dir", "store"]

PATH = f"{ROOT}/scimTokens"


@pytest.fixture
def admin(address: str, store: ControlStore) -> Iterator[httpx.Client]:
    with client_for(address, sign_in(store, join(store, ORGANIZATION, Role.ADMIN))) as client:
        yield client


@pytest.fixture
def authenticator(store: ControlStore) -> Iterator[Authenticator]:
    made = Authenticator(store)
    yield made
    made.close()


def test_a_token_is_shown_once_listed_and_revoked(
    admin: httpx.Client, store: ControlStore, authenticator: Authenticator
) -> None:
    made = admin.post(PATH, json={"name": "Entra ID", "expiresAt": "2099-01-01T00:00:00Z"}).json()
    assert made["key"].startswith("scim_")
    assert made["key"] not in stored(store)
    assert (made["state"], made["lastUsedAt"]) == ("ACTIVE", None)
    directory = anyio.run(authenticator.directory, f"Bearer {made['key']}").directory
    assert directory is not None
    assert (directory.organization_id, directory.token_id, directory.token_name) == (
        ORGANIZATION,
        made["id"],
        "Entra ID",
    )
    [listed] = admin.get(PATH).json()["scimTokens"]
    assert listed["lastUsedAt"] is not None
    assert listed | {"lastUsedAt": None, "key": made["key"]} == made
    for _ in range(2):
        assert admin.delete(f"{PATH}/{made['id']}").json() == {}
    assert admin.get(PATH).json()["scimTokens"][0]["state"] == "REVOKED"
    with pytest.raises(Unauthenticated, match="unknown or was revoked"):
        anyio.run(authenticator.directory, f"Bearer {made['key']}")
    audit = admin.get(f"{ROOT}/auditEntries").json()["auditEntries"]
    assert [one["action"] for one in audit if one["targetId"] == made["id"]] == [
        "scimTokens.revoke",
        "scimTokens.create",
    ]
    assert made["key"] not in str(audit)


def test_the_badge_follows_the_end_of_a_token(admin: httpx.Client) -> None:
    now = datetime.now(UTC)
    days = {"ACTIVE": 8, "EXPIRING_SOON": 6}
    for name, ahead in days.items():
        admin.post(PATH, json={"name": name, "expiresAt": (now + timedelta(days=ahead)).isoformat()})
    states = {one["name"]: one["state"] for one in admin.get(PATH).json()["scimTokens"]}
    assert {name: states[name] for name in days} == {name: name for name in days}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"name": "x", "expiresAt": "2020-01-01T00:00:00Z"}, "expiresAt"),
        ({"name": "x", "developerEmail": "ada@example.org"}, "developerEmail"),
    ],
)
def test_a_malformed_token_is_refused_with_its_field(
    admin: httpx.Client, body: dict[str, str], field: str
) -> None:
    answer = admin.post(PATH, json=body)
    assert answer.status_code == 400
    assert [one["field"] for one in answer.json()["details"][0]["fieldViolations"]] == [field]


def test_an_api_key_lists_and_revokes_tokens_and_creates_none(address: str, store: ControlStore) -> None:
    made = create_scim_token(store, ORGANIZATION, "Okta").token
    with client_for(address, create_token(store, ORGANIZATION, "ci", scope="write").key) as client:
        assert client.post(PATH, json={"name": "more"}).status_code == 403
        assert made.id in client.get(PATH).text
        assert client.delete(f"{PATH}/{made.id}").status_code == 200


def test_another_organizations_token_is_unknown(admin: httpx.Client, store: ControlStore) -> None:
    other = store.ensure_organization("Other", slug="other")
    theirs = create_scim_token(store, other.id, "theirs").token.id
    assert admin.delete(f"{PATH}/{theirs}").status_code == 404


def test_an_expired_token_is_refused_with_its_end(store: ControlStore, authenticator: Authenticator) -> None:
    end = datetime.now(UTC) + timedelta(hours=1)
    made = create_scim_token(store, ORGANIZATION, "short", expires_at=end)
    anyio.run(authenticator.directory, f"Bearer {made.key}")
    past = datetime.now(UTC) - timedelta(seconds=1)
    with store.session() as session:
        session.execute(update(ScimToken).where(ScimToken.id == made.token.id).values(expires_at=past))
    with pytest.raises(Unauthenticated, match="the SCIM token expired at"):
        anyio.run(authenticator.directory, f"Bearer {made.key}")


def test_a_directory_writes_in_its_organization_what_directories_may_until_its_token_is_revoked(
    store: ControlStore,
) -> None:
    made = create_scim_token(store, ORGANIZATION, "Entra ID")
    found = find_directory(store, key_hash(made.key))
    assert found is not None
    actor = found[2]
    assert actor.actor == (ActorKind.DIRECTORY, made.token.id, "Entra ID")
    other = store.ensure_organization("Elsewhere", slug="elsewhere")

    def allowed(permission: Permission, organization: str) -> bool:
        try:
            with store.allowed_write(actor, organization, permission):
                return True
        except NotAllowed:
            return False

    assert {one for one in Permission if allowed(one, ORGANIZATION)} == DIRECTORY
    assert {one for one in Permission if actor.may(one, ORGANIZATION)} == DIRECTORY
    assert not any(allowed(one, other.id) or actor.may(one, other.id) for one in Permission)
    revoke_scim_token(store, ORGANIZATION, made.token.id)
    assert not any(allowed(one, ORGANIZATION) for one in Permission)


def test_whoever_takes_an_account_over_ends_the_tokens_that_it_made(store: ControlStore) -> None:
    account = join(store, ORGANIZATION, Role.OWNER)
    made = create_scim_token(store, ORGANIZATION, "prepared", actor=principal(store, account))
    with store.write_transaction(ORGANIZATION) as session:
        take_over(session, store, session.get_one(Account, account), "Ada")
    with store.session() as session:
        assert session.get_one(ScimToken, made.token.id).revoked_at is not None


def test_a_token_outlasts_the_account_of_its_creator(store: ControlStore, admin: httpx.Client) -> None:
    account = join(store, ORGANIZATION, Role.OWNER)
    made = create_scim_token(store, ORGANIZATION, "lasting", actor=principal(store, account))
    with store.session() as session:
        session.delete(session.get_one(Account, account))
    [shown] = [one for one in admin.get(PATH).json()["scimTokens"] if one["id"] == made.token.id]
    assert (shown["createdBy"], shown["state"]) == (None, "ACTIVE")
