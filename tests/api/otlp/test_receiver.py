"""The receiver of telemetry, spoken to by OpenTelemetry's own exporters, and what is in the lake after it."""

from __future__ import annotations

import gzip
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from google.protobuf import json_format
from google.rpc.status_pb2 import Status
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)

from api.control.accounts.tokens import create_token
from api.control.store import ControlStore
from api.control.telemetry.ingest_tokens import create_ingest_token, revoke_ingest_token
from tests.api.conftest import client_for
from tests.api.otlp.conftest import Rows
from tests.api.otlp.exporters import Event, logged
from tests.api.otlp.staged import staged
from tests.api.published_facts import ORGANIZATION

PROTOBUF = {"Content-Type": "application/x-protobuf"}
CLAUDE = {"service.name": "claude-code", "service.version": "2.4.1"}
WHO = {"session.id": "s-1", "user.email": "Lin@Houses.dev", "user.account_uuid": "acc", "user.id": "f00"}
SECRET = "rm -rf / --no-preserve-root"


def api_request(**attributes: Any) -> Event:
    given = {
        "event.name": "api_request",
        **WHO,
        "model": "claude-opus-5-5",
        "input_tokens": 12,
        "output_tokens": 340,
        "cache_read_tokens": 9_000,
        "cache_creation_tokens": 77,
        "cost_usd": 0.0123,
        "cost_usd_micros": 12_345,
        "duration_ms": 2_100,
        "request_id": "req_1",
        "speed": "fast",
        "effort": "high",
        "query_source": "agent",
        "prompt": SECRET,
    }
    return Event(time.time_ns(), "claude_code.api_request", given | attributes)


def request_of(*records: dict[str, Any]) -> dict[str, Any]:
    """A request of OTLP as JSON with these records of Claude Code, each its attributes and a time in nanoseconds."""
    logs = [
        {
            "timeUnixNano": str(one.pop("time", time.time_ns())),
            "body": {"stringValue": "claude_code.api_request"},
            "traceId": "5b8efff798038103d269b633813fc60c",
            "attributes": [{"key": key, "value": value} for key, value in one.items()],
        }
        for one in records
    ]
    service = {"key": "service.name", "value": {"stringValue": "claude-code"}}
    return {"resourceLogs": [{"resource": {"attributes": [service]}, "scopeLogs": [{"logRecords": logs}]}]}


def many_records(count: int) -> bytes:
    request = ExportLogsServiceRequest()
    records = request.resource_logs.add().scope_logs.add().log_records
    for number in range(count):
        records.add(time_unix_nano=number).body.string_value = "claude_code.api_request"
    return bytes(request.SerializeToString())


def many_resources(count: int) -> bytes:
    request = ExportLogsServiceRequest()
    for _ in range(count):
        request.resource_logs.add()
    return bytes(request.SerializeToString())


@pytest.mark.parametrize("compression", ["gzip", "none"])
def test_events_of_claude_code_become_rows_without_what_was_written(
    address: str, key: str, lake: Rows, data_dir: Path, compression: str
) -> None:
    named = {
        "event.name": "tool_result",
        **WHO,
        "tool_parameters": f'{{"git_commit_id": "0123abc", "bash_command": "{SECRET}"}}',
        "tool_input": SECRET,
    }
    events = [
        Event(time.time_ns(), "claude_code.user_prompt", {"event.name": "user_prompt", "prompt": SECRET}),
        api_request(),
        Event(time.time_ns(), "claude_code.tool_result", named),
        Event(time.time_ns(), SECRET, {"event.name": "assistant_response", "response": SECRET}),
    ]
    sent = logged(address, key, CLAUDE, events, compression=Compression(compression))
    assert sent.send() == "SUCCESS"
    # The answer was lost, so the exporter sends it again.
    assert sent.send() == "SUCCESS"
    for file in (data_dir / "telemetry").rglob("*.*"):
        assert SECRET.encode() not in file.read_bytes()
    rows = lake("requests")
    assert len(rows) == 2
    assert len({row["event_key"] for row in rows}) == 1
    expected = {
        "tool": "claude_code", "model": "claude-opus-5-5", "input_tokens": 12, "output_tokens": 340,
        "cache_read_tokens": 9_000, "cache_write_tokens": 77, "cost_nano": 12_345_000, "duration_ms": 2_100,
        "speed": "fast", "effort": "high", "query_source": "agent", "session_id": "s-1", "requests": 1,
        "user_email": "Lin@Houses.dev", "user_account": "acc", "user_id": "f00", "service_version": "2.4.1",
        "token_email": "ada@houses.dev", "is_error": False, "organization_id": ORGANIZATION,
    }  # fmt: skip
    assert {name: rows[0][name] for name in expected} == expected
    links = lake("links")
    assert {(one["session_id"], one["commit_sha"]) for one in links} == {("s-1", "0123abc")}
    assert SECRET not in str(rows) + str(links)


def test_json_and_protobuf_answer_in_their_own_encoding(address: str, key: str, lake: Rows) -> None:
    good = {"input_tokens": {"intValue": "7"}, "request_id": {"stringValue": "json"}}
    bad = {"input_tokens": {"stringValue": "many"}}
    with client_for(address, key) as client:
        answer = client.post("/otlp/v1/logs", json=request_of(good, bad))
        assert answer.headers["content-type"] == "application/json"
        assert answer.json() == {
            "partialSuccess": {
                "rejectedLogRecords": "1",
                "errorMessage": "1 times: input_tokens is no count",
            }
        }
        answer = client.post("/otlp/v1/logs", content=b"", headers=PROTOBUF)
        assert answer.headers["content-type"] == "application/x-protobuf"
        assert ExportLogsServiceResponse.FromString(answer.content) == ExportLogsServiceResponse()
        refused = client.post("/otlp/v1/logs", content=b"\xff\xff", headers=PROTOBUF)
        assert refused.status_code == 400
        assert Status.FromString(refused.content).code == 3
    assert [row["input_tokens"] for row in lake("requests")] == [7]


def test_only_an_ingest_token_sends_and_it_does_nothing_else(
    address: str, store: ControlStore, key: str
) -> None:
    revoked = create_ingest_token(store, "acme", "lost")
    revoke_ingest_token(store, "acme", revoked.token.id)
    ends = store.now() + timedelta(milliseconds=1)
    expired = create_ingest_token(store, "acme", "old", expires_at=ends).key
    read = create_token(store, "acme", "ci", scope="write").key
    refusals = {
        None: "send the header",
        "other": "must be `Bearer ingest_…`",
        read: "is sent with an ingest token",
        revoked.key: "unknown or was revoked",
        expired: "the ingest token expired",
        "ingest_unknown": "unknown or was revoked",
    }
    for sent, problem in refusals.items():
        with client_for(address, sent) as client:
            answer = client.post("/otlp/v1/logs", content=b"", headers=PROTOBUF)
            assert (answer.status_code, answer.headers["www-authenticate"]) == (401, 'Bearer realm="api"')
            status = Status.FromString(answer.content)
            assert status.code == 16
            assert problem in status.message
    with client_for(address, key) as client:
        answer = client.get("/api/v1/organizations/acme")
        assert answer.status_code == 401
        assert "only sends telemetry" in answer.json()["message"]


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"x" * (50 * 1024**2), PROTOBUF, 413),
        (many_records(20_000), PROTOBUF, 413),
        (many_resources(1_000_000), PROTOBUF, 413),
        (b'{"resourceLogs": [' + b"{}," * 600_000 + b"{}]}", {"Content-Type": "application/json"}, 413),
        (gzip.compress(b"\0" * (64 * 1024**2)), PROTOBUF | {"Content-Encoding": "gzip"}, 413),
        (gzip.compress(b"\0" * 100)[:-9], PROTOBUF | {"Content-Encoding": "gzip"}, 400),
        (b"no gzip", PROTOBUF | {"Content-Encoding": "gzip"}, 400),
        (b"", PROTOBUF | {"Content-Encoding": "br"}, 415),
        (b"", {"Content-Type": "text/html"}, 415),
        (b"[" * 100_000, {"Content-Type": "application/json"}, 400),
        (b'{"resourceLogs": [{"scopeLogs": 7}]}', {"Content-Type": "application/json"}, 400),
        (b'{"resourceLogs": null, "unknown": {"a": [1]}}', {"Content-Type": "application/json"}, 200),
    ],
    ids=[
        "large",
        "records",
        "resources",
        "objects",
        "bomb",
        "cut",
        "plain",
        "brotli",
        "page",
        "deep",
        "shape",
        "unknown",
    ],
)
def test_a_body_that_cannot_be_read_is_refused_with_its_reason(
    address: str, key: str, lake: Rows, body: bytes, headers: dict[str, str], status: int
) -> None:
    with client_for(address, key) as client:
        answer = client.post("/otlp/v1/logs", content=body, headers=headers)
    assert answer.status_code == status
    if status != 200:
        told = Status.FromString(answer.content).message if headers == PROTOBUF else answer.text
        assert len(told) > 20
    assert lake("requests") == []


def test_what_is_no_event_is_told_and_the_others_count(address: str, key: str, lake: Rows) -> None:
    number = {"intValue": "1"}
    odd = {"stringValue": "'; drop table requests; --<script>alert(1)</script>\u202e\x00"}
    years = [0, 946_684_800 * 10**9, 4_102_444_800 * 10**9]
    with client_for(address, key) as client:
        told = client.post(
            "/otlp/v1/logs",
            json=request_of(
                *({"input_tokens": number, "time": at} for at in years),
                {"input_tokens": {"doubleValue": "NaN"}},
                {"input_tokens": {"intValue": "-5"}},
                {"input_tokens": {"stringValue": "9" * 5_000}},
                {"cost_usd": {"stringValue": "1e400"}},
                # More than a column of whole numbers holds in billionths.
                {"cost_usd": {"doubleValue": 1e10}},
                {"output_tokens": {"intValue": str(10**11)}},
                {"output_tokens": {"intValue": str(10**8 + 1)}},
                {"cost_usd": {"doubleValue": 5_000.01}},
                {f"a{number}": {"intValue": "1"} for number in range(200)},
                {"model": odd, "request_id": odd, "session.id": {"stringValue": "x" * 10_000}},
                {"input_tokens": {"arrayValue": {}}, "request_id": {"boolValue": True}},
                {"output_tokens": {"intValue": str(10**8)}, "cost_usd": {"doubleValue": 5_000.0}},
            ),
        ).json()["partialSuccess"]
    assert told["rejectedLogRecords"] == "12"
    assert "before 2020" in told["errorMessage"]
    rows = lake("requests")
    assert [row["input_tokens"] for row in rows] == [0, 0, 0]
    # Of the largest request that counts, sums of 64 bits hold a million.
    assert (rows[2]["output_tokens"], rows[2]["cost_nano"]) == (10**8, 5 * 10**12)
    assert rows[0]["model"] == "'; drop table requests; --<script>alert(1)</script>"
    assert len(rows[0]["session_id"]) == 256


def test_a_sequence_that_begins_again_with_a_resumed_session_loses_nothing(
    address: str, key: str, lake: Rows
) -> None:
    """Bedrock and Vertex give no id of a request."""
    numbered = {"session.id": {"stringValue": "resumed"}, "event.sequence": {"intValue": "3"}}
    now = time.time_ns()
    with client_for(address, key) as client:
        for _ in range(2):
            for at in (now, now + 10**9):
                sent = request_of({**numbered, "time": at, "output_tokens": {"intValue": "5"}})
                assert client.post("/otlp/v1/logs", json=sent).status_code == 200
    assert len(staged("requests", lake("requests"))) == 2


def test_the_same_batch_as_protobuf_has_the_keys_of_its_json(address: str, key: str, lake: Rows) -> None:
    content = request_of({"request_id": {"stringValue": "both"}, "output_tokens": {"intValue": "5"}})
    with client_for(address, key) as client:
        client.post("/otlp/v1/logs", json=content)
        for record in content["resourceLogs"][0]["scopeLogs"][0]["logRecords"]:
            del record["traceId"]
        message = json_format.ParseDict(content, ExportLogsServiceRequest())
        client.post("/otlp/v1/logs", content=message.SerializeToString(), headers=PROTOBUF)
    assert len({row["event_key"] for row in lake("requests")}) == 1


def test_a_full_disk_is_answered_with_503_and_loses_nothing(
    address: str, key: str, lake: Rows, data_dir: Path
) -> None:
    with client_for(address, key) as client:
        first = request_of({"request_id": {"stringValue": "first"}})
        assert client.post("/otlp/v1/logs", json=first).status_code == 200
        folder = data_dir / "telemetry" / "spool" / ORGANIZATION
        for open_segment in folder.glob("*.open"):
            open_segment.rename(open_segment.with_suffix(".taken"))
        aside = folder.with_name("aside")
        folder.rename(aside)
        folder.write_text("a file in the place of the folder")
        answer = client.post("/otlp/v1/logs", json=request_of({"request_id": {"stringValue": "second"}}))
        assert answer.status_code == 503
        assert int(answer.headers["retry-after"]) > 0
        folder.unlink()
        aside.rename(folder)
        assert client.post("/otlp/v1/logs", json=request_of({})).status_code == 200
    assert len(lake("requests")) == 2


def test_an_unknown_parameter_is_refused_in_the_encoding_of_the_request(address: str, key: str) -> None:
    with client_for(address, key) as client:
        answer: httpx.Response = client.post("/otlp/v1/logs?x=1", content=b"", headers=PROTOBUF)
    assert answer.status_code == 400
    assert Status.FromString(answer.content).code == 3
