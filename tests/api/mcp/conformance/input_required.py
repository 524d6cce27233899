"""Tools and a prompt that answer with questions to the client, in rounds without a session (2026-07-28)."""

import json
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequest,
    InputRequiredResult,
    ListRootsRequest,
    ListRootsResult,
    SamplingMessage,
    TextContent,
)

Asked = Context[Any, Any]
Answer = str | InputRequiredResult


def _form(field: str, message: str, kind: str = "string") -> ElicitRequest:
    schema = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def _sampling(text: str) -> CreateMessageRequest:
    message = SamplingMessage(role="user", content=TextContent(type="text", text=text))
    return CreateMessageRequest(params=CreateMessageRequestParams(messages=[message], max_tokens=50))


def _field(ctx: Asked, name: str, field: str) -> object:
    """A field of an answered form, or none."""
    answer = (ctx.input_responses or {}).get(name)
    return answer.content.get(field) if isinstance(answer, ElicitResult) and answer.content else None


def add_to(server: MCPServer) -> None:
    """Add the tools and the prompt."""
    _add_single_questions(server)
    _add_rounds(server)

    @server.prompt(description="A fixture.")
    async def test_input_required_result_prompt(ctx: Asked) -> list[UserMessage] | InputRequiredResult:
        context = _field(ctx, "user_context", "context")
        if context is None:
            return InputRequiredResult(input_requests={"user_context": _form("context", "Which context?")})
        return [UserMessage(TextContent(type="text", text=f"Use this context: {context}"))]


def _add_single_questions(server: MCPServer) -> None:
    @server.tool(description="A fixture.")
    async def test_input_required_result_elicitation(ctx: Asked) -> Answer:
        name = _field(ctx, "user_name", "name")
        if name is None:
            return InputRequiredResult(input_requests={"user_name": _form("name", "What is your name?")})
        return f"Hello, {name}!"

    @server.tool(description="A fixture.")
    async def test_input_required_result_sampling(ctx: Asked) -> Answer:
        answer = (ctx.input_responses or {}).get("capital_question")
        if not isinstance(answer, CreateMessageResult):
            question = _sampling("What is the capital of France?")
            return InputRequiredResult(input_requests={"capital_question": question})
        return f"The model said: {answer.content}"

    @server.tool(description="A fixture.")
    async def test_input_required_result_list_roots(ctx: Asked) -> Answer:
        answer = (ctx.input_responses or {}).get("client_roots")
        if not isinstance(answer, ListRootsResult):
            return InputRequiredResult(input_requests={"client_roots": ListRootsRequest()})
        return f"The client has {len(answer.roots)} roots."

    @server.tool(description="A fixture.")
    async def test_input_required_result_capabilities(ctx: Asked) -> InputRequiredResult:
        capabilities = ctx.client_capabilities
        asked: dict[str, InputRequest] = {}
        if capabilities is not None and capabilities.sampling is not None:
            asked["sample"] = _sampling("Say hello")
        if capabilities is not None and capabilities.elicitation is not None:
            asked["ask"] = _form("name", "What is your name?")
        return InputRequiredResult(input_requests=asked, request_state="capabilities")


def _add_rounds(server: MCPServer) -> None:
    @server.tool(description="A fixture.")
    async def test_input_required_result_request_state(ctx: Asked) -> Answer:
        if ctx.request_state == "first" and "confirm" in (ctx.input_responses or {}):
            return "state-ok"
        confirm = _form("ok", "Please confirm", "boolean")
        return InputRequiredResult(input_requests={"confirm": confirm}, request_state="first")

    @server.tool(description="A fixture.")
    async def test_input_required_result_tampered_state(ctx: Asked) -> Answer:
        if ctx.request_state is not None:
            return "state-ok"
        confirm = _form("ok", "Please confirm", "boolean")
        return InputRequiredResult(input_requests={"confirm": confirm}, request_state="first")

    @server.tool(description="A fixture.")
    async def test_input_required_result_multiple_inputs(ctx: Asked) -> Answer:
        asked: dict[str, InputRequest] = {
            "user_name": _form("name", "What is your name?"),
            "greeting": _sampling("Write a greeting"),
            "client_roots": ListRootsRequest(),
        }
        if asked.keys() <= (ctx.input_responses or {}).keys():
            return "All answers are here."
        return InputRequiredResult(input_requests=asked, request_state="asked")

    @server.tool(description="A fixture.")
    async def test_input_required_result_multi_round(ctx: Asked) -> Answer:
        state = json.loads(ctx.request_state or '{"round": 0}')
        name = _field(ctx, "step1", "name")
        if state["round"] == 1 and name is not None:
            color = {"step2": _form("color", "Step 2: which color?")}
            kept = json.dumps({"round": 2, "name": name})
            return InputRequiredResult(input_requests=color, request_state=kept)
        found = _field(ctx, "step2", "color")
        if state["round"] == 2 and found is not None:
            return f"{state['name']} likes {found}."
        first = {"step1": _form("name", "Step 1: what is your name?")}
        return InputRequiredResult(input_requests=first, request_state=json.dumps({"round": 1}))
