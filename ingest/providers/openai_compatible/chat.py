"""One answer of a model: the request that the server takes, its repetitions, and the text that comes back.

Keep out: what is asked (`orchestration.summaries`), the check of a connection (`endpoint`).
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ingest.connections.values import number, text
from ingest.errors import ProviderRefused, RateLimited, Refusal, Transient
from ingest.http.budgets import Budget
from ingest.http.client import Client
from ingest.json_paths import at
from ingest.providers.openai_compatible.capabilities import ADJUSTED, Capabilities, Format, is_too_long

MAX_ANSWER_BYTES = 2 * 1024**2
"""Of one question with its repetitions. An answer of 4,000 tokens has about 20 kB."""
MAX_TRIES = 2
MAX_ADJUSTMENTS = 5
"""All that a server can refuse: two formats, the name of the limit both ways, the temperature."""
_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*?)```", re.DOTALL)
_DECODER = json.JSONDecoder()

Message = Mapping[str, str]


@dataclass(frozen=True)
class Patience:
    """The instant of a clock until which somebody waits, in seconds."""

    until: float
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    @classmethod
    def of(
        cls,
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> Patience:
        """Patience for so many seconds from now on."""
        return cls(clock() + seconds, clock, sleep)

    @property
    def left(self) -> float:
        """Seconds that are left; 0 or less at the end."""
        return self.until - self.clock()


@dataclass(frozen=True)
class Question:
    """What a model is asked. The answer is JSON of the schema `form`, which has a `name`; None: any text."""

    model: str
    messages: Sequence[Message] = field(repr=False)
    max_tokens: int
    name: str = ""
    form: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Reply:
    """The answer of a model. `is_cut` says that it would have been longer; `declined` are words in place of an answer.

    `tokens` are those that the server counted, by their name there, and `model` is the one that it names.
    """

    text: str
    model: str | None
    is_cut: bool
    declined: str | None
    tokens: Mapping[str, int]


class Chat:
    """Questions to one endpoint. `capabilities` become less with each refusal, and are worth remembering."""

    def __init__(
        self, client: Client, capabilities: Capabilities | None = None, patience: Patience | None = None
    ) -> None:
        """Without `patience` each request has the time that the client gives it, and nothing is repeated."""
        self.capabilities = capabilities or Capabilities()
        self._client, self._patience = client, patience

    def ask(self, question: Question) -> Reply:
        """The answer to a question.

        Raises ProviderRefused (`is_too_long` tells a question that is too long), RateLimited and Transient, also where
        the time is over.
        """
        tried, before = set(), self.capabilities
        with self._client.within(Budget("one answer of a model", 0, MAX_ANSWER_BYTES, 3600.0)):
            for _ in range(MAX_ADJUSTMENTS + 1):
                tried.add(self.capabilities)
                try:
                    return _reply(self._sent(self._body(question)))
                except ProviderRefused as refused:
                    weaker = self.capabilities.after(refused)
                    if weaker is None or weaker in tried:
                        if refused.status in ADJUSTED and not is_too_long(refused):
                            # The server refuses every form, so the forms are not what it refuses.
                            self.capabilities = before
                        raise
                    self.capabilities = weaker
        raise Transient("The server refuses every form of the request.")

    def _body(self, question: Question) -> dict[str, Any]:
        can = self.capabilities
        body: dict[str, Any] = {
            "model": question.model,
            "messages": [dict(one) for one in question.messages],
            can.limit: question.max_tokens,
        }
        if can.has_temperature:
            body["temperature"] = 0
        if question.form is not None and can.format is Format.JSON_SCHEMA:
            form = {"name": question.name, "strict": True, "schema": question.form}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        elif question.form is not None and can.format is Format.JSON_OBJECT:
            body["response_format"] = {"type": "json_object"}
        return body

    def _sent(self, body: Mapping[str, Any]) -> Any:
        for attempt in range(1, MAX_TRIES + 1):
            if self._patience is not None:
                if self._patience.left <= 0:
                    raise Transient("The time for an answer is over.")
                self._client.answer_seconds = self._patience.left
            try:
                return self._client.query("chat/completions", body, tries=1).body
            except Transient as error:
                wait = (error.retry_after if isinstance(error, RateLimited) else None) or 1.0
                if self._patience is None or attempt == MAX_TRIES or wait >= self._patience.left:
                    raise
                self._patience.sleep(wait)
        raise AssertionError("unreachable")


def _reply(body: Any) -> Reply:
    """The reply in an answer. Raises ProviderRefused for an answer of another interface."""
    message = at(body, ("choices", 0, "message"))
    if not isinstance(message, dict):
        raise ProviderRefused(
            Refusal.BAD_ADDRESS,
            "The address answers, but not as a chat of OpenAI's interface does: it usually ends with /v1.",
        )
    tokens = {name: number(at(body, ("usage", name))) for name in ("prompt_tokens", "completion_tokens")}
    return Reply(
        text(message.get("content")) or "",
        text(at(body, ("model",))),
        at(body, ("choices", 0, "finish_reason")) == "length",
        text(message.get("refusal")),
        {name: count for name, count in tokens.items() if count is not None},
    )


def json_of(answer: str) -> Any:
    """The JSON object of an answer: alone, in a fence of Markdown, or behind other words. Raises ValueError."""
    for part in _parts(answer):
        try:
            found, _ = _DECODER.raw_decode(part)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            return found
    raise ValueError("the answer has no JSON object")


def _parts(answer: str) -> Iterator[str]:
    yield answer.strip()
    for fenced in _FENCED.finditer(answer):
        yield fenced[1].strip()
    start = answer.find("{")
    if start >= 0:
        yield answer[start:]
