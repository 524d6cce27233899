"""Spans of model requests, of tools that report their tokens nowhere else: GitHub Copilot, and others that follow
OpenTelemetry's conventions for generative AI.

A span of an agent or tool repeats the tokens of the requests below it, so only those of requests count. Claude Code,
Codex and Gemini CLI report theirs as events. Which of the services of one trace counts is decided by models.
"""

from __future__ import annotations

from collections.abc import Iterator

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from ingest.telemetry.attributes import Attributes, WrongValue, refuse_many
from ingest.telemetry.events import TOKENS, uncached
from ingest.telemetry.rows import Rows, about, key_of, tool_of

REQUESTS = frozenset({"chat", "text_completion", "generate_content"})
# The extension of the editor reports the sessions of these agents a second time.
WRAPPER, WRAPPED = "copilot-chat", frozenset({"copilotcli", "claude"})
TRACE_BYTES, SPAN_BYTES = 16, 8
NANOSECONDS_PER_MS = 1_000_000


def sizes(request: ExportTraceServiceRequest) -> Iterator[int]:
    """The number of spans of each scope, and 0 for each resource."""
    for resource in request.resource_spans:
        yield 0
        yield from (len(scope.spans) for scope in resource.scope_spans)


def read(request: ExportTraceServiceRequest, rows: Rows) -> None:
    """Add the rows of a request."""
    for resource in request.resource_spans:
        of_resource = Attributes(resource.resource.attributes)
        tool = tool_of(of_resource.text("service.name"))
        if tool in TOKENS:
            continue
        for scope in resource.scope_spans:
            for span in scope.spans:
                with rows.record():
                    _read(span, of_resource, tool, rows)


def _read(span: Span, of_resource: Attributes, tool: str, rows: Rows) -> None:
    found = Attributes(span.attributes, of_resource)
    service = found.text("service.name")
    if found.text("gen_ai.operation.name") not in REQUESTS:
        return
    if service == WRAPPER and found.text("gen_ai.agent.name") in WRAPPED:
        return
    refuse_many(span.attributes)
    if len(span.trace_id) != TRACE_BYTES or len(span.span_id) != SPAN_BYTES:
        raise WrongValue("a span has no id")
    happened = rows.instant(span.start_time_unix_nano)
    duration = span.end_time_unix_nano - span.start_time_unix_nano
    cached = found.tokens("gen_ai.usage.cache_read.input_tokens")
    # The conventions renamed it.
    written = found.tokens("gen_ai.usage.cache_write.input_tokens") or found.tokens(
        "gen_ai.usage.cache_creation.input_tokens"
    )
    row = {
        "event_key": key_of(span.trace_id, span.span_id),
        "happened_at": happened,
        **about(found, tool),
        "service_version": found.text("service.version"),
        "model": found.text("gen_ai.response.model", "gen_ai.request.model"),
        "effort": found.text("gen_ai.request.reasoning.level", "gen_ai.request.reasoning_effort"),
        "requests": 1,
        "input_tokens": uncached(found.tokens("gen_ai.usage.input_tokens"), cached + written),
        "cache_read_tokens": cached,
        "cache_write_tokens": written,
        "output_tokens": found.tokens("gen_ai.usage.output_tokens"),
        "reasoning_tokens": found.count("gen_ai.usage.reasoning.output_tokens"),
        "duration_ms": duration // NANOSECONDS_PER_MS if duration >= 0 else None,
        "repository_ref": found.repository(),
        "branch": found.text("vcs.ref.head.name", "github.copilot.git.branch"),
        "trace_id": span.trace_id.hex(),
        "is_error": span.status.code == Status.StatusCode.STATUS_CODE_ERROR,
    }
    rows.add("requests", row)
