"""Metrics and spans of the SDK, and sequences of each tool: every event counts once, in one signal."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from opentelemetry.sdk.metrics import Counter as SdkCounter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import AggregationTemporality, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.trace import SpanKind

from tests.api.conftest import client_for
from tests.api.otlp.conftest import Rows
from tests.api.otlp.exporters import Event, exporter, logged
from tests.api.otlp.staged import staged

NEVER = 1e9


class Tool:
    """A process of a tool whose counters are sent when told to."""

    def __init__(self, address: str, key: str, service: str, temporality: AggregationTemporality) -> None:
        sink = exporter("metrics", address, key, preferred_temporality={SdkCounter: temporality})
        self._reader = PeriodicExportingMetricReader(sink, export_interval_millis=NEVER)
        resource = Resource.create({"service.name": service, "service.instance.id": str(time.time_ns())})
        self._provider = MeterProvider([self._reader], resource, shutdown_on_exit=False)
        self._meter = self._provider.get_meter("tool")
        self._counters: dict[str, Any] = {}

    def count(self, name: str, value: float, **attributes: str) -> None:
        counter = self._counters.get(name) or self._counters.setdefault(
            name, self._meter.create_counter(name)
        )
        counter.add(value, attributes)

    def send(self) -> None:
        assert self._provider.force_flush()

    def end(self) -> None:
        self._provider.shutdown()


def totals(lake: Rows) -> Mapping[tuple[str, str], float]:
    found: Counter[tuple[str, str]] = Counter()
    for row in staged("points", lake("points")):
        found[row["tool"], row["metric"]] += row["increment"]
    return found


@pytest.mark.parametrize("temporality", [AggregationTemporality.DELTA, AggregationTemporality.CUMULATIVE])
def test_counters_count_once_whatever_their_temporality_and_however_often_the_process_restarts(
    address: str, key: str, lake: Rows, temporality: AggregationTemporality
) -> None:
    for _ in range(2):
        tool = Tool(address, key, "claude-code", temporality)
        for turn in range(3):
            tool.count("claude_code.lines_of_code.count", 10 + turn, type="added", **{"session.id": "s"})
            tool.count("claude_code.lines_of_code.count", 1, type="removed", **{"session.id": "s"})
            tool.count("claude_code.commit.count", 1, **{"session.id": "s"})
            tool.count("claude_code.session.count", 1, start_type="agents_view" if turn else "fresh")
            tool.count("claude_code.active_time.total", 1.5, type="user")
            tool.count("claude_code.code_edit_tool.decision", 2, decision="accept", language="Python")
            tool.count("claude_code.code_edit_tool.decision", 1, decision="reject", language="Python")
            tool.count("claude_code.token.usage", 1_000, type="input")
            tool.count("claude_code.cost.usage", 1, model="m")
            tool.send()
        tool.end()
    assert totals(lake) == {
        ("claude_code", "lines_added"): 66,
        ("claude_code", "lines_removed"): 6,
        ("claude_code", "commits"): 6,
        ("claude_code", "sessions"): 2,
        ("claude_code", "active_seconds"): 9,
        ("claude_code", "edits_accepted"): 12,
        ("claude_code", "edits_rejected"): 6,
    }


def test_points_that_were_sent_again_and_wrong_ones_change_nothing(
    address: str, key: str, lake: Rows
) -> None:
    now = time.time_ns()

    def metric(name: str, kind: str, temporality: int, *values: Any) -> dict[str, Any]:
        points = [
            {"timeUnixNano": str(now), "startTimeUnixNano": str(now - 10**9), "attributes": []} | value
            for value in values
        ]
        about = {} if kind == "gauge" else {"aggregationTemporality": temporality, "isMonotonic": True}
        return {"name": name, kind: {"dataPoints": points, **about}}

    scope = {
        "metrics": [
            metric(
                "claude_code.commit.count", "sum", 1, {"asInt": "4"}, {"asDouble": "NaN"}, {"asInt": "-4"}
            ),
            metric("claude_code.pull_request.count", "sum", 0, {"asInt": "4"}),
            metric("claude_code.session.count", "gauge", 1, {"asInt": "4"}),
            metric(
                "claude_code.session.count", "sum", 2, {"asInt": "4", "timeUnixNano": "4102444800000000000"}
            ),
            metric("something.else", "gauge", 1, {"asInt": "4"}),
        ]
    }
    body = {"resourceMetrics": [{"scopeMetrics": [scope]}]}
    with client_for(address, key) as client:
        for _ in range(3):
            told = client.post("/otlp/v1/metrics", json=body).json()["partialSuccess"]
            assert told["rejectedDataPoints"] == "5"
            assert "session.count is a gauge and not a sum" in told["errorMessage"]
    assert totals(lake) == {("claude_code", "commits"): 4}


def test_spans_of_copilot_count_for_one_service_of_a_trace(address: str, key: str, lake: Rows) -> None:
    def provider(service: str) -> TracerProvider:
        found = TracerProvider(resource=Resource.create({"service.name": service}), shutdown_on_exit=False)
        found.add_span_processor(SimpleSpanProcessor(exporter("traces", address, key)))
        return found

    editor, terminal = provider("copilot-chat"), provider("github-copilot")

    def request(of: TracerProvider, name: str, **more: Any) -> None:
        tokens = {"gen_ai.usage.input_tokens": 100, "gen_ai.usage.cache_read.input_tokens": 60}
        attributes = {"gen_ai.operation.name": name, "gen_ai.response.model": "gpt-6", "prompt": "SECRET"}
        attributes |= {"gen_ai.request.reasoning.level": "low"}
        kinds = {"chat": "cache_write", "generate_content": "cache_creation"}
        tokens |= {"gen_ai.usage.output_tokens": 7, f"gen_ai.usage.{kinds.get(name)}.input_tokens": 30}
        tracer = of.get_tracer("t")
        with tracer.start_as_current_span(name, kind=SpanKind.CLIENT, attributes=attributes | tokens | more):
            pass

    agent: dict[str, Any] = {"gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 300}
    with editor.get_tracer("t").start_as_current_span("invoke_agent", attributes=agent):
        request(editor, "chat")
        request(terminal, "chat")
        request(terminal, "chat")
    request(editor, "chat", **{"gen_ai.agent.name": "claude"})
    request(editor, "chat", **{"gen_ai.agent.name": "copilotcli"})
    request(editor, "execute_tool")
    request(editor, "chat")
    request(provider("claude-code"), "chat")
    request(provider("own-agent"), "generate_content", **{"user.email": "lin@houses.dev"})
    planner, writer = provider("planner"), provider("writer")
    with planner.get_tracer("t").start_as_current_span("invoke_agent", attributes=agent):
        request(planner, "chat")
        request(writer, "chat")
    rows = staged("requests", lake("requests"))
    found = Counter((row["tool"], row["service_name"]) for row in rows)
    assert found == {
        ("copilot", "github-copilot"): 2,
        ("copilot", "copilot-chat"): 1,
        ("own-agent", "own-agent"): 1,
        # Two services of one trace that wrap nobody.
        ("planner", "planner"): 1,
        ("writer", "writer"): 1,
    }
    counts = {
        (row["input_tokens"], row["cache_read_tokens"], row["cache_write_tokens"], row["output_tokens"])
        for row in rows
    }
    assert counts == {(10, 60, 30, 7)}
    assert {row["effort"] for row in rows} == {"low"}
    assert "SECRET" not in str(rows)


def test_codex_counts_completed_responses_alone(address: str, key: str, lake: Rows) -> None:
    now = time.time_ns()
    shared = {
        "conversation.id": "c",
        "user.email": "lin@houses.dev",
        "model": "gpt-6.1-sol",
        "app.version": "1",
    }

    def event(name: str, at: int, **more: str) -> Event:
        stamp = {"event.timestamp": f"2026-11-02T10:00:{at:02d}.000Z"}
        place = "event otel/src/events/session_telemetry.rs:1187"
        return Event(now, "", {"event.name": name, **shared, **stamp, **more}, place)

    def completed(at: int, **tokens: str) -> Event:
        return event("codex.sse_event", at, **{"event.kind": "response.completed", **tokens})

    tokens = {
        "input_token_count": "12,000", "cached_token_count": "9000", "output_token_count": "500",
        "cache_write_token_count": "1000", "reasoning_token_count": "320", "tool_token_count": "12500",
        "model_reasoning_effort": "high",
    }  # fmt: skip
    events = [
        event("codex.user_prompt", 0, prompt="SECRET"),
        *(event("codex.sse_event", 1, **{"event.kind": "response.output_text.delta"}) for _ in range(200)),
        # Each end of a request comes twice, once without the counts.
        completed(2, duration_ms="0"),
        completed(2, **tokens),
        completed(3, duration_ms="0"),
        completed(3, **tokens),
        event("codex.tool_result", 4, arguments="SECRET", output="SECRET"),
    ]
    sent = logged(address, key, {"service.name": "codex_cli_rs"}, events)
    assert [sent.send(), sent.send()] == ["SUCCESS"] * 2
    rows = staged("requests", lake("requests"))
    assert [
        (row["input_tokens"], row["cache_read_tokens"], row["cache_write_tokens"], row["output_tokens"])
        for row in rows
    ] == [(2_000, 9_000, 1_000, 500)] * 2
    assert {(row["reasoning_tokens"], row["effort"]) for row in rows} == {(320, "high")}
    assert {(row["tool"], row["session_id"], row["service_version"]) for row in rows} == {("codex", "c", "1")}


def test_gemini_counts_thoughts_as_output_and_cached_input_apart(address: str, key: str, lake: Rows) -> None:
    given = {
        "event.name": "gemini_cli.api_response", "session.id": "g", "installation.id": "i", "model": "gemini-4-argon",
        "input_token_count": 1_000, "cached_content_token_count": 400, "output_token_count": 50,
        "thoughts_token_count": 30, "tool_token_count": 5, "duration_ms": 12.0, "response_text": "SECRET",
        "event.timestamp": "2026-11-02T10:00:00Z",
    }  # fmt: skip
    failed = {
        "event.name": "gemini_cli.api_error",
        "session.id": "g",
        "model": "gemini-4-argon",
        "error": "SECRET",
    }
    events = [Event(time.time_ns(), "API response", given), Event(time.time_ns(), "API error", failed)]
    logged(address, key, {"service.name": "gemini-cli"}, events).send()
    rows = sorted(staged("requests", lake("requests")), key=lambda row: bool(row["is_error"]))
    assert [(row["input_tokens"], row["cache_read_tokens"], row["output_tokens"]) for row in rows] == [
        (605, 400, 80),
        (0, 0, 0),
    ]
    assert [row["is_error"] for row in rows] == [False, True]
    assert rows[0]["user_id"] == "i"
    assert "SECRET" not in str(rows)
