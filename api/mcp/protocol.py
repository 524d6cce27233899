"""The server of the SDK: tools, resources, prompts, and one message over HTTP. Importing this imports the SDK.

Keep out: which tools there are (tools.py), who may call (endpoint.py).
"""

import logging
from typing import TypeVar
from urllib.parse import urlsplit

import orjson
from mcp import types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from api.http.media_types import JSON
from api.http.middleware import MAX_BYTES
from api.http.statuses import INTERNAL
from api.mcp.prompts import PROMPTS, Prompt
from api.mcp.reading import Reader, Refused
from api.mcp.resources import RESOURCES, Resource
from api.mcp.texts import INSTRUCTIONS
from api.mcp.tool import Tool
from api.mcp.tools import TOOLS
from api.operator.release import release

Refusal = TypeVar("Refusal", bound=Exception)
logger = logging.getLogger(__name__)
# Characters of an argument of a prompt, which is a name or a day.
MAX_ARGUMENT = 200
# Characters of an address that an error repeats.
MAX_URI = 200
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

    async def list_resources(_: object, __: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[_offered(one) for one in RESOURCES.values()])

    async def read_resource(_: object, asked: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        resource = RESOURCES.get(str(asked.uri))
        if resource is None:
            raise MCPError(
                types.INVALID_PARAMS,
                f"there is no resource {str(asked.uri)[:64]!r}; choose from {', '.join(RESOURCES)}",
                {"uri": str(asked.uri)[:MAX_URI]},
            )
        try:
            found = await resource.read(reader)
        except Refused as refused:
            raise MCPError(types.INVALID_PARAMS, str(refused)) from refused
        except Exception as error:
            logger.exception("the resource %s failed", resource.uri)
            raise MCPError(types.INTERNAL_ERROR, INTERNAL) from error
        text = orjson.dumps(found).decode()
        return types.ReadResourceResult(
            contents=[types.TextResourceContents(uri=resource.uri, mime_type=JSON, text=text)]
        )

    return Server(
        "engineering-analytics-service",
        title="Engineering Analytics Service",
        version=release(),
        instructions=INSTRUCTIONS,
        cache_hints={
            "server/discover": LISTED,
            "tools/list": LISTED,
            "resources/list": LISTED,
            "resources/templates/list": LISTED,
            "prompts/list": LISTED,
        },
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


async def list_templates(
    _: object, __: types.PaginatedRequestParams | None
) -> types.ListResourceTemplatesResult:
    """None: clients ask for them wherever there are resources."""
    return types.ListResourceTemplatesResult(resource_templates=[])


async def list_prompts(_: object, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
    """The prompts."""
    return types.ListPromptsResult(prompts=[_proposed(one) for one in PROMPTS.values()])


async def get_prompt(_: object, asked: types.GetPromptRequestParams) -> types.GetPromptResult:
    """A prompt with its arguments. Raises MCPError for an unknown one, or an unknown argument."""
    prompt, given = PROMPTS.get(asked.name), asked.arguments or {}
    if prompt is None:
        raise MCPError(
            types.INVALID_PARAMS, f"there is no prompt {asked.name[:64]!r}; choose from {', '.join(PROMPTS)}"
        )
    if unknown := [name for name in given if name not in prompt.arguments]:
        raise MCPError(
            types.INVALID_PARAMS,
            f"{prompt.name} has no argument {unknown[0][:64]!r}; it takes {', '.join(prompt.arguments)}",
        )
    if too_long := [name for name, value in given.items() if len(value) > MAX_ARGUMENT]:
        raise MCPError(types.INVALID_PARAMS, f"{too_long[0]}: must have at most {MAX_ARGUMENT} characters")
    message = types.PromptMessage(role="user", content=_text(prompt.filled(given)))
    return types.GetPromptResult(description=prompt.description, messages=[message])


async def answer(reader: Reader, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer the message of one request, which leaves nothing behind."""
    manager = StreamableHTTPSessionManager(
        server_of(reader),
        json_response=True,
        stateless=True,
        security_settings=_security(reader.app_url),
        max_request_body_size=MAX_BYTES,
    )
    # White space around a value is no part of it (RFC 9110, 5.5), and the HTTP parser leaves it.
    headers = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
    try:
        async with manager.run(), reader.client:
            await manager.handle_request({**scope, "headers": headers}, receive, send)
    except ExceptionGroup as group:
        # Of the task group of the SDK. A refusal of our own, such as that of a large body, has its own status.
        refused = _first(group, HTTPException)
        if refused is None:
            raise
        raise refused from None


def _first(group: BaseExceptionGroup[Exception], kind: type[Refusal]) -> Refusal | None:
    """The first exception of a kind in a group."""
    for error in group.exceptions:
        found = _first(error, kind) if isinstance(error, BaseExceptionGroup) else error
        if isinstance(found, kind):
            return found
    return None


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


def _offered(resource: Resource) -> types.Resource:
    return types.Resource(
        uri=resource.uri,
        name=resource.name,
        title=resource.title,
        description=resource.description,
        mime_type=JSON,
    )


def _proposed(prompt: Prompt) -> types.Prompt:
    return types.Prompt(
        name=prompt.name,
        title=prompt.title,
        description=prompt.description,
        arguments=[
            types.PromptArgument(name=name, description=text) for name, text in prompt.arguments.items()
        ],
    )


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)
