"""Dialogues of Okta, as its documentation and threads about it have them.

Sources: developer.okta.com, "Okta and SCIM Version 2.0" (requests of users and pushed groups), and threads about apps
of the wizard, which send whole users, and apps of the catalogue, which send changes.
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
    put,
    replay,
    verify,
)

CORE = "urn:ietf:params:scim:schemas:core:2.0:User"
GROUP = "urn:ietf:params:scim:schemas:core:2.0:Group"


def okta_user(name: str, /, **attributes: Any) -> dict[str, Any]:
    return {
        "schemas": [CORE],
        "userName": name,
        "name": {"givenName": "Test", "familyName": "User"},
        "emails": [{"primary": True, "value": name, "type": "work"}],
        "displayName": "Test User",
        "locale": "en-US",
        "externalId": f"00u-{name.partition('@')[0]}",
        "groups": [],
        "password": "1mz050nq",
        "active": True,
    } | attributes


def stored_user(name: str, /, **attributes: Any) -> dict[str, Any]:
    """A whole user, as Okta sends it back with changes: without the password, with the service's id."""
    whole = okta_user(name, id="{id}", meta={"resourceType": "User"}, **attributes)
    del whole["password"]
    return whole


def test_the_application_is_tried_by_the_first_two_users_and_a_hundred_groups(
    directory: httpx.Client,
) -> None:
    replay(
        directory,
        get("/Users", query={"startIndex": "1", "count": "2"}, has={"startIndex": 1}),
        get("/Groups", query={"startIndex": "1", "count": "100"}, has={"startIndex": 1}),
        none_found("/Users", 'userName eq "nobody@okta.local"', startIndex="1", count="100"),
        missing("/Users/00u-unknown"),
    )


def test_a_wizards_app_sends_whole_users(directory: httpx.Client, kept: ControlStore) -> None:
    name = "test.user@okta.local"
    found = replay(
        directory,
        none_found("/Users", f'userName eq "{name}"', startIndex="1", count="100"),
        post(
            "/Users",
            okta_user(name),
            has={"userName": name, "active": True},
            lacks=("password",),
            keep={"id": "id"},
        ),
        get("/Users/{id}", has={"id": "{id}", "displayName": "Test User"}, lacks=("password",)),
        put(
            "/Users/{id}",
            stored_user(name, name={"givenName": "Another", "middleName": "Excited", "familyName": "User"}),
            has={"name": {"givenName": "Another", "middleName": "Excited"}, "active": True},
        ),
    )
    assert members(kept, ORGANIZATION)[name] == "viewer"
    silent = stored_user(name)
    del silent["active"]
    replay(
        directory,
        # A user without `active` stays what it is.
        put("/Users/{id}", silent, has={"active": True}),
        # An id that the client sends changes nothing.
        put("/Users/{id}", stored_user(name) | {"id": "another"}, has={"id": "{id}"}),
        **found,
    )
    assert members(kept, ORGANIZATION)[name] == "viewer"
    replay(
        directory,
        get("/Users/{id}", has={"active": True}),
        put("/Users/{id}", stored_user(name, active=False), has={"active": False}),
        put("/Users/{id}", silent, has={"active": False}),
        **found,
    )
    assert name not in members(kept, ORGANIZATION)
    # Somebody is assigned again: found by name, and sent whole.
    replay(
        directory,
        get(
            "/Users",
            query={"filter": f'userName eq "{name}"', "startIndex": "1", "count": "100"},
            has={"totalResults": 1, "Resources": [{"id": "{id}", "active": False}]},
        ),
        put("/Users/{id}", stored_user(name), has={"active": True}),
        **found,
    )
    assert members(kept, ORGANIZATION)[name] == "viewer"


def test_a_catalogue_app_sends_changes(directory: httpx.Client, kept: ControlStore) -> None:
    name = "catalogue@okta.local"
    found = replay(
        directory,
        post("/Users", okta_user(name), keep={"id": "id"}),
        # It reads the user in the answer.
        patch(
            "/Users/{id}", {"op": "replace", "value": {"active": False}}, has={"id": "{id}", "active": False}
        ),
    )
    assert name not in members(kept, ORGANIZATION)
    replay(
        directory,
        patch("/Users/{id}", {"op": "replace", "value": {"active": True}}, has={"active": True}),
        # A password that it syncs is not kept, and no error.
        patch("/Users/{id}", {"op": "replace", "value": {"password": "7ElRqAdV"}}, lacks=("password",)),
        **found,
    )
    assert members(kept, ORGANIZATION)[name] == "viewer"


def test_a_user_of_the_same_name_is_a_conflict(directory: httpx.Client) -> None:
    replay(
        directory,
        post("/Users", okta_user("twice@okta.local")),
        post("/Users", okta_user("Twice@okta.local"), status=409, has={"scimType": "uniqueness"}),
    )


def test_a_group_that_is_pushed_again_is_a_conflict(directory: httpx.Client) -> None:
    group = {"schemas": [GROUP], "displayName": "Pushed twice", "members": []}
    replay(
        directory,
        post("/Groups", group),
        post("/Groups", group, status=409, has={"scimType": "uniqueness"}),
        # Entra has groups of the same name, with ids of its own.
        post("/Groups", group | {"externalId": "1"}),
        post("/Groups", group | {"externalId": "2"}),
        post("/Groups", group | {"externalId": "2", "displayName": "Other"}, status=409),
    )


def test_a_group_is_pushed_renamed_and_removed(directory: httpx.Client) -> None:
    replay(
        directory,
        none_found("/Groups", 'displayName eq "Test SCIMv2"', startIndex="1", count="100"),
        post(
            "/Groups",
            {"schemas": [GROUP], "displayName": "Test SCIMv2", "members": []},
            has={"displayName": "Test SCIMv2"},
            keep={"id": "id"},
        ),
        get("/Groups/{id}", has={"id": "{id}"}),
        patch(
            "/Groups/{id}",
            {"op": "replace", "value": {"id": "{id}", "displayName": "Test SCIMv20"}},
            status=204,
        ),
        get("/Groups", query={"filter": 'displayName eq "Test SCIMv20"'}, has={"totalResults": 1}),
        none_found("/Groups", 'displayName eq "Test SCIMv2"'),
        delete("/Groups/{id}"),
        missing("/Groups/{id}"),
    )


def test_the_members_of_a_pushed_group_are_those_of_the_team(
    directory: httpx.Client, kept: ControlStore
) -> None:
    create_team(kept, OPERATOR, ORGANIZATION, "Pushed")
    emails = [f"pushed{number}@acme.example" for number in range(3)]
    found = replay(
        directory,
        *(post("/Users", okta_user(email), keep={f"u{n}": "id"}) for n, email in enumerate(emails)),
    )
    verify(kept, *emails)

    def team() -> list[bool]:
        return [in_team(kept, ORGANIZATION, "Pushed", email) for email in emails]

    def member(name: str) -> dict[str, str]:
        # Without a type, which other services need.
        return {"value": f"{{{name}}}", "display": "somebody@acme.example"}

    found = replay(
        directory,
        post("/Groups", {"schemas": [GROUP], "displayName": "Pushed", "members": []}, keep={"group": "id"}),
        patch(
            "/Groups/{group}",
            {"op": "add", "path": "members", "value": [member("u0"), member("u1")]},
            status=204,
        ),
        **found,
    )
    assert team() == [True, True, False]
    replay(
        directory,
        patch(
            "/Groups/{group}",
            {"op": "remove", "path": 'members[value eq "{u0}"]'},
            {"op": "add", "path": "members", "value": [member("u2")]},
            status=204,
        ),
        # A replacement of something else, and a rename, keep the members.
        patch("/Groups/{group}", {"op": "replace", "path": "externalId", "value": "x"}, status=204),
        patch(
            "/Groups/{group}",
            {"op": "replace", "value": {"id": "{group}", "displayName": "Pushed on"}},
            status=204,
        ),
        **found,
    )
    assert team() == [False, True, True]
    replay(
        directory,
        patch("/Groups/{group}", {"op": "replace", "path": "members", "value": [member("u2")]}, status=204),
        **found,
    )
    assert team() == [False, False, True]
    replay(
        directory,
        put(
            "/Groups/{group}",
            {"schemas": [GROUP], "id": "{group}", "displayName": "Pushed on", "members": [member("u1")]},
            has={"members": [{"value": "{u1}"}]},
        ),
        **found,
    )
    assert team() == [False, True, False]
    replay(
        directory,
        patch(
            "/Groups/{group}",
            {"op": "replace", "value": {"members": [], "id": "{group}", "displayName": "Pushed on"}},
            status=204,
        ),
        get("/Groups/{group}", lacks=("members",)),
        **found,
    )
    assert team() == [False, False, False]


@pytest.mark.parametrize("count", ["0", "1", "2", "200", "5000"])
def test_an_import_pages_through_all_users(directory: httpx.Client, count: str) -> None:
    total = directory.get("/Users").json()["totalResults"]
    found: list[str] = []
    while len(found) < total:
        page = directory.get("/Users", params={"startIndex": len(found) + 1, "count": count}).json()
        assert page["totalResults"] == total
        ids = [one["id"] for one in page.get("Resources", [])]
        assert len(ids) <= int(count)
        if count == "0":
            assert not ids
            return
        assert ids
        found += ids
    assert len(set(found)) == total
