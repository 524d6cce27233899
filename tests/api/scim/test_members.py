"""Users of a directory become members, and stop being members, by the rules of the organization."""

from typing import Any

import httpx
from scim2_models import EnterpriseUser, ScimProvider, User

from api.control.permissions import Role
from api.control.store import ControlStore
from tests.api.conftest import ROOT, client_for
from tests.api.people import sign_in
from tests.api.published_facts import ORGANIZATION
from tests.api.scim.directories import OfficialClient, role_of, with_owner


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
