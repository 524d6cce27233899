"""The server of the SDK: tools, and one message over HTTP. Importing this imports the SDK.

Keep out: which tools there are (tools.py), who may call (endpoint.py).
"""

import logging
from urllib.parse import urlsplit

import orjson
from mcp import types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from starlette.types import Receive, Scope, Send

from api.http.middleware import MAX_BYTES
from api.http.statuses import INTERNAL
from api.mcp.reading import Reader, Refused
from api.mcp.texts import INSTRUCTIONS
from api.mcp.tool import Tool
from api.mcp.tools import TOOLS
from api.operator.release import release

logger = logging.getLogger(__name__)
# Nobody can make a browser take these for another site.
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
READING = types.ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
# The lists change with the release alone.
LISTED = CacheHint(ttl_ms=3_600_000, scope="public")
# It has a line for the beginning and the end of every request.
logging.getLogger("mcp.server.streamable_http_manager").setLevel(logging.WARNING)


def server_of(reader: Reader) -> Server:
    """A server whose tools read with this reader."""

    async def list_tools(_: object, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_listed(tool) for tool in TOOLS.values()])

    async def call_tool(_: object, asked: types.CallToolRequestParams) -> types.CallToolResult:
        tool = TOOLS.get(asked.name)
        if tool is None:
            raise MCPError(
                types.INVALID_PARAMS, f"there is no tool {asked.name[:64]!r}; choose from {', '.join(TOOLS)}"
            )
        try:
            found = await tool.call(reader, asked.arguments or {})
        except Refused as refused:
            return types.CallToolResult(content=[_text(str(refused))], is_error=True)
        except Exception as error:
            # The SDK would send the text of the exception, which may name paths and hosts.
            logger.exception("the tool %s failed", tool.name)
            raise MCPError(types.INTERNAL_ERROR, INTERNAL) from error
        return types.CallToolResult(content=[_text(orjson.dumps(found).decode())], structured_content=found)

    return Server(
        "engineering-analytics-service",
        title="Engineering Analytics Service",
        version=release(),
        instructions=INSTRUCTIONS,
        cache_hints={"tools/list": LISTED, "server/discover": LISTED},
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def answer(reader: Reader, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer the message of one request, which leaves nothing behind."""
    manager = StreamableHTTPSessionManager(
        server_of(reader),
        json_response=True,
        stateless=True,
        security_settings=_security(reader.app_url),
        max_request_body_size=MAX_BYTES,
    )
    async with manager.run(), reader.client:
        await manager.handle_request(scope, receive, send)


def _security(app_url: str) -> TransportSecuritySettings:
    """Hosts and origins that may ask: those of the public address, and this machine."""
    public = urlsplit(app_url)
    port = public.port or {"http": 80, "https": 443}[public.scheme]
    local = [f"{host}:*" for host in LOOPBACK]
    return TransportSecuritySettings(
        allowed_hosts=[public.netloc, f"{public.hostname}:{port}", *LOOPBACK, *local],
        allowed_origins=[
            f"{public.scheme}://{public.netloc}",
            *(f"http://{host}" for host in (*LOOPBACK, *local)),
        ],
    )


def _listed(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=READING,
    )


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)
