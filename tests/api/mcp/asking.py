"""The official client of the protocol, asked by tests that wait for its answers."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import httpx2
from mcp import Client, types
from mcp.client.streamable_http import streamable_http_client

from tests.api.conftest import certificates

Found = TypeVar("Found")
# The newest revision, and the one that begins with `initialize`.
MODES = ("auto", "legacy")


def asked(
    address: str, key: str, ask: Callable[[Client], Awaitable[Found]], *, mode: str = "auto", **headers: str
) -> Found:
    """What `ask` finds with a client of the server at this address."""

    async def run() -> Found:
        sent = {"Authorization": f"Bearer {key}", **headers}
        async with (
            httpx2.AsyncClient(headers=sent, timeout=30, verify=certificates()) as http,
            Client(streamable_http_client(f"{address}/mcp", http_client=http), mode=mode) as client,
        ):
            return await ask(client)

    return asyncio.run(run())


def called(address: str, key: str, tool: str, /, **arguments: Any) -> types.CallToolResult:
    """The result of a tool."""

    async def call(client: Client) -> types.CallToolResult:
        found = await client.call_tool(tool, arguments)
        assert isinstance(found, types.CallToolResult)
        return found

    # Pinned, a client does not first ask what the server speaks.
    return asked(address, key, call, mode="2026-07-28")


def text_of(result: types.CallToolResult) -> str:
    """The text of a result, which every result has."""
    [content] = result.content
    assert isinstance(content, types.TextContent)
    return content.text


def found_by(address: str, key: str, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """The structured content of a tool's result, which is no error."""
    result = called(address, key, tool, **arguments)
    assert not result.is_error, text_of(result)
    return dict(result.structured_content)
