"""Users of a directory become members, and stop being members, by the rules of the organization."""

from typing import Any

import httpx
from scim2_models import EnterpriseUser, ScimProvider, User
from sqlalchemy import select

from api.control.accounts.invitations import InvitationRecord, accept_invitation, pending
from api.control.accounts.tokens import create_token
from api.control.list_pages import ListQuery
from api.control.models import Account, Invitation
from api.control.permissions import Role
from api.control.principals import OPERATOR
from api.control.snapshot.identities import mailbox_id
from api.control.store import ControlStore
from api.control.teams.leads import add_lead, list_leads
from api.control.teams.teams import create_team
from api.control.visibility import address_key
from tests.api.conftest import ROOT, client_for
from tests.api.people import account_of, make_account, principal, sign_in, stored
from tests.api.published_facts import ORGANIZATION
from tests.api.scim.directories import (
    OfficialClient,
    created,
    directory_client,
    entries,
    patched,
    role_of,
    token_for,
    user,
    with_owner,
)

MEMBER_ROLE = {"value": "member", "primary": True}


def kept_account(store: ControlStore, account_id: str) -> Account:
    with store.session() as session:
        return session.get_one(Account, account_id)


def look_up_pending(store: ControlStore, invitation_id: str) -> InvitationRecord:
    found = pending(store, invitation_id)
    assert found is not None
    return found


def reads(address: str, credential: str) -> int:
    """The status of a read of the organization with a credential."""
    with client_for(address, credential) as client:
        return client.get(ROOT).status_code


def test_a_user_of_the_official_client_is_in_the_list_of_members(
    directory: httpx.Client, kept: ControlStore, served: str
) -> None:
    official = OfficialClient(directory, provider=ScimProvider(models=[User, EnterpriseUser]))
    made: Any = official.create(User(user_name="ada@acme.example", display_name="Ada Lovelace"))
    assert made.meta.version == 'W/"1"'
    with client_for(served, sign_in(kept, with_owner(kept, ORGANIZATION))) as owner:
        members = owner.get(f"{ROOT}/members").json()["members"]
    assert ("ada@acme.example", "Ada Lovelace", "VIEWER") in [
        (one["email"], one["name"], one["role"]) for one in members
    ]
    assert role_of(kept, ORGANIZATION, "ada@acme.example") is Role.VIEWER


def test_roles_of_the_directory_are_given_up_to_member(directory: httpx.Client, kept: ControlStore) -> None:
    for name, roles, given in [
        ("m", [{"value": "Member"}], Role.MEMBER),
        ("l", [{"value": "viewer"}, {"value": "Team lead", "primary": True}], Role.TEAM_LEAD),
        ("o", [{"value": "owner"}], Role.VIEWER),
        ("a", [{"value": "admin"}], Role.VIEWER),
    ]:
        created(directory, user(f"role-{name}@acme.example", roles=roles))
        assert role_of(kept, ORGANIZATION, f"role-{name}@acme.example") is given


def test_deactivation_ends_sessions_keys_and_leads_and_reactivation_gives_the_role_back(
    directory: httpx.Client, kept: ControlStore, served: str
) -> None:
    made = created(directory, user("leaver@acme.example", roles=[{"value": "member"}]))
    account = account_of(kept, "leaver@acme.example")
    assert account is not None
    key = create_token(kept, ORGANIZATION, "ci", actor=principal(kept, account.id)).key
    team = create_team(kept, OPERATOR, ORGANIZATION, "Leavers")
    add_lead(kept, OPERATOR, ORGANIZATION, team.id, account.id)
    session = sign_in(kept, account.id)
    assert [reads(served, one) for one in (key, session)] == [200, 200]

    answer = patched(directory, f"/Users/{made['id']}", {"op": "Replace", "path": "active", "value": "False"})
    assert answer.json()["active"] is False
    assert role_of(kept, ORGANIZATION, "leaver@acme.example") is None
    assert [reads(served, one) for one in (key, session)] == [401, 401]
    assert not list_leads(kept, ORGANIZATION, ListQuery(10), team.id).items

    # Okta puts whole users; one without `active` says nothing about it.
    directory.put(f"/Users/{made['id']}", json=user("leaver@acme.example", roles=[{"value": "member"}]))
    assert role_of(kept, ORGANIZATION, "leaver@acme.example") is None
    patched(directory, f"/Users/{made['id']}", {"op": "replace", "value": {"active": True}})
    assert role_of(kept, ORGANIZATION, "leaver@acme.example") is Role.MEMBER
    assert [reads(served, one) for one in (key, session)] == [401, 401]


def test_the_last_owner_stays(served: str, kept: ControlStore) -> None:
    alone = kept.ensure_organization("Alone", slug="alone").id
    owner = kept_account(kept, with_owner(kept, alone))
    with directory_client(served, token_for(kept, alone)) as client:
        made = created(client, user(owner.email, roles=[{"value": "viewer"}]))
        for answer in (
            patched(client, f"/Users/{made['id']}", {"op": "replace", "path": "active", "value": False}),
            patched(client, f"/Users/{made['id']}", {"op": "add", "path": "roles", "value": [MEMBER_ROLE]}),
            client.delete(f"/Users/{made['id']}"),
        ):
            assert answer.status_code == 403, answer.text
            assert "last owner" in answer.json()["detail"]
            assert answer.headers["content-type"] == "application/scim+json"
        assert role_of(kept, alone, owner.email) is Role.OWNER
        assert client.get(f"/Users/{made['id']}").json()["active"] is True


def test_an_account_of_somebody_is_invited_and_never_changed(
    directory: httpx.Client, kept: ControlStore, served: str
) -> None:
    account_id = make_account(kept, "own@person.example")
    before = kept_account(kept, account_id)
    made = created(directory, user("own@person.example", displayName="Another name"))
    assert role_of(kept, ORGANIZATION, "own@person.example") is None
    with kept.session() as session:
        [waiting] = session.scalars(
            select(Invitation).where(Invitation.email_key == "own@person.example")
        ).all()
    directory.put(f"/Users/{made['id']}", json=user("own@person.example", displayName="Third name"))
    token = look_up_pending(kept, waiting.id).token
    accept_invitation(kept, principal(kept, account_id), token)
    assert role_of(kept, ORGANIZATION, "own@person.example") is Role.VIEWER
    directory.put(f"/Users/{made['id']}", json=user("other@person.example", displayName="Fourth name"))
    after = kept_account(kept, account_id)
    assert (after.email, after.name, after.password_hash) == (before.email, before.name, before.password_hash)
    patched(directory, f"/Users/{made['id']}", {"op": "replace", "path": "active", "value": False})
    assert role_of(kept, ORGANIZATION, "own@person.example") is None


def test_a_directory_touches_the_membership_of_its_own_organization_alone(
    directory: httpx.Client, kept: ControlStore, served: str
) -> None:
    other = kept.ensure_organization("Other", slug="other").id
    with directory_client(served, token_for(kept, other)) as client:
        here = created(client, user("both@person.example", displayName="Both"))
        there = created(directory, user("both@person.example", displayName="Somebody else"))
        account = account_of(kept, "both@person.example")
        assert account is not None
        assert account.name == "Both"
        assert client.get(f"/Users/{there['id']}").status_code == 404
        assert client.delete(f"/Users/{there['id']}").status_code == 404
        directory.put(f"/Users/{there['id']}", json=user("moved@person.example", displayName="Moved"))
        assert directory.delete(f"/Users/{there['id']}").status_code == 204
        assert role_of(kept, other, "both@person.example") is Role.VIEWER
        assert role_of(kept, ORGANIZATION, "both@person.example") is None
        # The account is the other directory's own again, which may rename it.
        client.put(f"/Users/{here['id']}", json=user("both@person.example", displayName="Renamed"))
        assert kept_account(kept, account.id).name == "Renamed"


def test_an_account_with_an_unproven_password_is_not_let_in(
    directory: httpx.Client, kept: ControlStore
) -> None:
    squatter = make_account(kept, "squatted@acme.example")
    with kept.session() as session:
        row = session.get_one(Account, squatter)
        row.verified_at, row.password_hash = None, "a hash"
    created(directory, user("squatted@acme.example"))
    assert role_of(kept, ORGANIZATION, "squatted@acme.example") is None


def test_a_user_is_joined_to_the_developer_of_the_address(
    directory: httpx.Client, kept: ControlStore
) -> None:
    created(directory, user("Dev@acme.example"))
    rows = kept.snapshot(ORGANIZATION)["member_mailboxes"]
    assert mailbox_id(ORGANIZATION, "dev@acme.example") in {row["mailbox_id"] for row in rows}
    account = account_of(kept, "dev@acme.example")
    assert account is not None
    [membership] = principal(kept, account.id).memberships
    assert membership.visibility.own_key == address_key(ORGANIZATION, "dev@acme.example")


def test_an_id_of_the_client_never_overwrites_another_user(directory: httpx.Client) -> None:
    first = created(directory, user("first@acme.example"))
    second = created(directory, user("second@acme.example", id=first["id"]))
    assert second["id"] != first["id"]
    directory.put(f"/Users/{second['id']}", json=user("second@acme.example", id=first["id"], title="Mover"))
    assert "title" not in directory.get(f"/Users/{first['id']}").json()
    answer = directory.post("/Users", json=user("FIRST@acme.example"))
    assert (answer.status_code, answer.json()["scimType"]) == (409, "uniqueness")


def test_changes_are_in_the_log_as_acts_of_the_directory(served: str, kept: ControlStore) -> None:
    logged = kept.ensure_organization("Logged", slug="logged").id
    with_owner(kept, logged)
    with directory_client(served, token_for(kept, logged, "Okta of Acme")) as client:
        made = created(client, user("logged@acme.example"))
        patched(client, f"/Users/{made['id']}", {"op": "replace", "path": "active", "value": False})
    acts = [(one.actor_kind, one.actor_name, one.action) for one in entries(kept, logged)[1:]]
    assert acts == [
        ("directory", "Okta of Acme", "members.create"),
        ("directory", "Okta of Acme", "members.deactivate"),
    ]


def test_a_refused_change_leaves_nothing_behind(directory: httpx.Client, kept: ControlStore) -> None:
    created(directory, user("kept@acme.example"))
    before = stored(kept)
    assert (
        directory.post("/Users", json=user("new", emails=[{"value": "kept@acme.example"}])).status_code == 409
    )
    assert stored(kept) == before
