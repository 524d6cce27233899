"""The tools, resources and prompts that scenarios of the suite ask for by name. The product has none of them.

Keep out: tools that ask the client back (input_required.py).
"""

import base64
import json
from functools import cache
from typing import Annotated, Any

from mcp.server.lowlevel import Server
from mcp.server.mcpserver import Context, MCPServer, RequestStateSecurity
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.shared.exceptions import MCPError
from mcp.types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    AudioContent,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    EmbeddedResource,
    EmptyResult,
    ImageContent,
    SetLevelRequestParams,
    SubscribeRequestParams,
    TextContent,
    TextResourceContents,
    UnsubscribeRequestParams,
)
from pydantic import Field

from tests.api.mcp.conformance import client_requests, input_required

# One transparent pixel, and a sound without a sample.
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="
# Several processes could answer the rounds of one question.
STATE_KEY = b"a key of the fixture tools that is long enough"

ResourceUri = Annotated[str, Field(alias="resourceUri")]


@cache
def fixture_server() -> Server:
    """A server of the SDK with everything that scenarios ask for. Making it takes longer than an answer."""
    server = MCPServer(
        "fixture-tools", version="1", request_state_security=RequestStateSecurity(keys=[STATE_KEY])
    )
    _add_contents(server)
    _add_notifications(server)
    _add_resources(server)
    _add_prompts(server)
    client_requests.add_to(server)
    input_required.add_to(server)

    lowlevel: Server = server._lowlevel_server
    lowlevel.add_request_handler("completion/complete", CompleteRequestParams, _complete)
    for method, params in (
        ("logging/setLevel", SetLevelRequestParams),
        ("resources/subscribe", SubscribeRequestParams),
        ("resources/unsubscribe", UnsubscribeRequestParams),
    ):
        lowlevel.add_request_handler(method, params, _accept)
    return lowlevel


async def _complete(_: object, __: object) -> CompleteResult:
    return CompleteResult(completion=Completion(values=["paris", "parma"], total=2, has_more=False))


async def _accept(_: object, __: object) -> EmptyResult:
    return EmptyResult()


def _embedded(uri: str, text: str) -> EmbeddedResource:
    return EmbeddedResource(
        type="resource", resource=TextResourceContents(uri=uri, mime_type="text/plain", text=text)
    )


def _image() -> ImageContent:
    return ImageContent(type="image", data=PIXEL, mime_type="image/png")


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text)


def _add_contents(server: MCPServer) -> None:
    """Tools of each kind of content, a failing one, and one that needs a capability of the client."""

    @server.tool(description="A fixture.")
    def test_simple_text() -> str:
        return "This is a simple text response for testing."

    @server.tool(description="A fixture.")
    def test_image_content() -> list[ImageContent]:
        return [_image()]

    @server.tool(description="A fixture.")
    def test_audio_content() -> list[AudioContent]:
        return [AudioContent(type="audio", data=SILENCE, mime_type="audio/wav")]

    @server.tool(description="A fixture.")
    def test_embedded_resource() -> list[EmbeddedResource]:
        return [_embedded("test://embedded", "An embedded resource.")]

    @server.tool(description="A fixture.")
    def test_multiple_content_types() -> list[TextContent | ImageContent | EmbeddedResource]:
        return [_text("Three kinds:"), _image(), _embedded("test://mixed", "The third.")]

    @server.tool(description="A fixture.")
    def test_error_handling() -> str:
        raise RuntimeError("This tool fails on purpose.")

    @server.tool(description="A fixture.")
    def test_missing_capability(ctx: Context[Any, Any]) -> str:
        capabilities = ctx.client_capabilities
        if capabilities is None or capabilities.sampling is None:
            needed: dict[str, Any] = {"requiredCapabilities": {"sampling": {}}}
            raise MCPError(MISSING_REQUIRED_CLIENT_CAPABILITY, "needs the capability sampling", needed)
        return "The client declared it."


def _add_notifications(server: MCPServer) -> None:
    @server.tool(description="A fixture.")
    async def test_tool_with_logging(ctx: Context[Any, Any]) -> str:
        for text in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            await ctx.info(text)
        return "Logged."

    @server.tool(description="A fixture.")
    async def test_tool_with_progress(ctx: Context[Any, Any]) -> str:
        for done in (0, 50, 100):
            await ctx.report_progress(progress=done, total=100, message=f"{done} of 100")
        return "Done."


def _add_resources(server: MCPServer) -> None:
    @server.resource("test://static-text", mime_type="text/plain")
    def static_text() -> str:
        return "The text of a static resource."

    @server.resource("test://static-binary", mime_type="image/png")
    def static_binary() -> bytes:
        return base64.b64decode(PIXEL)

    @server.resource("test://template/{name}/data", mime_type="application/json")
    def of_a_template(name: str) -> str:
        return json.dumps({"id": name, "data": f"Data of {name}"})

    @server.resource("test://watched-resource")
    def watched() -> str:
        return "It never changes."


def _add_prompts(server: MCPServer) -> None:
    @server.prompt(description="A fixture.")
    def test_simple_prompt() -> list[UserMessage]:
        return [UserMessage(_text("A simple prompt."))]

    @server.prompt(description="A fixture.")
    def test_prompt_with_arguments(arg1: str, arg2: str) -> list[UserMessage]:
        return [UserMessage(_text(f"The arguments are {arg1!r} and {arg2!r}."))]

    @server.prompt(description="A fixture.")
    def test_prompt_with_embedded_resource(uri: ResourceUri) -> list[UserMessage]:
        return [
            UserMessage(_embedded(uri, "An embedded resource.")),
            UserMessage(_text("Read it.")),
        ]

    @server.prompt(description="A fixture.")
    def test_prompt_with_image() -> list[UserMessage]:
        return [UserMessage(_image()), UserMessage(_text("Look at it."))]
