"""Model endpoints: what the check of one says, what is asked of servers that know less, and what no message tells."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.connections.model import Connection
from ingest.errors import IngestError, Permanent, ProviderRefused, RateLimited, Refusal, Transient
from ingest.http.client import Client
from ingest.providers.openai_compatible.capabilities import Capabilities, Format, is_too_long
from ingest.providers.openai_compatible.chat import Chat, Patience, Question, Reply, json_of
from ingest.providers.registry import checked, client_of, provider
from ingest.reach import Reach
from tests.ingest.http.scripted_server import Step, answer, cut, hang
from tests.ingest.providers.openai_compatible.model_server import (
    KEY,
    MODEL,
    ModelServer,
    refused,
    running,
    said,
)

NEAR = Reach(frozenset({"127.0.0.1"}))
FORM = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}
OLD = Capabilities(Format.PLAIN, "max_tokens", has_temperature=False)


def connection(address: str, secret: str = "", model: str = MODEL) -> Connection:
    return Connection("c", "o", "OPENAI_COMPATIBLE", f"{address}/v1", secret, options={"model": model})


def check(server: ModelServer, model: str = MODEL) -> Any:
    """The check of a connection. The key of the server is added here, because no user may send one over http."""
    with running(server) as found:
        wanted = connection(found.address, "", model)
        login = provider(wanted.kind).login(connection(found.address, server.key or ""))
        with Client(login, provider(wanted.kind).rate_limits, reach=NEAR) as client:
            return checked(client, wanted)


def ask(
    server: ModelServer, capabilities: Capabilities | None = None, seconds: float = 30.0
) -> tuple[Reply, Chat]:
    server.key = None
    with running(server) as found, client_of(connection(found.address), NEAR) as client:
        chat = Chat(client, capabilities, Patience.of(seconds, sleep=lambda _: None))
        return chat.ask(Question(MODEL, [{"role": "user", "content": "?"}], 100, "form", FORM)), chat


def test_a_check_lists_models_and_asks_for_sixteen_tokens() -> None:
    server = ModelServer()
    assert check(server).account == f"{MODEL}-2026"
    [body] = server.bodies
    assert (body["model"], body["max_completion_tokens"]) == (MODEL, 16)
    assert "response_format" not in body


@pytest.mark.parametrize(
    ("server", "model", "refusal", "told"),
    [
        (ModelServer(refuse=lambda _: refused(401, "no")), MODEL, Refusal.UNAUTHORIZED, "create a new one"),
        (ModelServer(refuse=lambda _: refused(403, "no")), MODEL, Refusal.FORBIDDEN, "allow the key"),
        (ModelServer(), "wrong", Refusal.INVALID, f"no model wrong; it lists {MODEL}, large-1"),
        (ModelServer(models=answer({}, 404)), "wrong", Refusal.INVALID, "no model wrong."),
        (
            ModelServer(models=answer({}, 404), refuse=lambda _: answer({}, 404)),
            MODEL, Refusal.NOT_FOUND, "usually ends with /v1",
        ),
        (
            ModelServer(refuse=lambda _: refused(429, "You exceeded your quota", "insufficient_quota")),
            MODEL, Refusal.PLAN_REQUIRED, "no quota left",
        ),
        (ModelServer(write=lambda _: answer({"text": "ready"})), MODEL, Refusal.BAD_ADDRESS, "ends with /v1"),
        (
            ModelServer(write=lambda _: answer(b"<html>", content_type="text/html")),
            MODEL, Refusal.BAD_ADDRESS, "a page instead of data",
        ),
    ],
)  # fmt: skip
def test_a_check_names_what_to_correct(server: ModelServer, model: str, refusal: Refusal, told: str) -> None:
    with pytest.raises(ProviderRefused, match=told) as found:
        check(server, model)
    assert found.value.refusal is refusal
    # Nothing of it gets better by asking again.
    assert len(server.bodies) <= 1


def test_a_missing_model_is_asked_for_with_those_to_choose_from() -> None:
    with pytest.raises(Permanent, match=f"option model; it lists {MODEL}, large-1"):
        check(ModelServer(), "")


@pytest.mark.parametrize("status", [404, 405])
def test_a_server_that_lists_no_models_passes(status: int) -> None:
    assert check(ModelServer(models=answer({"detail": "no"}, status))).account


def test_a_model_that_reasons_longer_than_the_check_allows_passes() -> None:
    words = "Could not finish the message because max_tokens or model output limit was reached."
    assert check(ModelServer(refuse=lambda _: refused(400, words))).account == MODEL


def test_a_key_is_not_sent_without_encryption() -> None:
    server = ModelServer()
    with running(server) as found, client_of(connection(found.address, KEY), NEAR) as client:
        with pytest.raises(ProviderRefused, match="only sent encrypted"):
            checked(client, connection(found.address, KEY))
        assert found.lines == []


def test_a_server_without_keys_gets_no_header() -> None:
    server = ModelServer(key=None)
    with running(server) as found, client_of(connection(found.address), NEAR) as client:
        assert checked(client, connection(found.address)).account
        assert all("authorization" not in headers for headers in found.headers)


ALL = frozenset({"json_schema", "json_object"})


@pytest.mark.parametrize(
    ("unknown", "formats", "expected"),
    [
        (set(), ALL, Capabilities()),
        ({"max_completion_tokens"}, ALL, Capabilities(limit="max_tokens")),
        ({"temperature"}, ALL, Capabilities(has_temperature=False)),
        (set(), {"json_object"}, Capabilities(Format.JSON_OBJECT)),
        ({"response_format"}, ALL, Capabilities(Format.PLAIN)),
        ({"max_completion_tokens", "temperature", "response_format"}, set(), OLD),
    ],
)
def test_what_a_server_refuses_is_left_out_from_then_on(
    unknown: set[str], formats: set[str], expected: Capabilities
) -> None:
    server = ModelServer(
        lambda _: answer(said('{"a": "b"}')), unknown=frozenset(unknown), formats=frozenset(formats)
    )
    reply, chat = ask(server)
    assert json_of(reply.text) == {"a": "b"}
    assert chat.capabilities == expected
    remembered = Capabilities.remembered(json.loads(json.dumps(chat.capabilities.as_json)))
    before = len(server.bodies)
    ask(server, remembered)
    assert len(server.bodies) == before + 1


def test_a_server_that_knows_more_than_remembered_is_asked_for_it_again() -> None:
    server = ModelServer(unknown=frozenset({"max_tokens"}))
    _, chat = ask(server, Capabilities(limit="max_tokens"))
    assert chat.capabilities.limit == "max_completion_tokens"


def test_a_refusal_without_a_reason_ends() -> None:
    server = ModelServer(refuse=lambda _: answer({"detail": "Bad Request"}, 400))
    server.key = None
    with running(server) as found, client_of(connection(found.address), NEAR) as client:
        chat = Chat(client)
        with pytest.raises(ProviderRefused):
            chat.ask(Question(MODEL, [], 100, "form", FORM))
    assert len(server.bodies) == 4
    # Later questions are asked in the best form again.
    assert chat.capabilities == Capabilities()


@given(
    st.dictionaries(
        st.sampled_from(["format", "limit", "has_temperature"]), st.none() | st.text() | st.booleans()
    )
)
def test_any_stored_capabilities_can_be_read(stored: dict[str, Any]) -> None:
    found = Capabilities.remembered(stored)
    assert Capabilities.remembered(found.as_json) == found


@pytest.mark.parametrize(
    "step",
    [
        refused(400, "This model's maximum context length is 8192 tokens.", "context_length_exceeded"),
        refused(400, "the request exceeds the available context size, try increasing it"),
        answer({"error": "too large"}, 413),
    ],
)
def test_a_question_that_is_too_long_is_told_apart(step: Step) -> None:
    server = ModelServer(refuse=lambda _: step)
    with pytest.raises(ProviderRefused) as found:
        ask(server)
    assert is_too_long(found.value)
    assert len(server.bodies) == 1


def scripted(*steps: Step) -> Callable[[Any], Step]:
    waiting = list(steps)
    return lambda _: waiting.pop(0) if len(waiting) > 1 else waiting[0]


@pytest.mark.parametrize(
    "first",
    [
        answer({}, 500),
        answer({}, 503),
        cut(said("ready")),
        answer(b'{"choices": [', 200),
        answer({"error": {}}, 429, {"Retry-After": "2"}),
    ],
)
def test_a_fault_is_tried_once_more(first: Step) -> None:
    server = ModelServer(scripted(first, answer(said("ready"))))
    assert ask(server)[0].text == "ready"
    server = ModelServer(scripted(first))
    with pytest.raises(Transient):
        ask(server)
    assert len(server.bodies) == 2


def test_a_pause_that_is_longer_than_the_time_is_not_waited_for() -> None:
    server = ModelServer(scripted(answer({}, 429, {"Retry-After": "40"})))
    with pytest.raises(RateLimited):
        ask(server, seconds=30)
    assert len(server.bodies) == 1


def test_a_server_that_never_answers_holds_nobody_longer_than_the_time() -> None:
    held: list[socket.socket] = []
    with pytest.raises(Transient, match="too slowly"):
        ask(ModelServer(lambda _: hang(held)), seconds=0.5)
    for one in held:
        with suppress(OSError):
            one.close()


def test_an_answer_without_end_is_refused() -> None:
    with pytest.raises(ProviderRefused, match="2 megabytes"):
        ask(ModelServer(lambda _: answer(said("x" * 3 * 1024**2))))


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "b"}',
        'Here it is:\n```json\n{"a": "b"}\n```\nRegards',
        '```\n{"a": "b"}\n```',
        'Sure! {"a": "b"} – done',
        '<think>{no}</think>\n```json\n{"a": "b"}\n```',
    ],
)
def test_json_is_found_in_what_models_write_around_it(text: str) -> None:
    assert json_of(text) == {"a": "b"}


@pytest.mark.parametrize("text", ["", "no", '{"a": "b', "[1]", "{" * 100_000])
def test_an_answer_without_json_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="no JSON object"):
        json_of(text)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500])
def test_the_key_is_in_no_error_log_or_address(status: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server = ModelServer(refuse=lambda _: refused(status, f"bad key {KEY}"))
    with running(server) as found:
        login = provider("OPENAI_COMPATIBLE").login(connection(found.address, KEY))
        limits = provider("OPENAI_COMPATIBLE").rate_limits
        with Client(login, limits, reach=NEAR) as client, pytest.raises(IngestError) as raised:
            Chat(client).ask(Question(MODEL, [], 10))
        told = f"{raised.value!r} {vars(raised.value)} {raised.value.__cause__!r} {login!r}"
        assert KEY not in told + caplog.text + "".join(found.lines)
        assert server.bodies
