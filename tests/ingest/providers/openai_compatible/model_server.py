"""A server with OpenAI's interface on loopback, which refuses what it does not know."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.ingest.http.scripted_server import Scripted, Step, answer, serving

KEY = "sk-model-k3yThatNobodyMaySee"
MODEL = "small-1"
Body = Mapping[str, Any]


def said(text: str | None, *, finish: str = "stop", refusal: str | None = None) -> dict[str, Any]:
    """The body of an answer."""
    return {
        "model": f"{MODEL}-2026",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text, "refusal": refusal},
            }
        ],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 0}},
    }


def refused(status: int, message: str, code: str | None = None, param: str | None = None) -> Step:
    """An error as OpenAI words it."""
    return answer({"error": {"message": message, "type": "error", "code": code, "param": param}}, status)


@dataclass
class ModelServer:
    """Answers chats with `write`. `refuse` stands before it; parameters in `unknown` are refused."""

    write: Callable[[Body], Step] = lambda _: answer(said("ready"))
    refuse: Callable[[Body], Step | None] = lambda _: None
    unknown: frozenset[str] = frozenset()
    formats: frozenset[str] = frozenset({"json_schema", "json_object"})
    models: Step = field(default_factory=lambda: answer({"data": [{"id": MODEL}, {"id": "large-1"}]}))
    key: str | None = KEY
    bodies: list[dict[str, Any]] = field(default_factory=list)
    """The chats that arrived."""

    def __call__(self, line: str, headers: dict[str, str], content: bytes) -> Step:
        if self.key is not None and headers.get("authorization") != f"Bearer {self.key}":
            return refused(
                401, f"Incorrect API key provided: {headers.get('authorization')}", "invalid_api_key"
            )
        method, path, _ = line.split()
        if (method, path) == ("GET", "/v1/models"):
            return self.models
        if (method, path) != ("POST", "/v1/chat/completions"):
            return answer({"detail": "Not Found"}, 404)
        body = json.loads(content)
        self.bodies.append(body)
        for name in sorted(self.unknown & body.keys()):
            return refused(
                400, f"Unsupported parameter: '{name}' is not supported.", "unsupported_parameter", name
            )
        asked = body.get("response_format", {}).get("type", "json_object")
        if asked not in self.formats and "response_format" in body:
            return refused(400, 'Either "json_schema" or "grammar" can be specified, but not both')
        if body["model"] not in (MODEL, "large-1"):
            return refused(404, f"The model `{body['model']}` does not exist", "model_not_found")
        return self.refuse(body) or self.write(body)


@contextlib.contextmanager
def running(server: ModelServer) -> Iterator[Scripted]:
    """Serve until the end of the block; the base address is that of the server with `/v1`."""
    with serving(server) as scripted:
        yield scripted
