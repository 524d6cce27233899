"""Members leave an organization and change their own name."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.control.accounts import members, tokens
from api.control.audit import Selection, list_entries
from api.control.list_pages import ListQuery
from api.control.models import Account, TeamLead
from api.control.permissions import Role
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from api.control.teams import teams
from tests.api.conftest import client_for, serving
from tests.api.people import join, make_account, principal, sign_in

ACME, OTHER = "/api/v1/organizations/acme", "/api/v1/organizations/other"
Client = Callable[[str], httpx.Client]


@pytest.fixture
def acme(store: ControlStore) -> str:
    return store.ensure_organization("Acme", slug="acme").id


@pytest.fixture
def other(store: ControlStore) -> str:
    return store.ensure_organization("Other", slug="other").id


@pytest.fixture
def client(store: ControlStore, tmp_path: Path) -> Iterator[Client]:
    """A client of an account, signed in."""
    made: list[httpx.Client] = []
    with serving(tmp_path) as address:

        def of(account: str) -> httpx.Client:
            made.append(client_for(address, sign_in(store, account)))
            return made[-1]

        yield of
        for one in made:
            one.close()


def ok(answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def log(owner: httpx.Client, root: str) -> list[tuple[str, str, str, Any, Any]]:
    return [
        (one["action"], one["actorName"], one["targetName"], one["before"], one["after"])
        for one in ok(owner.get(f"{root}/auditEntries"))["auditEntries"]
    ]


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.OWNER])
def test_members_other_than_owners_leave_and_lose_keys_and_leads(
    store: ControlStore, acme: str, other: str, client: Client, role: Role
) -> None:
    owner = client(join(store, acme, Role.OWNER))
    account = join(store, acme, role, make_account(store, "ada@example.org"))
    join(store, other, Role.VIEWER, account)
    for organization in (acme, other):
        tokens.create_token(store, organization, "mine", actor=principal(store, account))
    if role is Role.TEAM_LEAD:
        team = teams.create_team(store, OPERATOR, acme, "Web").id
        with store.session() as session:
            session.add(
                TeamLead(team_id=team, account_id=account, organization_id=acme, created_at=store.now())
            )
    ada = client(account)
    ok(ada.post("/auth/switchOrganization", json={"organization": "acme"}))
    assert ok(ada.post(f"{ACME}/me:leave")) == {}
    for path in ("", "/me", "/members"):
        assert ada.get(f"{ACME}{path}").status_code == 404
    assert ada.post(f"{ACME}/me:leave").status_code == 404
    assert [one["id"] for one in ok(ada.get("/api/v1/organizations"))["organizations"]] == [other]
    assert {one["activeOrganizationId"] for one in ok(ada.get("/auth/sessions"))["sessions"]} == {None}
    assert [one.revoked_at is not None for one in tokens.list_tokens(store, acme)] == [True]
    assert [one.revoked_at for one in tokens.list_tokens(store, other)] == [None]
    with store.session() as session:
        assert session.query(TeamLead).count() == 0
        assert session.get(Account, account) is not None
    left = ("members.leave", "ada@example.org", "ada@example.org", {"role": role.value}, None)
    entries = log(owner, ACME)
    assert entries[0] == left
    # What went with it is found where it is looked for.
    also = {(action, name) for action, _, name, _, _ in entries[1:]} - {("tokens.create", "mine")}
    taken = {("tokens.revoke", "mine")}
    led = {("teamLeads.delete", "Web"), ("teams.create", "Web")}
    assert also == (taken | led if role is Role.TEAM_LEAD else taken)
    # Equal names join the developer of a proven address: figures follow.
    assert ok(owner.get(f"{ACME}/operations"))["operations"][0]["action"] == "members.leave"
    invited = ok(owner.post(f"{ACME}/invitations", json={"email": "ADA@example.org"}))
    ok(ada.post("/auth/acceptInvitation", json={"token": invited["link"].partition("#")[2]}))
    assert ok(ada.get(f"{ACME}/me"))["role"] == "MEMBER"
    assert [one.revoked_at is not None for one in tokens.list_tokens(store, acme)] == [True]


def test_the_role_of_an_owner_is_fixed_and_the_last_stays(
    store: ControlStore, acme: str, client: Client
) -> None:
    first = join(store, acme, Role.OWNER)
    owner = client(first)

    def refused() -> str:
        answer = owner.post(f"{ACME}/me:leave")
        assert (answer.status_code, answer.json()["code"]) == (400, 9), answer.text
        return str(answer.json()["message"])

    assert "make somebody else an owner" in refused()
    second = client(join(store, acme, Role.OWNER))
    assert "ask another owner" in refused()
    assert ok(second.patch(f"{ACME}/members/{first}", json={"role": "MEMBER"}))["role"] == "MEMBER"
    assert ok(owner.post(f"{ACME}/me:leave")) == {}
    assert [one.action for one in members_log(store, acme)] == ["members.leave", "members.changeRole"]


def members_log(store: ControlStore, organization: str) -> list[Any]:
    return list(list_entries(store, organization, ListQuery(1000), Selection()).items)


def test_a_name_is_changed_where_it_is_shown_and_logged_there(
    store: ControlStore, acme: str, other: str, client: Client
) -> None:
    account = make_account(store, "ada@example.org")
    for organization in (acme, other):
        join(store, organization, Role.VIEWER, account)
    apart = store.ensure_organization("Apart").id
    ada = client(account)
    changed = ok(ada.patch("/auth/account", params={"updateMask": "name"}, json={"name": " Ada Lovelace "}))
    assert (changed["name"], changed["email"]) == ("Ada Lovelace", "ada@example.org")
    assert ok(ada.get("/auth/account")) == changed
    ok(ada.patch("/auth/account", json={"name": "Ada Lovelace"}))
    for root, organization in ((ACME, acme), (OTHER, other)):
        assert ok(ada.get(f"{root}/members/{account}"))["name"] == "Ada Lovelace"
        owner = client(join(store, organization, Role.OWNER))
        assert log(owner, root) == [
            (
                "members.rename",
                "ada@example.org",
                "ada@example.org",
                {"name": "ada"},
                {"name": "Ada Lovelace"},
            )
        ]
    assert members_log(store, apart) == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": ""},
        {"name": " "},
        {"name": None},
        {"name": "x" * 256},
        {"name": "a\nb"},
        {"email": "b@x.org"},
    ],
)
def test_an_invalid_name_is_refused(store: ControlStore, acme: str, client: Client, body: Any) -> None:
    ada = client(join(store, acme, Role.MEMBER))
    answer = ada.patch("/auth/account", json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, 3), answer.text
    assert [one.action for one in members_log(store, acme)] == []
    assert members.member(store, acme, ok(ada.get("/auth/account"))["id"]).name.startswith("person")
