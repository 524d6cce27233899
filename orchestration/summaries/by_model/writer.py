"""Writes summaries by the model endpoint of an organization, or leaves them as the rules wrote them.

Whatever goes wrong, there is a text, and it says what wrote it and why not the model.
Keep out: storing texts (`orchestration.summaries.writing`), the interface of a server
(`ingest.providers.openai_compatible`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType

from api.control.store import ControlStore
from api.control.summaries.kinds import Author
from api.presentation.summaries.document import Document
from api.presentation.summaries.facts import Fact
from api.presentation.summaries.outside import one_line
from ingest.errors import IngestError, ProviderRefused
from ingest.http.client import Client
from ingest.providers.openai_compatible.capabilities import Capabilities, is_too_long
from ingest.providers.openai_compatible.chat import Message, Patience, Question, Reply
from ingest.reach import Reach
from orchestration.endpoints.asking import Asker, asking
from orchestration.summaries.by_model.answers import Refused, document_of, room_for
from orchestration.summaries.by_model.kept import for_the_model
from orchestration.summaries.by_model.prompt import (
    MAX_FACTS,
    PROMPT_VERSION,
    SCHEMA,
    Prompt,
    prompt_of,
    repair_of,
)

SECONDS_OF_A_SUMMARY = 120.0
"""A model on a server of one's own writes 250 words in about a minute."""
SECONDS_OF_A_RUN = 900.0
"""A build of an organization with many teams publishes meanwhile; its last texts are the rules'."""
MAX_TOKENS = 4_000
"""Ten times the words of a weekly summary: models that reason need more than they write."""
LEAST_FACTS = 15


@dataclass(frozen=True)
class Written:
    """A text and what wrote it. `answer` is the model's own, from which `answers.document_of` makes the document again.

    `tokens` are those that the server counted, by its names. `failure` says why a model's text was not used.
    """

    document: Document
    written_by: Author = Author.RULES
    model: str | None = None
    prompt_version: str | None = None
    input_hash: str | None = None
    failure: str | None = None
    answer: str | None = None
    tokens: Mapping[str, int] | None = None


class ModelWriter(Asker):
    """The texts of one run by one endpoint."""

    def __init__(
        self,
        client: Client,
        model: str,
        capabilities: Capabilities | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        super().__init__(client, model, capabilities, seconds=SECONDS_OF_A_RUN, clock=clock, sleep=sleep)

    def write(
        self, facts: Sequence[Fact], composed: Document, context: str = "", minimum: int = 1
    ) -> Written:
        """The text of a summary. `composed` is that of the rules, `context` the company context, `minimum` the smallest
        group of people whose figures are shown. Never raises.
        """
        attempt = _Attempt(self, facts, composed, context, minimum)
        with _Kept(attempt):
            if (obstacle := self.obstacle("texts")) is not None:
                return attempt.by_rules(obstacle)
            return attempt.written()
        return attempt.by_rules(attempt.failure)

    def text(self, messages: Sequence[Message], patience: Patience) -> Reply:
        """One text. Raises IngestError."""
        return self.ask(Question(self.model, messages, MAX_TOKENS, "summary", SCHEMA), patience)


@dataclass
class _Attempt:
    """The way to one text."""

    writer: ModelWriter
    facts: Sequence[Fact]
    composed: Document
    context: str
    minimum: int
    prompt: Prompt | None = None
    reply: Reply | None = None
    failure: str = ""
    tokens: dict[str, int] = field(default_factory=dict)

    def written(self) -> Written:
        patience, told = (
            self.writer.patience(SECONDS_OF_A_SUMMARY),
            for_the_model(self.facts, self.composed, self.minimum),
        )
        self._ask(told, patience)
        assert self.prompt is not None
        assert self.reply is not None
        try:
            return self._accepted()
        except Refused as refused:
            again = repair_of(self.prompt, self.reply.text, refused.problems)
        self._note(self.writer.text(again, patience))
        return self._accepted()

    def _ask(self, told: Sequence[Fact], patience: Patience) -> None:
        """The first answer that is complete, with fewer facts each time."""
        most, words = min(len(told), MAX_FACTS), room_for(self.composed)
        while True:
            self.prompt = prompt_of(told, self.composed, self.context, words, self.writer.model, most)
            try:
                self._note(self.writer.text(self.prompt.messages, patience))
            except ProviderRefused as error:
                if not is_too_long(error) or most <= LEAST_FACTS:
                    raise
            else:
                if self.reply is None or not self.reply.is_cut or most <= LEAST_FACTS:
                    return
            most = max(LEAST_FACTS, most // 2)

    def _note(self, reply: Reply) -> None:
        self.reply = reply
        for name, count in reply.tokens.items():
            self.tokens[name] = self.tokens.get(name, 0) + count

    def _accepted(self) -> Written:
        """The text of the last reply. Raises Refused."""
        assert self.reply is not None
        if self.reply.declined is not None:
            raise Refused(["the model declined to answer"])
        if self.reply.is_cut:
            raise Refused(["the answer was cut off at the most tokens that a text may have"])
        document = document_of(self.reply.text, self.facts, self.composed, self.context, self.minimum)
        return self._with(Written(document, Author.MODEL, answer=self.reply.text))

    def by_rules(self, why: str) -> Written:
        """The text of the rules, and why it is not the model's."""
        return self._with(Written(self.composed, failure=one_line(why, 400).rstrip(".")))

    def _with(self, written: Written) -> Written:
        named = (self.reply and self.reply.model) or self.writer.model
        return Written(
            written.document,
            written.written_by,
            one_line(named, 255),
            PROMPT_VERSION,
            self.prompt.input_hash if self.prompt is not None else None,
            written.failure,
            written.answer,
            dict(self.tokens),
        )


class _Kept:
    """A block whose error becomes the failure of an attempt: a summary is never lost for its text."""

    def __init__(self, attempt: _Attempt) -> None:
        self._attempt = attempt

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        if isinstance(error, Refused):
            self._attempt.failure = f"its text was refused: {error.problems[0]}"
        elif isinstance(error, IngestError):
            self._attempt.failure = f"it did not answer: {error}"
        else:
            self._attempt.failure = f"unexpected {type(error).__name__}"
        return True


@contextmanager
def model_writer(store: ControlStore, organization_id: str, reach: Reach) -> Iterator[ModelWriter | None]:
    """The writer of an organization for one run, and a note of its answers at the end; None without an endpoint."""
    with asking(store, organization_id, reach, SECONDS_OF_A_SUMMARY, ModelWriter) as writer:
        yield writer
