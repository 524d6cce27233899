"""What a root login does over HTTP: the hour, organizations, routes of accounts, details of readiness."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.app import create_app
from api.callers.access import Requires, SignedIn
from api.control.accounts import root_logins
from api.control.store import ControlStore
from api.settings import ApiSettings
from tests.api.callers.test_access import ROUTES, send
from tests.api.conftest import Deployment, client_for, serving
from tests.api.operator.signing import ADDRESS, PUBLIC, root_credential
from tests.api.people import Clock, join, make_account, sign_in
from tests.api.roots import administrator_key, sign_in_root

OF_AN_ACCOUNT = [tried for tried in ROUTES if isinstance(tried.declared, SignedIn)]


@pytest.fixture(autouse=True)
def _key() -> Iterator[None]:
    with administrator_key():
        yield


@pytest.fixture
def acme(store: ControlStore) -> str:
    return store.ensure_organization("Acme", slug="acme").id


@pytest.fixture
def address(store: ControlStore, tmp_path: Path, clock: Clock, acme: str) -> Iterator[str]:
    with serving(tmp_path, clock, EAS_APP_URL=f"{ADDRESS}/") as served:
        yield served


@pytest.fixture
def client(address: str) -> Iterator[httpx.Client]:
    with client_for(address, None) as made:
        yield made


def post(client: httpx.Client, credential: str, **headers: str) -> httpx.Response:
    return client.post("/impersonate", data={"credential": credential}, headers=headers)


def signed_in(
    client: httpx.Client, clock: Clock, organization: str | None = None, **claims: Any
) -> dict[str, str]:
    """The header of a new root login, which has entered an organization."""
    answer = post(client, root_credential(clock(), **claims))
    assert answer.status_code == 200, answer.text
    header = {"Authorization": f"Bearer {answer.json()['token']}"}
    if organization is not None:
        switch(client, header, organization)
    return header


def switch(client: httpx.Client, header: dict[str, str], organization: str | None) -> None:
    answer = client.post("/auth/switchOrganization", json={"organization": organization}, headers=header)
    assert answer.status_code == 200, answer.text


def test_a_login_works_for_an_hour(client: httpx.Client, clock: Clock) -> None:
    header = signed_in(client, clock, "acme")
    for seconds in (0, 1800, 1799.9):
        clock.advance(seconds=seconds)
        assert client.get("/api/v1/organizations/acme/members", headers=header).status_code == 200
    clock.advance(seconds=0.1)
    answer = client.get("/api/v1/organizations/acme/members", headers=header)
    assert answer.status_code == 401
    assert "the root login expired at" in answer.json()["message"]


def test_root_enters_organizations_and_their_logs_name_the_login(
    client: httpx.Client, clock: Clock, acme: str
) -> None:
    root = signed_in(client, clock, iss="ada@laptop", id="first-visit")
    path = "/api/v1/organizations/acme"
    every = client.get("/api/v1/organizations?all=true", headers=root).json()["organizations"]
    assert "acme" in [one["slug"] for one in every]
    closed = client.get(f"{path}/settings", headers=root)
    assert (closed.status_code, "enter it with POST /auth/switchOrganization" in closed.text) == (403, True)
    switch(client, root, "acme")
    assert client.post(f"{path}/teams", json={"name": "Web"}, headers=root).status_code == 200
    switch(client, root, None)
    assert client.post(f"{path}/teams", json={"name": "Data"}, headers=root).status_code == 403
    switch(client, root, acme)
    assert client.post("/auth/signOut", headers=root).status_code == 200
    assert client.get("/api/v1/organizations", headers=root).status_code == 401
    with client_for(str(client.base_url), None) as other:
        other.headers.update(signed_in(client, clock, "acme"))
        entries = other.get(f"{path}/auditEntries", params={"orderBy": "at"}).json()["auditEntries"]
        found = [one for one in entries if "first-visit" in one["actorName"]]
        assert {(one["actorKind"], one["actorName"]) for one in found} == {
            ("ROOT", "ada@laptop (root login first-visit, administrator key)")
        }
        moves = ["rootLogins.enter", "rootLogins.leave"]
        assert [one["action"] for one in found] == [moves[0], "teams.create", moves[1], *moves]
        assert "ada@laptop" in other.get(f"{path}/auditEntries", params={"format": "CSV"}).text


def test_an_owner_sees_what_root_did(
    client: httpx.Client, store: ControlStore, clock: Clock, acme: str
) -> None:
    owner = {"Authorization": f"Bearer {sign_in(store, join(store, acme, 'owner'))}"}
    signed_in(client, clock, "acme")
    (entry,) = client.get("/api/v1/organizations/acme/auditEntries", headers=owner).json()["auditEntries"]
    assert (entry["actorKind"], entry["action"]) == ("ROOT", "rootLogins.enter")
    assert entry["after"]["signer"] == "administrator"


def test_every_route_of_an_own_account_refuses_root(
    client: httpx.Client, store: ControlStore, acme: str
) -> None:
    """Also with bodies that have the fields of all of them, so that none is refused for its shape first."""
    names = ("name", "token", "password", "currentPassword", "organization")
    assert len(OF_AN_ACCOUNT) > 8
    for token in (sign_in_root(store), sign_in_root(store, acme)):
        for tried in OF_AN_ACCOUNT:
            body = None if tried.method == "GET" else dict.fromkeys(names, "Correct horse 9 battery")
            path = re.sub(r"\{\w+\}", "x", tried.path)
            header = {"Authorization": f"Bearer {token}"}
            for answer in (
                send(client, tried, token),
                client.request(tried.method, path, headers=header, json=body),
            ):
                assert (str(tried), answer.status_code) == (str(tried), 403)
                assert "it has no account" in answer.json()["message"]


def test_account_holders_may_leave_the_active_organization(
    client: httpx.Client, store: ControlStore, acme: str
) -> None:
    header = {"Authorization": f"Bearer {sign_in(store, join(store, acme, 'viewer'))}"}
    switch(client, header, None)
    (session,) = client.get("/auth/sessions", headers=header).json()["sessions"]
    assert session["activeOrganizationId"] is None
    switch(client, header, "acme")
    answer = client.post("/auth/switchOrganization", json={"organization": "nowhere"}, headers=header)
    assert answer.status_code == 404


def test_the_service_s_key_signs_in_until_support_is_disabled(
    store: ControlStore, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its sessions end with the restart that disables it."""
    monkeypatch.setattr("api.operator.settings.SUPPORT_KEYS", (PUBLIC,))
    monkeypatch.setenv("EAS_DEPLOYMENT", "self_hosted")
    other = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
    monkeypatch.setenv("EAS_ADMINISTRATOR_KEY", other)
    monkeypatch.setenv("DISABLE_SERVICE_SUPPORT_ACCESS", "false")
    monkeypatch.setenv("EAS_APP_URL", ADDRESS)
    with serving(tmp_path, clock, EAS_APP_URL=ADDRESS) as address, client_for(address, None) as client:
        answer = post(client, root_credential(clock()))
        assert (answer.status_code, answer.json()["signer"]) == (200, "SERVICE")
        header = {"Authorization": f"Bearer {answer.json()['token']}"}
        assert client.get("/readyz", headers=header).json()["details"]["canSupportSignIn"]
    monkeypatch.setenv("DISABLE_SERVICE_SUPPORT_ACCESS", "true")
    with serving(tmp_path, clock, EAS_APP_URL=ADDRESS) as address, client_for(address, None) as client:
        assert client.get("/api/v1/license", headers=header).status_code == 401
        assert post(client, root_credential(clock())).status_code == 401


@pytest.mark.parametrize("kind", ["local", "cloud"])
def test_no_key_of_the_service_signs_in_elsewhere(
    store: ControlStore, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr("api.operator.settings.SUPPORT_KEYS", (PUBLIC,))
    monkeypatch.setenv("EAS_DEPLOYMENT", kind)
    monkeypatch.delenv("EAS_ADMINISTRATOR_KEY")
    monkeypatch.delenv("DISABLE_SERVICE_SUPPORT_ACCESS")
    monkeypatch.setenv("EAS_APP_URL", ADDRESS)
    with serving(tmp_path, clock, EAS_APP_URL=ADDRESS) as address, client_for(address, None) as client:
        assert post(client, root_credential(clock())).status_code == 401


@pytest.mark.parametrize("shared", [None, "http://127.0.0.1:8000", "https://localhost"])
def test_no_key_of_the_service_signs_in_at_an_address_that_deployments_share(
    store: ControlStore, tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch, shared: str | None
) -> None:
    monkeypatch.setattr("api.operator.settings.SUPPORT_KEYS", (PUBLIC,))
    monkeypatch.setenv("EAS_DEPLOYMENT", "self_hosted")
    monkeypatch.delenv("EAS_ADMINISTRATOR_KEY")
    monkeypatch.delenv("DISABLE_SERVICE_SUPPORT_ACCESS")
    monkeypatch.delenv("EAS_APP_URL", raising=False)
    if shared is not None:
        monkeypatch.setenv("EAS_APP_URL", shared)
    aimed = shared or "http://127.0.0.1:8000"
    with serving(tmp_path, clock, EAS_APP_URL=aimed) as address, client_for(address, None) as client:
        assert post(client, root_credential(clock(), aud=aimed)).status_code == 401


def test_readiness_has_details_for_administrators_and_root_alone(
    client: httpx.Client, store: ControlStore, clock: Clock, acme: str
) -> None:
    plain = client.get("/readyz")
    assert (plain.status_code, plain.json()) == (200, {"status": "ok"})
    tokens = [
        sign_in(store, join(store, acme, "owner")),
        "root_unknown",
        "session_unknown",
        "service_unknown",
        "x",
    ]
    for token in tokens:
        answer = client.get("/readyz", headers={"Authorization": f"Bearer {token}"})
        assert (answer.status_code, answer.content) == (200, plain.content)
    administrator = {"Authorization": f"Bearer {sign_in(store, make_account(store, administrator=True))}"}
    for header in (administrator, signed_in(client, clock)):
        answer = client.get("/readyz", headers=header)
        assert answer.headers["cache-control"] == "no-store"
        assert answer.json() == {
            "status": "ok",
            "details": {
                "deployment": "LOCAL",
                "release": create_app(ApiSettings()).version,
                "canAdministratorSignIn": True,
                "canSupportSignIn": False,
                "licenseState": "NOT_REQUIRED",
            },
        }
        assert PUBLIC not in answer.text


def test_every_read_of_an_entered_organization_answers_root(published: Deployment) -> None:
    """With the items of an unknown id: what matters is that no handler expects an account."""
    reads = [one for one in ROUTES if isinstance(one.declared, Requires) and one.method == "GET"]
    assert len(reads) > 40
    with serving(published.data_dir) as address:
        token = sign_in_root(published.store, "acme")
        with client_for(address, token) as client:
            for read in reads:
                path = re.sub(r"\{\w+\}", "x", read.path.replace("{organization}", "acme"))
                answer = client.get(path)
                assert answer.status_code in (200, 400, 404), (str(read), answer.text)
            own = client.get("/api/v1/organizations/acme/me")
            assert (own.status_code, own.json()["email"]) == (200, None)
    root_logins.end_all(published.store)
