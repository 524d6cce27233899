"""Log records: the events of Claude Code, Codex and Gemini CLI that stand for a model request, and named commits.

Each tool reports its tokens in several signals; the events here are the only ones that count. Keep out: counters
(`points`), spans (`spans`).
"""

from __future__ import annotations

from collections.abc import Iterator

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from ingest.telemetry.attributes import Attributes, commit_of, refuse_many
from ingest.telemetry.rows import Row, Rows, about, key_of, tool_of

REQUESTS = {
    ("claude_code", "api_request"),
    ("claude_code", "api_error"),
    ("codex", "sse_event"),
    ("gemini_cli", "api_response"),
    ("gemini_cli", "api_error"),
}
RESULT = ("claude_code", "tool_result")
COMPLETED = "response.completed"


def sizes(request: ExportLogsServiceRequest) -> Iterator[int]:
    """The number of records of each scope, and 0 for each resource."""
    for resource in request.resource_logs:
        yield 0
        yield from (len(scope.log_records) for scope in resource.scope_logs)


def read(request: ExportLogsServiceRequest, rows: Rows) -> None:
    """Add the rows of a request."""
    for resource in request.resource_logs:
        of_resource = Attributes(resource.resource.attributes)
        for scope in resource.scope_logs:
            for record in scope.log_records:
                with rows.record():
                    _read(record, of_resource, rows)


def _read(record: LogRecord, of_resource: Attributes, rows: Rows) -> None:
    tool, event = _event(record, of_resource.text("service.name"))
    if (tool, event) in REQUESTS:
        refuse_many(record.attributes)
        found = Attributes(record.attributes, of_resource)
        if tool == "codex" and not _is_completed(found):
            return
        happened = rows.instant(record.time_unix_nano, record.observed_time_unix_nano)
        rows.add("requests", _request(tool, event, found, happened))
    elif (tool, event) == RESULT:
        commit = commit_of(record.attributes)
        if commit is not None:
            refuse_many(record.attributes)
            found = Attributes(record.attributes, of_resource)
            happened = rows.instant(record.time_unix_nano, record.observed_time_unix_nano)
            shared = about(found, tool)
            key = key_of(tool, shared["session_id"], commit)
            rows.add("links", {"event_key": key, "happened_at": happened, "commit_sha": commit, **shared})


def _event(record: LogRecord, service: str | None) -> tuple[str, str]:
    """The tool and the event of a record, by the first of its names that is known; empty for any other.

    Codex has a place in its source as the name of the record, and Claude Code no prefix in the attribute.
    """
    attribute = next((one.value.string_value for one in record.attributes if one.key == "event.name"), "")
    # A body can be a prompt, so only its beginning is compared, and never kept.
    for given in (record.event_name, attribute, record.body.string_value[:64]):
        tool = tool_of(service, given)
        found = tool, given.removeprefix(f"{tool}.")
        if found in REQUESTS or found == RESULT:
            return found
    return "", ""


def _is_completed(found: Attributes) -> bool:
    """Whether a record is the end of a request. Codex sends two of them, one of which has the counts."""
    return found.text("event.kind") == COMPLETED and found.text("input_token_count") is not None


def _request(tool: str, event: str, found: Attributes, happened: int) -> Row:
    row = {
        "happened_at": happened,
        **about(found, tool),
        "service_version": found.text("service.version", "app.version"),
        "organization_ref": found.text("organization.id"),
        "model": found.text("model"),
        "effort": found.text("effort", "reasoning_effort", "model_reasoning_effort"),
        "speed": found.text("speed"),
        "service_tier": found.text("service_tier"),
        "query_source": found.text("query_source"),
        "requests": 1,
        "duration_ms": found.count("duration_ms"),
        "repository_ref": found.repository(),
        "branch": found.text("vcs.ref.head.name"),
        "is_error": event == "api_error",
        **TOKENS[tool](found),
    }
    return {"event_key": _key(tool, found, row), **row}


def _claude_code(found: Attributes) -> Row:
    micro = found.count("cost_usd_micros")
    return {
        "input_tokens": found.tokens("input_tokens"),
        "cache_read_tokens": found.tokens("cache_read_tokens"),
        "cache_write_tokens": found.tokens("cache_creation_tokens"),
        "output_tokens": found.tokens("output_tokens"),
        "cost_nano": micro * 1000 if micro is not None else found.dollars_nano("cost_usd"),
    }


def _codex(found: Attributes) -> Row:
    cached, written = found.tokens("cached_token_count"), found.tokens("cache_write_token_count")
    return {
        "input_tokens": uncached(found.tokens("input_token_count"), cached + written),
        "cache_read_tokens": cached,
        "cache_write_tokens": written,
        "output_tokens": found.tokens("output_token_count"),
        "reasoning_tokens": found.count("reasoning_token_count"),
    }


def _gemini_cli(found: Attributes) -> Row:
    cached, thoughts = found.tokens("cached_content_token_count"), found.tokens("thoughts_token_count")
    prompt = uncached(found.tokens("input_token_count"), cached)
    return {
        # Results of tools are sent as input, and no part of the prompt.
        "input_tokens": prompt + found.tokens("tool_token_count"),
        "cache_read_tokens": cached,
        "cache_write_tokens": 0,
        # Thoughts cost as much as output, and are no part of it.
        "output_tokens": found.tokens("output_token_count") + thoughts,
        "reasoning_tokens": found.count("thoughts_token_count"),
    }


TOKENS = {"claude_code": _claude_code, "codex": _codex, "gemini_cli": _gemini_cli}


def uncached(tokens: int, cached: int) -> int:
    """Input tokens without the cached ones. A report of more cached tokens than input leaves them out already."""
    return tokens - cached if cached <= tokens else tokens


def _key(tool: str, found: Attributes, row: Row) -> str:
    request, sequence = found.text("request_id"), found.text("event.sequence")
    session = row["session_id"]
    if tool == "claude_code" and request is not None:
        # An attempt that failed can have the id of the one that succeeds.
        return key_of(tool, request, row["is_error"])
    at = found.text("event.timestamp") or row["happened_at"]
    if tool == "claude_code" and session is not None and sequence is not None:
        # The sequence begins again with a session that is resumed.
        return key_of(tool, session, sequence, at)
    counts = [row[name] for name in ("input_tokens", "cache_read_tokens", "output_tokens")]
    return key_of(tool, session, at, row["model"], row["is_error"], counts)
