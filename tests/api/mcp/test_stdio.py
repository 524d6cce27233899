"""`eas mcp`: the same tools over standard input and output."""

import asyncio
import os
import subprocess
import sys

import pytest
from mcp import Client, StdioServerParameters, types

from api.mcp.tools import TOOLS
from tests.api.conftest import Deployment
from tests.api.mcp.asking import MODES, found_by, text_of
from tests.suite.tiers import some

EAS = [sys.executable, "-c", "from orchestration.cli import main; main()", "mcp", "--address"]


# The older way of beginning is that of every test in test_stdio_ends.py.
@pytest.mark.parametrize("mode", some(MODES, 1))
def test_it_answers_as_over_http(published: Deployment, address: str, mode: str) -> None:
    key = published.key()
    environment = dict(os.environ) | {"EAS_API_KEY": key}
    command = StdioServerParameters(command=EAS[0], args=[*EAS[1:], address], env=environment)

    async def ask() -> types.CallToolResult:
        async with Client(command, mode=mode) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == list(TOOLS)
            found = await client.call_tool("list_teams", {"orderBy": "name"})
            refused = await client.call_tool("query_metrics", {"interval": "DECADE"})
            assert isinstance(found, types.CallToolResult)
            assert isinstance(refused, types.CallToolResult)
            assert text_of(refused).startswith("interval: must be one of")
            return found

    found = dict(asyncio.run(ask()).structured_content)
    over_http = found_by(address, key, "list_teams", orderBy="name")
    # It names the address that it was given.
    assert found.pop("evidence").startswith(f"{address}/api/v1/organizations/")
    over_http.pop("evidence")
    assert found == over_http


@pytest.mark.parametrize(
    ("key", "to", "code", "sentence"),
    [
        ("session_x", "", 2, "put an API key (`service_…`) into the variable EAS_API_KEY"),
        ("service_unknown", "", 2, "the API key is unknown or was revoked; create another"),
        ("service_unknown", "http://127.0.0.1:9", 1, "no service answers at http://127.0.0.1:9; name its address"),
    ],
)  # fmt: skip
def test_it_says_why_it_cannot_start(address: str, key: str, to: str, code: int, sentence: str) -> None:
    done = subprocess.run(
        [*EAS, to or address],
        env=dict(os.environ) | {"EAS_API_KEY": key},
        input="",
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stderr
    assert sentence in done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert not key or key not in done.stderr
