"""A model server on loopback as a script, a clock that it moves, and what a text has to be."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from api.control.summaries.kinds import Author
from api.presentation.summaries.verification import verify
from ingest.connections.model import Connection
from ingest.providers.registry import client_of
from ingest.reach import Reach
from orchestration.summaries.by_model.answers import document_of
from orchestration.summaries.by_model.writer import ModelWriter, Written
from tests.ingest.http.scripted_server import Step, answer
from tests.ingest.providers.openai_compatible.model_server import MODEL, ModelServer, running, said
from tests.orchestration.summaries.by_model.invented import COMPOSED, FACTS

NEAR = Reach(frozenset({"127.0.0.1"}))
CONTEXT = "Acme sells maps."
Body = Mapping[str, Any]


@dataclass
class Clock:
    """A clock that a server moves."""

    at: float = 0.0

    def __call__(self) -> float:
        return self.at

    def sleep(self, seconds: float) -> None:
        self.at += seconds


def wrote(found: Any, **more: Any) -> Step:
    return answer(said(found if isinstance(found, str) else json.dumps(found), **more))


def each(*steps: Step) -> Callable[[Body], Step]:
    """One step for each chat; the last one repeats."""
    waiting = list(steps)
    return lambda _: waiting.pop(0) if len(waiting) > 1 else waiting[0]


@contextmanager
def writer_of(
    server: ModelServer, clock: Clock | None = None, seconds: float = 120.0
) -> Iterator[ModelWriter]:
    server.key = None
    clock = clock or Clock()
    with running(server) as found:
        connection = Connection(
            "c", "o", "OPENAI_COMPATIBLE", f"{found.address}/v1", "", options={"model": MODEL}
        )
        with client_of(connection, NEAR, answer_seconds=seconds) as client:
            yield ModelWriter(client, MODEL, clock=clock, sleep=clock.sleep)


def write(server: ModelServer, clock: Clock | None = None, seconds: float = 120.0) -> Written:
    with writer_of(server, clock, seconds) as writer:
        return writer.write(FACTS, COMPOSED, CONTEXT)


def by_model(written: Written) -> Written:
    """A text of the model, which can be made again from its answer."""
    assert (written.written_by, written.failure) == (Author.MODEL, None), written.failure
    assert verify(written.document, FACTS) == ()
    assert written.answer is not None
    assert document_of(written.answer, FACTS, COMPOSED, CONTEXT) == written.document
    assert written.document != COMPOSED
    return written


def by_rules(written: Written, told: str) -> Written:
    """The text of the rules, which says why."""
    assert (written.written_by, written.document) == (Author.RULES, COMPOSED)
    assert written.failure is not None
    assert told in written.failure, written.failure
    assert written.answer is None
    return written
