"""Asks the model endpoint of an organization, and notes at the end whether it answered.

Keep out: what is asked (`orchestration.summaries`, `orchestration.categories`), the interface of a server
(`ingest.providers.openai_compatible`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from api.control.connections.endpoints import note_answers, used_endpoint
from api.control.connections.usable import UsableConnection
from api.control.store import ControlStore
from ingest.connections.model import Connection
from ingest.errors import IngestError, ProviderRefused, Transient
from ingest.http.client import Client
from ingest.providers.openai_compatible.capabilities import Capabilities, is_too_long
from ingest.providers.openai_compatible.chat import Chat, Patience, Question, Reply
from ingest.providers.registry import client_of
from ingest.reach import Reach

MAX_FAILURES = 2
"""Failures in a row after which the endpoint is asked no more in this run."""


class Asker:
    """The questions of one run to one endpoint."""

    def __init__(
        self,
        client: Client,
        model: str,
        capabilities: Capabilities | None = None,
        *,
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """All questions together have so many `seconds`."""
        self._client, self._clock, self._sleep = client, clock, sleep
        self._end = clock() + seconds
        self._failures_in_a_row = 0
        self.model = model
        self.capabilities = capabilities or Capabilities()
        self.is_asked = False
        self.problem: str | None = None
        """Why the endpoint cannot be asked at all."""
        self.failure: IngestError | None = None
        """Why the endpoint did not answer the last question; None if it did."""

    def ask(self, question: Question, patience: Patience) -> Reply:
        """One answer. Raises IngestError, and remembers it."""
        self.is_asked = True
        chat = Chat(self._client, self.capabilities, patience)
        try:
            reply = chat.ask(question)
        except IngestError as error:
            if not (isinstance(error, ProviderRefused) and is_too_long(error)):
                self.failure = error
                self._failures_in_a_row += 1
            raise
        finally:
            self.capabilities = chat.capabilities
        self.failure, self._failures_in_a_row = None, 0
        return reply

    def obstacle(self, what: str) -> str | None:
        """Why nothing more can be asked; `what` names the answers of a run: texts."""
        if self.problem is not None:
            return self.problem
        if self._failures_in_a_row >= MAX_FAILURES:
            return "it failed before in this run"
        return f"the time for {what} of this build is over" if self._clock() >= self._end else None

    def patience(self, seconds: float) -> Patience:
        """So many seconds for one thing, which end with those of the run."""
        return Patience(min(self._clock() + seconds, self._end), self._clock, self._sleep)


Kind = TypeVar("Kind", bound=Asker)


@contextmanager
def asking(
    store: ControlStore,
    organization_id: str,
    reach: Reach,
    answer_seconds: float,
    make: Callable[[Client, str, Capabilities], Kind],
) -> Iterator[Kind | None]:
    """What `make` makes for the endpoint of an organization, and a note of its answers at the end; None without one."""
    found = used_endpoint(store, organization_id)
    if found is None:
        yield None
        return
    with client_of(_connection(found), reach, answer_seconds=answer_seconds) as client:
        known = Capabilities.remembered(found.capabilities)
        asker = make(client, str(found.options.get("model") or ""), known)
        asker.problem = found.problem
        yield asker
        if asker.is_asked:
            note_answers(
                store,
                organization_id,
                found.id,
                capabilities=asker.capabilities.as_json,
                failure=str(asker.failure) if asker.failure is not None else None,
                reason=_reason(asker.failure),
            )


def _connection(found: UsableConnection) -> Connection:
    return Connection(
        found.id, found.organization_id, found.kind, found.address, found.secret, found.user, found.options
    )


def _reason(failure: IngestError | None) -> str | None:
    if failure is None:
        return None
    if isinstance(failure, ProviderRefused):
        return str(failure.refusal)
    return "UNAVAILABLE" if isinstance(failure, Transient) else "INVALID"
