"""Members, invitations, API keys and the audit log together over HTTP, as people use them."""

import csv
import io
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.control.repositories import removals
from api.control.store import ControlStore
from tests.api.conftest import client_for, serving
from tests.api.people import Clock, join, make_account, sign_in

ACME = "/api/v1/organizations/acme"


@pytest.fixture
def acme(store: ControlStore) -> str:
    return store.ensure_organization("Acme", slug="acme").id


@pytest.fixture
def served(tmp_path: Path, acme: str, clock: Clock) -> Iterator[str]:
    with serving(tmp_path, clock, EAS_APP_URL="https://eas.example") as address:
        yield address


@pytest.fixture
def ada(store: ControlStore, acme: str, served: str) -> Iterator[httpx.Client]:
    """The owner, signed in."""
    account = join(store, acme, "owner", make_account(store, "ada@example.org"))
    with client_for(served, sign_in(store, account)) as client:
        yield client


@pytest.fixture
def grace(store: ControlStore, served: str) -> Iterator[httpx.Client]:
    """Another signed-in account."""
    with client_for(served, sign_in(store, make_account(store, "grace@example.org"))) as client:
        yield client


def ok(answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    assert answer.headers["cache-control"] == "no-store"
    body: dict[str, Any] = answer.json()
    return body


def refused(answer: httpx.Response, status: int, code: int) -> str:
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    return str(answer.json()["message"])


def invite(client: httpx.Client, email: str, role: str) -> dict[str, Any]:
    return ok(client.post(f"{ACME}/invitations", json={"email": email, "role": role}))


def test_an_invited_person_joins_works_and_is_removed(
    ada: httpx.Client, grace: httpx.Client, clock: Clock
) -> None:
    made = invite(ada, "Grace@Example.org", "VIEWER")
    assert made["state"] == "PENDING"
    assert made["link"].startswith("https://eas.example/invitation#")
    assert ok(ada.get(f"{ACME}/invitations"))["invitations"] == [made]
    token = made["link"].partition("#")[2]
    with client_for(str(ada.base_url)) as anybody:
        shown = ok(anybody.post("/auth/lookUpInvitation", json={"token": token}))
    assert shown["organizationName"] == "Acme"
    assert shown["emailHint"] == "G…@Example.org"
    refused(grace.get(ACME), 404, 5)
    refused(ada.post("/auth/acceptInvitation", json={"token": token}), 403, 7)
    joined = ok(grace.post("/auth/acceptInvitation", json={"token": token}))
    organization = ok(grace.get(ACME))
    assert joined == {"activeOrganizationId": organization["id"]}
    listed = ok(ada.get(f"{ACME}/members", params={"orderBy": "email desc"}))["members"]
    assert [(one["email"], one["role"]) for one in listed] == [
        ("grace@example.org", "VIEWER"),
        ("ada@example.org", "OWNER"),
    ]
    member = f"{ACME}/members/{listed[0]['id']}"
    assert "your role is viewer" in refused(grace.patch(member, json={"role": "OWNER"}), 403, 7)
    assert ok(ada.patch(member, params={"updateMask": "role"}, json={"role": "ADMIN"}))["role"] == "ADMIN"
    upgrade = refused(grace.post(f"{ACME}/plan:requestUpgrade", json={}), 403, 7)
    assert upgrade.endswith("your role is admin; ask an owner")
    assert ok(grace.get(f"{ACME}/auditEntries"))["totalSize"] == 3
    assert ok(ada.delete(member)) == {}
    refused(grace.get(ACME), 404, 5)
    refused(ada.get(member), 404, 5)
    assert [session["activeOrganizationId"] for session in ok(grace.get("/auth/sessions"))["sessions"]] == [
        None
    ]


def test_signing_in_with_an_invitation_accepts_it_where_the_address_is_the_invited_one(
    ada: httpx.Client, served: str, acme: str
) -> None:
    password = "Correct-horse 9 staple"
    with client_for(served) as client:
        for name in ("joan", "eve"):
            body = {"email": f"{name}@example.org", "password": password, "name": name}
            ok(client.post("/auth/signUp", json=body))
        token = invite(ada, "joan@example.org", "MEMBER")["link"].partition("#")[2]
        outcomes = {
            name: ok(
                client.post(
                    "/auth/signIn",
                    json={"email": f"{name}@example.org", "password": password, "invitation": token},
                )
            )
            for name in ("eve", "joan")
        }
    assert "another address" in outcomes["eve"]["invitation"]["problem"]
    assert "your address is not verified" in outcomes["joan"]["invitation"]["problem"]
    assert outcomes["joan"]["activeOrganizationId"] is None


def test_a_repeated_invitation_is_no_error_and_another_link(ada: httpx.Client) -> None:
    first, second = (invite(ada, email, "MEMBER") for email in ("g@example.org", "G@EXAMPLE.ORG"))
    assert first["id"] == second["id"]
    assert first["link"] != second["link"]
    assert ok(ada.get(f"{ACME}/invitations"))["totalSize"] == 1


@pytest.mark.parametrize("role", ["ADMIN", "TEAM_LEAD", "nobody", ""])
def test_invitations_offer_owner_member_and_viewer_only(ada: httpx.Client, role: str) -> None:
    message = refused(ada.post(f"{ACME}/invitations", json={"email": "g@example.org", "role": role}), 400, 3)
    assert "OWNER, MEMBER, VIEWER" in message


def test_cancelling_an_invitation_needs_a_confirmation(ada: httpx.Client) -> None:
    made = invite(ada, "g@example.org", "MEMBER")
    path = f"{ACME}/invitations/{made['id']}"
    assert "confirm=true" in refused(ada.delete(path), 400, 9)
    assert ok(ada.delete(path, params={"confirm": True})) == {}
    refused(ada.delete(path, params={"confirm": True}), 404, 5)
    refused(ada.post("/auth/lookUpInvitation", json={"token": made["link"].partition("#")[2]}), 400, 9)


def test_a_key_is_shown_once_works_with_its_makers_role_and_ends_with_the_membership(
    store: ControlStore, acme: str, ada: httpx.Client, served: str
) -> None:
    account = join(store, acme, "admin")
    with client_for(served, sign_in(store, account)) as admin:
        made = ok(admin.post(f"{ACME}/tokens", json={"name": "ci", "scope": "WRITE"}))
    assert made["key"] not in str(ok(ada.get(f"{ACME}/tokens")))
    member = f"{ACME}/members/{account}"
    with client_for(served, made["key"]) as key:
        assert ok(key.get(f"{ACME}/auditEntries"))["totalSize"] == 1
        assert "sign in" in refused(key.post(f"{ACME}/tokens", json={"name": "another"}), 403, 7)
        assert ok(ada.patch(member, json={"role": "VIEWER"}))["role"] == "VIEWER"
        refused(key.get(f"{ACME}/auditEntries"), 403, 7)
        ok(key.get(f"{ACME}/members"))
        ok(ada.delete(member))
        refused(key.get(f"{ACME}/members"), 401, 16)


def test_badges_follow_the_clock(ada: httpx.Client, clock: Clock) -> None:
    expiry = (clock.at + timedelta(days=8)).isoformat()
    ok(ada.post(f"{ACME}/tokens", json={"name": "ends", "expiresAt": expiry}))
    ok(ada.post(f"{ACME}/tokens", json={"name": "stays"}))

    def badges() -> dict[str, str]:
        return {one["name"]: one["state"] for one in ok(ada.get(f"{ACME}/tokens"))["tokens"]}

    assert badges() == {"ends": "ACTIVE", "stays": "ACTIVE"}
    clock.advance(days=1)
    assert badges()["ends"] == "EXPIRING_SOON"
    clock.advance(days=6, hours=23)
    assert badges()["ends"] == "EXPIRING_SOON"
    clock.advance(hours=1)
    assert badges() == {"ends": "EXPIRED", "stays": "ACTIVE"}
    ended = next(t for t in ok(ada.get(f"{ACME}/tokens"))["tokens"] if t["name"] == "ends")
    for _ in range(2):
        assert ok(ada.delete(f"{ACME}/tokens/{ended['id']}")) == {}
    assert badges()["ends"] == "REVOKED"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": "x" * 101}, "name"),
        ({"name": "ci", "expiresAt": "2001-01-01T00:00:00Z"}, "expiresAt"),
        ({"name": "ci", "expiresAt": "2999-01-01T00:00:00"}, "expiresAt"),
        ({"name": "ci", "scope": "ROOT"}, "scope"),
        ({"name": "ci", "owner": "me"}, "owner"),
    ],
)
def test_a_key_that_cannot_be_made_names_the_field(
    ada: httpx.Client, body: dict[str, str], field: str
) -> None:
    answer = ada.post(f"{ACME}/tokens", json=body)
    refused(answer, 400, 3)
    assert [one["field"] for one in answer.json()["details"][0]["fieldViolations"]] == [field]


@pytest.mark.both_databases
def test_members_see_and_revoke_their_own_keys_alone(
    store: ControlStore, acme: str, ada: httpx.Client, served: str
) -> None:
    owners = ok(ada.post(f"{ACME}/tokens", json={"name": "the owner's"}))
    with client_for(served, sign_in(store, join(store, acme, "team_lead"))) as lead:
        mine = ok(lead.post(f"{ACME}/tokens", json={"name": "mine"}))
        assert [one["id"] for one in ok(lead.get(f"{ACME}/tokens"))["tokens"]] == [mine["id"]]
        assert refused(lead.delete(f"{ACME}/tokens/{owners['id']}"), 403, 7) == (
            "you may revoke only your own API keys, and this key belongs to another member; ask an owner or admin"
        )
        assert ok(lead.delete(f"{ACME}/tokens/{mine['id']}")) == {}
    assert {one["state"] for one in ok(ada.get(f"{ACME}/tokens"))["tokens"]} == {"ACTIVE", "REVOKED"}


def test_things_of_another_organization_are_unknown(
    store: ControlStore, acme: str, ada: httpx.Client, served: str
) -> None:
    other = store.ensure_organization("Other", slug="other").id
    with client_for(served, sign_in(store, join(store, other, "owner"))) as stranger:
        theirs = "/api/v1/organizations/other"
        token = ok(stranger.post(f"{theirs}/tokens", json={"name": "x"}))["id"]
        invited = ok(stranger.post(f"{theirs}/invitations", json={"email": "g@example.org"}))["id"]
    for path in (f"tokens/{token}", f"invitations/{invited}?confirm=true", f"members/{other}"):
        message = refused(ada.delete(f"{ACME}/{path}"), 404, 5)
        identity = path.partition("/")[2].partition("?")[0]
        unknown = refused(ada.delete(f"{ACME}/{path.replace(identity, 'x')}"), 404, 5)
        assert message.replace(identity, "x") == unknown


def test_a_platform_administrator_manages_members_anywhere(
    store: ControlStore, acme: str, ada: httpx.Client, served: str
) -> None:
    member = f"{ACME}/members/{join(store, acme, 'viewer')}"
    root = make_account(store, "root@example.org", administrator=True)
    with client_for(served, sign_in(store, root)) as client:
        assert ok(client.patch(member, json={"role": "OWNER"}))["role"] == "OWNER"
        assert ok(client.delete(member)) == {}
        invited = ok(client.post(f"{ACME}/invitations", json={"email": "g@example.org", "role": "OWNER"}))
        assert ok(client.delete(f"{ACME}/invitations/{invited['id']}", params={"confirm": True})) == {}
        refused(client.get(f"{ACME}/auditEntries"), 403, 7)
        refused(client.get(f"{ACME}/tokens"), 403, 7)
    assert {one["actorName"] for one in ok(ada.get(f"{ACME}/auditEntries"))["auditEntries"]} == {
        "root@example.org"
    }


def test_every_administrative_write_is_logged_with_before_and_after_and_no_secret(
    store: ControlStore, acme: str, ada: httpx.Client, clock: Clock
) -> None:
    store.upsert_repository(acme, "r", name="=cmd()", origin="x/r")
    member = join(store, acme, "viewer", make_account(store, "eve@example.org"))
    key = ok(ada.post(f"{ACME}/tokens", json={"name": "ci"}))
    clock.advance(seconds=1)
    ok(ada.delete(f"{ACME}/tokens/{key['id']}"))
    clock.advance(seconds=1)
    ok(ada.patch(f"{ACME}/members/{member}", json={"role": "ADMIN"}))
    ok(ada.patch(f"{ACME}/members/{member}", json={"role": "ADMIN"}))
    clock.advance(seconds=1)
    ok(ada.delete(f"{ACME}/members/{member}"))
    clock.advance(seconds=1)
    assert ada.delete(f"{ACME}/repositories/r").json() == {}
    assert [one.is_removed for one in removals.repositories(store, acme)] == [True]
    body = ok(ada.get(f"{ACME}/auditEntries", params={"orderBy": "at"}))
    told = [(e["action"], e["targetName"], e["before"], e["after"]) for e in body["auditEntries"]]
    assert told == [
        ("tokens.create", "ci", None, {"name": "ci", "scope": "read", "expiresAt": None}),
        ("tokens.revoke", "ci", None, None),
        ("members.changeRole", "eve@example.org", {"role": "viewer"}, {"role": "admin"}),
        ("members.remove", "eve@example.org", {"role": "admin"}, None),
        ("repositories.remove", "=cmd()", None, None),
    ]
    assert {(e["actorKind"], e["actorName"]) for e in body["auditEntries"]} == {
        ("ACCOUNT", "ada@example.org")
    }
    assert key["key"] not in str(body)
    newest = ok(ada.get(f"{ACME}/auditEntries", params={"pageSize": 2}))
    more = {"pageSize": 2, "pageToken": newest["nextPageToken"]}
    rest = ok(ada.get(f"{ACME}/auditEntries", params=more))
    assert newest["auditEntries"] + rest["auditEntries"] == body["auditEntries"][:0:-1]


@pytest.mark.both_databases
def test_the_log_is_filtered_and_exported_without_formulas(
    store: ControlStore, acme: str, ada: httpx.Client, clock: Clock
) -> None:
    for name in ("=1+1", "two", "three"):
        ok(ada.post(f"{ACME}/tokens", json={"name": name}))
        clock.advance(hours=1)
    invite(ada, "g@example.org", "MEMBER")

    def found(**params: str) -> list[str]:
        entries = ok(ada.get(f"{ACME}/auditEntries", params=params))["auditEntries"]
        return [entry["targetName"] for entry in entries]

    assert found(action="tokens.create") == ["three", "two", "=1+1"]
    assert found(targetKind="invitation") == ["g@example.org"]
    assert found(actor="ada@example.org", action="invitations.create") == ["g@example.org"]
    assert found(actor="ADA@Example.org", action="invitations.create") == ["g@example.org"]
    assert found(actor="nobody") == []
    [entry] = ok(ada.get(f"{ACME}/auditEntries", params={"targetKind": "invitation"}))["auditEntries"]
    assert found(target=entry["targetId"].upper()) == ["g@example.org"]
    assert found(actor=entry["actorId"].upper(), targetKind="invitation") == ["g@example.org"]
    start, end = ((clock.at - timedelta(hours=hours)).isoformat() for hours in (2, 1))
    assert found(startTime=start, endTime=end) == ["two"]
    answer = ada.get(f"{ACME}/auditEntries", params={"format": "CSV", "action": "tokens.create"})
    assert answer.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert [row["targetName"] for row in rows] == ["three", "two", "'=1+1"]
    assert all(row["actorName"] == "ada@example.org" for row in rows)


def test_a_change_that_fails_leaves_no_entry(store: ControlStore, acme: str, ada: httpx.Client) -> None:
    [owner] = ok(ada.get(f"{ACME}/members"))["members"]
    assert "their own owner role" in refused(
        ada.patch(f"{ACME}/members/{owner['id']}", json={"role": "ADMIN"}), 403, 7
    )
    assert "their own owner role" in refused(ada.delete(f"{ACME}/members/{owner['id']}"), 403, 7)
    assert ok(ada.get(f"{ACME}/auditEntries"))["totalSize"] == 0


def test_a_session_switches_among_its_own_organizations(
    store: ControlStore, acme: str, ada: httpx.Client
) -> None:
    other = store.ensure_organization("Other", slug="other").id
    refused(ada.post("/auth/switchOrganization", json={"organization": "other"}), 404, 5)
    account = ok(ada.get("/auth/account"))["id"]
    join(store, other, "viewer", account)
    assert ok(ada.post("/auth/switchOrganization", json={"organization": "other"})) == {
        "activeOrganizationId": other
    }
