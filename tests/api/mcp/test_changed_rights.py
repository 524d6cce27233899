"""Rights that change while an assistant is connected, and settings that hide figures: the next answer follows them."""

import asyncio
import os

import pytest
from mcp import Client, StdioServerParameters, types

from api.control.accounts.tokens import create_token
from tests.api.conftest import ROOT, Deployment, client_for, serving
from tests.api.mcp.asking import called, found_by, text_of
from tests.api.mcp.test_protocol import INITIALIZE, post
from tests.api.mcp.test_stdio import EAS
from tests.api.people import join, principal, sign_in
from tests.api.published_facts import ORGANIZATION

SECONDS = 60


@pytest.fixture
def small(deployment: Deployment) -> Deployment:
    deployment.publish()
    return deployment


def test_the_key_of_a_removed_member_is_refused(small: Deployment) -> None:
    owner = sign_in(small.store, join(small.store, ORGANIZATION, "owner"))
    member = join(small.store, ORGANIZATION, "member")
    key = create_token(small.store, ORGANIZATION, "theirs", actor=principal(small.store, member)).key
    with serving(small.data_dir) as address, client_for(address, owner) as client:
        assert found_by(address, key, "list_teams")["teams"]
        listed = client.get(f"{ROOT}/members").json()["members"]
        [removed] = [one for one in listed if one["role"] == "MEMBER"]
        assert client.delete(f"{ROOT}/members/{removed['id']}").status_code == 200
        assert post(address, key, INITIALIZE).status_code == 401


def test_columns_about_ai_that_are_switched_off_are_hidden_from_assistants(small: Deployment) -> None:
    owner = sign_in(small.store, join(small.store, ORGANIZATION, "owner"))
    key = small.key()
    with serving(small.data_dir) as address, client_for(address, owner) as client:
        asked = {"metrics": ["etv", "aiShareAtLeast", "aiCost"]}
        assert any(one["aiShareAtLeast"] for one in found_by(address, key, "list_teams", **asked)["teams"])
        settings = client.get(f"{ROOT}/settings").json()
        switches = {name: False for name in settings if name.startswith("hasAi") and settings[name] is True}
        assert switches, settings
        assert client.patch(f"{ROOT}/settings", json=switches).status_code == 200
        for one in found_by(address, key, "list_teams", **asked)["teams"]:
            assert one.get("aiShareAtLeast") is None
            assert one.get("aiCost") is None
        assert called(address, key, "list_ai_spend", groupBy="TEAM").is_error
        assert called(address, key, "query_metrics", groupBy="TEAM", metrics=["aiCost"]).is_error


def test_a_bridge_says_that_its_key_was_revoked(small: Deployment) -> None:
    owner = sign_in(small.store, join(small.store, ORGANIZATION, "owner"))
    made = create_token(small.store, ORGANIZATION, "bridge")
    environment = dict(os.environ) | {"EAS_API_KEY": made.key}

    async def ask() -> list[str]:
        texts = []
        with serving(small.data_dir) as address:
            command = StdioServerParameters(command=EAS[0], args=[*EAS[1:], address], env=environment)
            async with Client(command) as client:
                first = await client.call_tool("list_teams", {})
                assert isinstance(first, types.CallToolResult)
                assert not first.is_error
                with client_for(address, owner) as http:
                    [listed] = [
                        one for one in http.get(f"{ROOT}/tokens").json()["tokens"] if one["name"] == "bridge"
                    ]
                    assert http.delete(f"{ROOT}/tokens/{listed['id']}").status_code == 200
                refused = await client.call_tool("list_teams", {})
                assert isinstance(refused, types.CallToolResult)
                assert refused.is_error
                texts.append(text_of(refused))
        return texts

    [revoked] = asyncio.run(asyncio.wait_for(ask(), SECONDS))
    assert revoked == "the API key is unknown or was revoked; create another"
