"""`/mcp` as a protocol: credentials, hosts, and requests that no client of the SDK sends."""

import http.client
import json
import subprocess
import sys
from typing import Any

import httpx
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from api.control.telemetry.ingest_tokens import create_ingest_token
from api.mcp.tools import TOOLS
from tests.api.conftest import Deployment, client_for
from tests.api.mcp.asking import MODES, asked, called
from tests.api.people import join, sign_in, stored
from tests.api.published_facts import ORGANIZATION
from tests.api.roots import administrator_key, sign_in_root

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "a test", "version": "1"},
    },
}
ACCEPTED = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
OLD = {"MCP-Protocol-Version": "2025-11-25"}
NEW = {"MCP-Protocol-Version": "2026-07-28"}


def post(address: str, key: str, content: Any, **headers: str) -> httpx.Response:
    with client_for(address, key) as client:
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        return client.post("/mcp", content=body, headers=ACCEPTED | headers)


def call(name: str, arguments: Any) -> dict[str, Any]:
    return {
        "jsonrpc": "2.0",
        "id": 7,
        "method": "tools/call",
        "params": {"name": name, "arguments": arguments},
    }


@pytest.mark.parametrize("mode", MODES)
def test_every_revision_lists_tools_that_read(published: Deployment, address: str, mode: str) -> None:
    found = asked(address, published.key(), lambda client: client.list_tools(), mode=mode)
    assert [tool.name for tool in found.tools] == list(TOOLS)
    assert len(found.tools) <= 12
    for tool in found.tools:
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint
        assert tool.output_schema is not None
        for name, schema in tool.input_schema["properties"].items():
            assert schema.get("description") or name == "pageSize", (tool.name, name)


def test_the_newest_revision_is_served_without_a_session(published: Deployment, address: str) -> None:
    async def revision(client: Client) -> str:
        return client.protocol_version

    assert asked(address, published.key(), revision) == "2026-07-28"
    assert "mcp-session-id" not in post(address, published.key(), INITIALIZE).headers


def test_other_credentials_are_refused(published: Deployment, address: str) -> None:
    session = sign_in(published.store, join(published.store, ORGANIZATION, "owner"))
    ingest = create_ingest_token(published.store, ORGANIZATION, "laptops").key
    with administrator_key():
        root = sign_in_root(published.store, ORGANIZATION)
        for credential in (session, ingest, root, "service_unknown", ""):
            refused = post(address, credential, INITIALIZE)
            assert refused.status_code == 401, credential
            challenge = refused.headers["WWW-Authenticate"]
            assert challenge.startswith("Bearer")
            # It would send clients to a registration that does not exist.
            assert "resource_metadata" not in challenge
    with client_for(address) as client:
        assert client.get("/.well-known/oauth-protected-resource/mcp").status_code == 404


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example:8000"}, 421),
        ({"Host": "localhost:8000"}, 200),
        ({"Host": "eas.acme.example"}, 200),
        ({"Host": "eas.acme.example:443"}, 200),
        ({"Host": "eas.acme.example:8443"}, 421),
        ({"Origin": "https://eas.acme.example"}, 200),
        ({"Origin": "http://eas.acme.example"}, 403),
        ({"Origin": "https://evil.example"}, 403),
    ],
)
@pytest.mark.parametrize("revision", [OLD, NEW], ids=["old", "new"])
def test_rebound_hosts_and_foreign_origins_are_refused(
    published: Deployment,
    served_publicly: str,
    headers: dict[str, str],
    status: int,
    revision: dict[str, str],
) -> None:
    message = INITIALIZE if revision is OLD else {"jsonrpc": "2.0", "method": "notifications/anything"}
    found = post(served_publicly, published.key(), message, **headers, **revision)
    assert found.status_code == (202 if status == 200 and revision is NEW else status), found.text


@pytest.mark.parametrize("revision", [OLD, NEW], ids=["old", "new"])
@pytest.mark.parametrize(
    "content",
    [
        [INITIALIZE, INITIALIZE],
        [],
        "text",
        b"{",
        b"[" * 50_000,
        {"jsonrpc": "2.0", "id": 1, "method": "admin/delete", "params": {}},
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": "list_teams", "arguments": "x"},
        },
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "delete_team"}},
    ],
    ids=lambda content: str(content)[:40],
)
def test_what_is_no_message_is_an_error_of_the_protocol(
    published: Deployment, address: str, content: Any, revision: dict[str, str]
) -> None:
    found = post(address, published.key(), content, **revision)
    assert found.status_code < 500, found.text
    assert found.json()["error"]["code"] < 0, found.text


def test_large_values_are_refused(published: Deployment, address: str) -> None:
    key = published.key()
    assert post(address, key, call("list_teams", {"search": "x" * 1_000_000}), **OLD).status_code == 413
    for arguments in (
        {"search": "x" * 990_000},
        {"filter": "etv>1 AND " * 90_000},
        {"x" * 900_000: 1},
        {"metrics": ["x" * 900_000]},
        {"pageToken": "x" * 900_000},
        {"search": {"a": [1]}},
        {"search": ["a", "b"]},
        {"pageSize": "many"},
        {"filter": "(" * 1_900},
        {"search": "\ud800"},
    ):
        found = post(address, key, call("list_teams", arguments), **OLD).json()
        assert "error" in found or found["result"]["isError"], str(arguments)[:80]
        assert "internal error" not in str(found), str(arguments)[:80]
        # A remedy, not the value.
        assert len(str(found)) < 1_500


def test_requests_change_nothing(published: Deployment, address: str) -> None:
    key = published.key()
    called(address, key, "list_teams")
    before = stored(published.store)
    with client_for(address, key) as client:
        for method in ("GET", "DELETE", "PUT", "PATCH"):
            refused = client.request(method, "/mcp", headers=ACCEPTED)
            assert refused.status_code == 405
            assert refused.headers["Allow"] == "POST"
    for name, tool in TOOLS.items():
        called(address, key, name, **dict.fromkeys(tool.path_arguments, "nothing"))
    assert stored(published.store) == before


def test_white_space_around_a_header_is_no_part_of_it(published: Deployment, address: str) -> None:
    """The header must be the name in the body, and some clients and proxies pad it."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    body = json.dumps(message | {"params": {"name": "list_teams", "arguments": {}, "_meta": meta}})
    padded = {"Mcp-Method": " tools/call ", "Mcp-Name": "  list_teams\t "}
    key = {"Authorization": f"Bearer {published.key()}"}
    connection = http.client.HTTPConnection(address.removeprefix("http://"))
    connection.request("POST", "/mcp", body, ACCEPTED | NEW | key | padded)
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()
    assert b'"structuredContent"' in answer.read()
    connection.close()


def test_a_missing_tool_is_named(published: Deployment, address: str) -> None:
    async def refused(client: Client) -> str:
        with pytest.raises(MCPError) as error:
            await client.call_tool("delete_team", {})
        return error.value.message

    found = asked(address, published.key(), refused)
    assert found == f"there is no tool 'delete_team'; choose from {', '.join(TOOLS)}"


def test_an_application_without_questions_does_not_import_the_sdk() -> None:
    """It takes most of a second, at each start of each process."""
    program = "import sys, api.app; api.app.create_app(); print('mcp' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert found.stdout == "False\n"
