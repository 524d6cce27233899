"""Dialogues of Microsoft Entra ID, as its documentation and threads about it have them.

Sources: learn.microsoft.com, "Develop and plan provisioning for a SCIM endpoint" (requests of users and groups) and
"Known issues with SCIM 2.0 compliance" (what it sends without the flag `aadOptscim062020`).
"""

from typing import Any

import httpx
import pytest

from api.control.principals import OPERATOR
from api.control.store import ControlStore
from api.control.teams.teams import create_team
from tests.api.published_facts import ORGANIZATION
from tests.api.scim.dialogues import (
    delete,
    get,
    in_team,
    members,
    missing,
    none_found,
    patch,
    post,
    replay,
    verify,
)
from tests.api.scim.directories import ENTERPRISE

CORE = "urn:ietf:params:scim:schemas:core:2.0:User"
GROUP_SCHEMAS = [
    "urn:ietf:params:scim:schemas:core:2.0:Group",
    "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group",
]


def entra_user(name: str, /, **attributes: Any) -> dict[str, Any]:
    return {
        "schemas": [CORE, ENTERPRISE],
        "externalId": name.partition("@")[0],
        "userName": name,
        "active": True,
        "emails": [{"primary": True, "type": "work", "value": name}],
        "meta": {"resourceType": "User"},
        "name": {"formatted": "Given Family", "familyName": "Family", "givenName": "Given"},
        "roles": [],
    } | attributes


def test_a_connection_is_tried_with_a_user_that_does_not_exist(directory: httpx.Client) -> None:
    replay(
        directory,
        none_found("/Users", 'userName eq "f0f2f1b9-4a1b-4d39-8f3f-8d7dc8b3b3c1"'),
        get("/ServiceProviderConfig", has={"patch": {"supported": True}, "filter": {"supported": True}}),
        get("/Schemas", has={"schemas": ["urn:ietf:params:scim:api:messages:2.0:ListResponse"]}),
        get("/ResourceTypes", has={"totalResults": 2}),
        missing("/Users/5171a35d82074e068ce2"),
    )


def test_a_user_is_created_found_changed_disabled_and_deleted(
    directory: httpx.Client, kept: ControlStore
) -> None:
    name = "test_user_1@acme.example"
    found = replay(
        directory,
        none_found("/Users", f'userName eq "{name}"'),
        post("/Users", entra_user(name), has={"userName": name, "active": True}, keep={"id": "id"}),
        get("/Users/{id}", has={"id": "{id}", "emails": [{"value": name, "type": "work"}]}),
        get(
            "/Users",
            query={"filter": f'userName eq "{name.upper()}"'},
            has={"totalResults": 1, "Resources": [{"id": "{id}"}]},
        ),
        get("/Users", query={"filter": 'externalId eq "test_user_1"'}, has={"totalResults": 1}),
        # The same user again, from a run that lost the answer.
        post("/Users", entra_user(name), status=409, has={"scimType": "uniqueness", "status": "409"}),
        patch(
            "/Users/{id}",
            {"op": "Replace", "path": 'emails[type eq "work"].value', "value": "updated@acme.example"},
            {"op": "Replace", "path": "name.familyName", "value": "updatedFamilyName"},
            has={
                "emails": [{"value": "updated@acme.example"}],
                "name": {"familyName": "updatedFamilyName", "givenName": "Given"},
            },
        ),
        patch(
            "/Users/{id}",
            {"op": "Replace", "path": "userName", "value": "renamed@acme.example"},
            has={"userName": "renamed@acme.example"},
        ),
    )
    assert members(kept, ORGANIZATION)["updated@acme.example"] == "viewer"
    replay(
        directory,
        patch("/Users/{id}", {"op": "Replace", "path": "active", "value": False}, has={"active": False}),
        # A soft-deleted user is still found.
        get("/Users", query={"filter": 'userName eq "renamed@acme.example"'}, has={"totalResults": 1}),
        **found,
    )
    assert "updated@acme.example" not in members(kept, ORGANIZATION)
    replay(
        directory,
        delete("/Users/{id}"),
        missing("/Users/{id}"),
        delete("/Users/{id}", status=404),
        none_found("/Users", 'userName eq "renamed@acme.example"'),
        **found,
    )


@pytest.mark.parametrize("off", ["False", "false", False])
@pytest.mark.parametrize("on", ["True", True])
def test_a_user_is_switched_off_and_on_by_texts_too(
    directory: httpx.Client, kept: ControlStore, off: object, on: object
) -> None:
    name = f"switched-{off!r}-{on!r}@acme.example".replace("'", "").lower()
    found = replay(
        directory,
        post("/Users", entra_user(name), keep={"id": "id"}),
        patch("/Users/{id}", {"op": "Replace", "path": "active", "value": off}, has={"active": False}),
    )
    assert name not in members(kept, ORGANIZATION)
    replay(
        directory,
        patch("/Users/{id}", {"op": "Replace", "path": "active", "value": on}, has={"active": True}),
        **found,
    )
    assert members(kept, ORGANIZATION)[name] == "viewer"
    # Nor does a text without a path.
    replay(
        directory,
        patch("/Users/{id}", {"op": "replace", "value": {"active": off}}, has={"active": False}),
        delete("/Users/{id}"),
        **found,
    )


def test_attributes_come_as_dotted_keys_without_a_path(directory: httpx.Client) -> None:
    replay(
        directory,
        post("/Users", entra_user("dotted@acme.example"), keep={"id": "id"}),
        patch(
            "/Users/{id}",
            {
                "op": "Replace",
                "value": {
                    "displayName": "Dotted Keys",
                    "name.givenName": "Dotted",
                    "name.familyName": "Keys",
                    "title": "Engineer",
                    f"{ENTERPRISE}:department": "Research",
                    f"{ENTERPRISE}:employeeNumber": "701984",
                },
            },
            has={
                "displayName": "Dotted Keys",
                "name": {"givenName": "Dotted", "familyName": "Keys"},
                "title": "Engineer",
                ENTERPRISE: {"department": "Research", "employeeNumber": "701984"},
            },
        ),
    )


def test_value_paths_make_what_is_absent(directory: httpx.Client) -> None:
    bare = entra_user("absent@acme.example")
    del bare["emails"]
    replay(
        directory,
        post("/Users", bare, keep={"id": "id"}),
        patch(
            "/Users/{id}",
            {"op": "Add", "path": 'emails[type eq "work"].value', "value": "absent@acme.example"},
            {"op": "Add", "path": 'phoneNumbers[type eq "mobile"].value', "value": "+49 30 1"},
            {"op": "Add", "path": 'addresses[type eq "work"].streetAddress', "value": "1 Street"},
            {"op": "Replace", "path": 'addresses[type eq "work"].locality', "value": "Berlin"},
            has={
                "emails": [{"type": "work", "value": "absent@acme.example"}],
                "phoneNumbers": [{"type": "mobile", "value": "+49 30 1"}],
                "addresses": [{"type": "work", "streetAddress": "1 Street", "locality": "Berlin"}],
            },
        ),
        # A change touches its match alone.
        patch(
            "/Users/{id}",
            {"op": "Add", "path": 'emails[type eq "home"].value', "value": "home@acme.example"},
            {"op": "Replace", "path": 'emails[type eq "home"].value', "value": "other@acme.example"},
            has={
                "emails": [
                    {"type": "work", "value": "absent@acme.example"},
                    {"type": "home", "value": "other@acme.example"},
                ]
            },
        ),
        # Removing what is not there removes nothing.
        patch(
            "/Users/{id}",
            {"op": "Remove", "path": 'phoneNumbers[type eq "fax"]'},
            has={"phoneNumbers": [{"type": "mobile"}]},
        ),
    )


@pytest.mark.parametrize("path", [f"{ENTERPRISE}:manager", "manager"])
def test_a_manager_is_a_plain_text(directory: httpx.Client, path: str) -> None:
    suffix = len(path)
    replay(
        directory,
        post("/Users", entra_user(f"boss{suffix}@acme.example"), keep={"boss": "id"}),
        post("/Users", entra_user(f"report{suffix}@acme.example"), keep={"id": "id"}),
        patch(
            "/Users/{id}",
            {"op": "Add", "path": f"{ENTERPRISE}:manager", "value": "{boss}"},
            has={ENTERPRISE: {"manager": {"value": "{boss}"}}},
        ),
        patch("/Users/{id}", {"op": "Replace", "path": path, "value": ""}),
        get("/Users/{id}", lacks=("manager",)),
    )


def test_a_role_comes_as_a_text_in_a_value_path(directory: httpx.Client, kept: ControlStore) -> None:
    name = "roles@acme.example"
    found = replay(
        directory,
        post("/Users", entra_user(name), keep={"id": "id"}),
        patch("/Users/{id}", {"op": "Add", "path": 'roles[primary eq "True"].value', "value": "Member"}),
    )
    assert members(kept, ORGANIZATION)[name] == "member"
    # It never makes an owner or an admin.
    for role in ("Owner", "Admin"):
        replay(
            directory,
            patch("/Users/{id}", {"op": "Replace", "path": 'roles[primary eq "True"].value', "value": role}),
            **found,
        )
        assert members(kept, ORGANIZATION)[name] in {"member", "viewer"}


def test_user_names_of_local_domains_are_taken(directory: httpx.Client, kept: ControlStore) -> None:
    replay(directory, post("/Users", entra_user("ada@corp.local"), has={"userName": "ada@corp.local"}))
    assert members(kept, ORGANIZATION)["ada@corp.local"] == "viewer"


def test_a_group_is_created_renamed_and_deleted(directory: httpx.Client) -> None:
    body = {
        "schemas": GROUP_SCHEMAS,
        "externalId": "8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159",
        "displayName": "displayName",
        "meta": {"resourceType": "Group"},
    }
    replay(
        directory,
        none_found("/Groups", 'displayName eq "displayName"', excludedAttributes="members"),
        post("/Groups", body, has={"displayName": "displayName"}, keep={"id": "id"}),
        get("/Groups/{id}", query={"excludedAttributes": "members"}, has={"id": "{id}"}, lacks=("members",)),
        get(
            "/Groups",
            query={"excludedAttributes": "members", "filter": 'displayName eq "displayName"'},
            has={"totalResults": 1, "Resources": [{"id": "{id}", "externalId": body["externalId"]}]},
        ),
        patch(
            "/Groups/{id}",
            {
                "op": "Replace",
                "path": "displayName",
                "value": "1879db59-3bdf-4490-ad68-ab880a269474updatedDisplayName",
            },
            status=204,
        ),
        get("/Groups/{id}", has={"displayName": "1879db59-3bdf-4490-ad68-ab880a269474updatedDisplayName"}),
        delete("/Groups/{id}"),
        missing("/Groups/{id}"),
    )


@pytest.mark.parametrize("form", ["values", "filters"])
def test_members_are_added_and_removed_in_both_forms(
    directory: httpx.Client, kept: ControlStore, form: str
) -> None:
    team = f"Team by {form}"
    create_team(kept, OPERATOR, ORGANIZATION, team)
    ada, lin = f"ada-{form}@acme.example", f"lin-{form}@acme.example"

    def removal(member: str) -> dict[str, Any]:
        if form == "values":
            return {"op": "Remove", "path": "members", "value": [{"$ref": None, "value": member}]}
        return {"op": "Remove", "path": f'members[value eq "{member}"]'}

    found = replay(
        directory,
        post("/Users", entra_user(ada), keep={"ada": "id"}),
        post("/Users", entra_user(lin), keep={"lin": "id"}),
    )
    verify(kept, ada, lin)
    found = replay(
        directory,
        post("/Groups", {"schemas": GROUP_SCHEMAS, "displayName": team}, keep={"group": "id"}),
        patch(
            "/Groups/{group}",
            {"op": "Add", "path": "members", "value": [{"$ref": None, "value": "{ada}"}]},
            {"op": "Add", "path": "members", "value": [{"value": "{lin}"}]},
            # Once more, as after a lost answer.
            {"op": "Add", "path": "members", "value": [{"value": "{lin}"}]},
            status=204,
        ),
        get(
            "/Groups",
            query={"filter": 'id eq "{group}" and members[value eq "{ada}"]'},
            has={"totalResults": 1},
        ),
        get(
            "/Groups",
            query={"filter": 'id eq "{group}" and members eq "{ada}"', "attributes": "id"},
            has={"totalResults": 1},
        ),
        **found,
    )
    assert {one: in_team(kept, ORGANIZATION, team, one) for one in (ada, lin)} == {ada: True, lin: True}
    replay(directory, patch("/Groups/{group}", removal("{ada}"), status=204), **found)
    assert {one: in_team(kept, ORGANIZATION, team, one) for one in (ada, lin)} == {ada: False, lin: True}
    replay(
        directory,
        # Nobody is removed by the id of nobody, and by one who has left already.
        patch("/Groups/{group}", removal("{ada}"), status=204),
        patch("/Groups/{group}", removal("00000000-0000-0000-0000-000000000000"), status=204),
        get("/Groups/{group}", has={"members": [{"value": "{lin}"}]}),
        # Deactivation ends the membership of the team; the group keeps its member.
        patch("/Users/{lin}", {"op": "Replace", "path": "active", "value": "False"}),
        **found,
    )
    assert not in_team(kept, ORGANIZATION, team, lin)
    assert lin not in members(kept, ORGANIZATION)
    replay(
        directory,
        patch("/Users/{lin}", {"op": "Replace", "path": "active", "value": "True"}),
        **found,
    )
    assert members(kept, ORGANIZATION)[lin] == "viewer"
    assert in_team(kept, ORGANIZATION, team, lin)


def test_a_user_deleted_for_good_comes_back_as_a_new_one(directory: httpx.Client, kept: ControlStore) -> None:
    name = "returning@acme.example"
    first = replay(
        directory,
        post("/Users", entra_user(name), keep={"id": "id"}),
        patch("/Users/{id}", {"op": "Replace", "path": "active", "value": "False"}),
        delete("/Users/{id}"),
    )
    assert name not in members(kept, ORGANIZATION)
    second = replay(directory, post("/Users", entra_user(name), keep={"id": "id"}))
    assert second["id"] != first["id"]
    assert members(kept, ORGANIZATION)[name] == "viewer"
