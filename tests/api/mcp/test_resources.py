"""Resources and prompts."""

import json
import re
from typing import Any

import pytest
from mcp import Client, types
from mcp.shared.exceptions import MCPError

from api.control.accounts.tokens import create_token
from api.mcp.prompts import PROMPTS
from api.mcp.resources import RESOURCES
from api.mcp.tools import TOOLS
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.mcp.asking import MODES, asked
from tests.api.people import principal
from tests.api.published_facts import ORGANIZATION
from tests.api.scoped_deployment import make_lead


def read(address: str, key: str, uri: str, mode: str = "auto") -> Any:
    async def ask(client: Client) -> Any:
        try:
            found = await client.read_resource(uri)
        except MCPError as error:
            return error.message
        [content] = found.contents
        assert isinstance(content, types.TextResourceContents)
        return json.loads(content.text)

    return asked(address, key, ask, mode=mode)


@pytest.mark.parametrize("mode", MODES)
def test_resources_are_what_rest_gives(published: Deployment, address: str, mode: str) -> None:
    key = published.key()
    with client_for(address, key) as client:
        assert read(address, key, "eas://metrics", mode) == client.get(f"{ROOT}/metrics:describe").json()
        assert read(address, key, "eas://organization", mode) == client.get(ROOT).json()
        settings = client.get(f"{ROOT}/settings").json()
    context = read(address, key, "eas://context", mode)
    assert context["timeZone"] == settings["timeZone"]
    assert set(context) == set(RESOURCES["eas://context"].fields)
    assert context.items() <= settings.items()


def test_there_are_no_templates_of_resources(published: Deployment, address: str) -> None:
    found = asked(address, published.key(), lambda client: client.list_resource_templates())
    assert found.resource_templates == []
    assert found.ttl_ms is not None


def test_a_lead_is_refused_what_rest_refuses(deployed: Deployment, address_of: str) -> None:
    lead = principal(deployed.store, make_lead(deployed, ("Product",)))
    key = create_token(deployed.store, ORGANIZATION, "lead", actor=lead).key
    with client_for(address_of, key) as client:
        refused = client.get(f"{ROOT}/settings")
    assert refused.status_code == 403
    assert read(address_of, key, "eas://context") == refused.json()["message"]
    assert "metrics" in read(address_of, key, "eas://metrics")


def test_unknown_resources_and_prompts_are_named(published: Deployment, address: str) -> None:
    key = published.key()
    assert "choose from eas://metrics" in read(address, key, "file:///etc/passwd")

    async def ask(client: Client) -> list[str]:
        messages = []
        for name, arguments in (
            ("drop_tables", {}),
            ("weekly_review", {"command": "x"}),
            ("weekly_review", {"team": "x" * 900}),
        ):
            with pytest.raises(MCPError) as error:
                await client.get_prompt(name, arguments)
            messages.append(error.value.message)
        return messages

    unknown, argument, long = asked(address, key, ask)
    assert "choose from weekly_review" in unknown
    assert "it takes team, week" in argument
    assert "at most 200 characters" in long


@pytest.mark.parametrize("name", PROMPTS)
def test_a_prompt_names_tools_and_arguments_that_exist(
    published: Deployment, address: str, name: str
) -> None:
    async def ask(client: Client) -> str:
        [listed] = [one for one in (await client.list_prompts()).prompts if one.name == name]
        given = {one.name: f"the {one.name} {{of}} a caller" for one in listed.arguments or []}
        found = await client.get_prompt(name, given)
        assert isinstance(found, types.GetPromptResult)
        [message] = found.messages
        assert isinstance(message.content, types.TextContent)
        assert all(value in message.content.text for value in given.values())
        return message.content.text

    text = asked(address, published.key(), ask)
    named = set(re.findall(r"\b(?:list|get|query|explain)_\w+", text))
    assert named
    assert named <= set(TOOLS)
