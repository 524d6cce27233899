"""Tools that send a request to the client while they run, as revisions before 2026-07-28 do."""

from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import SamplingMessage, TextContent
from pydantic import BaseModel, Field


class Response(BaseModel):
    """One answer of a person."""

    response: str = Field(description="The answer")


class Defaults(BaseModel):
    """A field of each primitive type, with a default."""

    name: str = Field(default="John Doe")
    age: int = Field(default=30)
    score: float = Field(default=95.5)
    status: str = Field(default="active", json_schema_extra={"enum": ["active", "inactive", "pending"]})
    verified: bool = Field(default=True)


def add_to(server: MCPServer) -> None:
    """Add the tools."""

    @server.tool(description="A fixture.")
    async def test_sampling(prompt: str, ctx: Context[Any, Any]) -> str:
        asked = SamplingMessage(role="user", content=TextContent(type="text", text=prompt))
        found = await ctx.session.create_message(
            messages=[asked], max_tokens=100, related_request_id=ctx.request_id
        )
        return f"LLM response: {found.content}"

    @server.tool(description="A fixture.")
    async def test_elicitation(message: str, ctx: Context[Any, Any]) -> str:
        return f"User response: {await ctx.elicit(message=message, schema=Response)}"

    @server.tool(description="A fixture.")
    async def test_elicitation_sep1034_defaults(ctx: Context[Any, Any]) -> str:
        return f"User response: {await ctx.elicit(message='Fill in', schema=Defaults)}"

    @server.tool(description="A fixture.")
    async def test_elicitation_sep1330_enums(ctx: Context[Any, Any]) -> str:
        return f"User response: {await ctx.elicit(message='Choose', schema=Response)}"
