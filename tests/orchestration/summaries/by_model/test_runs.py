"""The time that a model gets, and a run with the endpoint of an organization."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from api.control.connections.connections import NewConnection, add_connection, connection
from api.control.connections.health import ConnectionHealth
from api.control.models.connections import MODEL_ENDPOINTS
from api.control.principals import OPERATOR
from api.control.store import ControlStore, open_store
from api.control.summaries.kinds import Author
from orchestration.summaries.by_model import writer as writing
from orchestration.summaries.by_model.writer import Written, model_writer
from tests.ingest.http.scripted_server import Step, answer, hang
from tests.ingest.providers.openai_compatible.model_server import MODEL, ModelServer, refused, running
from tests.orchestration.summaries.by_model.invented import COMPOSED, FACTS, GOOD, answering
from tests.orchestration.summaries.by_model.scripted_models import (
    CONTEXT,
    NEAR,
    Body,
    Clock,
    by_model,
    by_rules,
    each,
    write,
    writer_of,
    wrote,
)


def slow(clock: Clock, seconds: float, step: Step) -> Callable[[Body], Step]:
    def choose(_: Body) -> Step:
        clock.at += seconds
        return step

    return choose


def test_a_model_that_takes_a_minute_writes_and_one_that_takes_longer_ends() -> None:
    clock = Clock()
    server = ModelServer(slow(clock, 60, wrote(GOOD)))
    by_model(write(server, clock))
    clock = Clock()
    bad = wrote(answering("Nothing."))
    server = ModelServer(slow(clock, 61, bad))
    # The repair ends after two minutes and one second; nothing is asked again.
    by_rules(write(server, clock), "cites no fact")
    assert len(server.bodies) == 2
    clock = Clock()
    server = ModelServer(slow(clock, 121, bad))
    by_rules(write(server, clock), "time for an answer is over")
    assert len(server.bodies) == 1


def test_a_server_that_never_answers_holds_no_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[socket.socket] = []
    monkeypatch.setattr(writing, "SECONDS_OF_A_SUMMARY", 0.5)
    by_rules(write(ModelServer(lambda _: hang(held))), "answers too slowly")
    for one in held:
        with suppress(OSError):
            one.close()


def test_a_run_ends_after_its_time_and_after_two_failures_in_a_row() -> None:
    clock = Clock()
    server = ModelServer(slow(clock, 90, wrote(GOOD)))
    with writer_of(server, clock) as writer:
        texts = [writer.write(FACTS, COMPOSED, CONTEXT) for _ in range(12)]
    assert [one.written_by for one in texts].count(Author.MODEL) == 10
    by_rules(texts[-1], "the time for texts of this build is over")
    server = ModelServer(each(refused(401, "no")))
    with writer_of(server) as writer:
        texts = [writer.write(FACTS, COMPOSED, CONTEXT) for _ in range(5)]
    assert len(server.bodies) == 2
    by_rules(texts[-1], "it failed before in this run")


def test_a_defect_of_our_own_costs_no_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr(writing, "document_of", fail)
    written = by_rules(write(ModelServer(each(wrote(GOOD)))), "unexpected ZeroDivisionError")
    assert "secret" not in str(written.failure)


def test_the_newest_endpoint_writes_and_keeps_what_its_server_refused(tmp_path: Path) -> None:
    server = ModelServer(each(answer({}, 500)), key=None, formats=frozenset())
    with running(server) as found, closing(open_store(tmp_path)) as store:
        organization = "00000000-0000-7000-8000-000000000001"
        store.ensure_organization("Acme", organization_id=organization, slug="acme")
        assert used(store, organization) is None
        wanted = NewConnection(
            "OPENAI_COMPATIBLE",
            MODEL_ENDPOINTS,
            f"{found.address}/v1",
            "Writer",
            "",
            options={"model": MODEL},
        )
        made = add_connection(store, OPERATOR, organization, wanted)
        by_rules(used(store, organization) or Written(COMPOSED), "answers 500")
        shown = connection(store, organization, made.id)
        assert (shown.health, shown.failure_reason) == (ConnectionHealth.FAILING, "UNAVAILABLE")
        server.write = each(wrote(GOOD))
        by_model(used(store, organization) or Written(COMPOSED))
        shown = connection(store, organization, made.id)
        assert (shown.health, shown.failure) == (ConnectionHealth.HEALTHY, None)
        before = len(server.bodies)
        by_model(used(store, organization) or Written(COMPOSED))
        assert len(server.bodies) == before + 1


def used(store: ControlStore, organization_id: str) -> Written | None:
    """A text of the endpoint of an organization in a run of its own; None without an endpoint."""
    with model_writer(store, organization_id, NEAR) as writer:
        return writer.write(FACTS, COMPOSED, CONTEXT) if writer is not None else None
