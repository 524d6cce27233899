"""Spans that a running service sends, decoded with the published classes of OTLP."""

import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from api.log_format import JsonFormatter
from api.monitoring.requests import ObservedRequests, Templates
from api.operator import traces
from tests.api.conftest import ROOT
from tests.api.monitoring.reading import here

TRACE = "0af7651916cd43dd8448eb211c80319c"
RUN = """
import dagster as dg
from orchestration.runtime.executor import one_process

@dg.op
def zaphod_step():
    raise RuntimeError("zaphod@example.org is unknown")

@dg.job(executor_def=one_process)
def reading():
    zaphod_step()

if __name__ == "__main__":
    import sys
    with dg.DagsterInstance.local_temp(sys.argv[1]) as instance:
        done = dg.execute_job(dg.reconstructable(reading), instance, raise_on_error=False)
        print(done.run_id)
"""


@contextmanager
def receiver() -> Iterator[tuple[str, list[Span]]]:
    """An OTLP receiver with its address, and the spans that it has received."""
    spans: list[Span] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            assert self.path == "/v1/traces"
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                spans.extend(span for scope in resource.scope_spans for span in scope.spans)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", spans
    finally:
        server.shutdown()
        server.server_close()


def _ran(program: str, data_dir: Path, address: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    file = data_dir / "program.py"
    file.write_text(program)
    settings = {
        "EAS_DATA_DIR": str(data_dir),
        "CONTROL_DATABASE_URL": f"sqlite:///{data_dir}/control.db",
        "OTEL_EXPORTER_OTLP_ENDPOINT": address,
        "PYTHONPATH": str(Path.cwd()),
    }
    return subprocess.run(
        [sys.executable, file, *arguments],
        env=os.environ | settings,
        capture_output=True,
        text=True,
        check=True,
    )


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """The spans of this process."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(traces, "_tracers", [provider.get_tracer("eas")])
    return exporter


def _ended(sent: InMemorySpanExporter) -> Sequence[ReadableSpan]:
    """The spans of all requests."""
    here()
    return sent.get_finished_spans()


def test_a_request_and_its_queries_share_the_trace_of_the_client(
    client: httpx.Client, sent: InMemorySpanExporter
) -> None:
    answer = client.get(
        f"{ROOT}/teams",
        params={"search": "zaphod"},
        headers={"traceparent": f"00-{TRACE}-b7ad6b7169203331-01", "User-Agent": "zaphod"},
    )
    assert answer.headers["X-Request-Id"] == TRACE
    spans = encode_spans(_ended(sent))
    assert {f"{span.context.trace_id:032x}" for span in _ended(sent)} == {TRACE}
    names = {span.name for span in _ended(sent)}
    assert names == {"GET /api/v1/organizations/{organization}/teams", "duckdb.query"}
    reads = {
        str(span.attributes["eas.read"])
        for span in _ended(sent)
        if span.attributes and "eas.read" in span.attributes
    }
    assert reads
    assert all(one.startswith("api.read.") for one in reads), reads
    # Every part of what is sent: names, attributes, events.
    content = spans.SerializeToString().lower()
    assert b"zaphod" not in content
    assert b"acme" not in content


def test_an_inner_read_is_a_span_of_its_call_with_the_same_id(
    client: httpx.Client, sent: InMemorySpanExporter
) -> None:
    called = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "list_teams", "arguments": {}},
    }
    answer = client.post("/mcp", json=called, headers={"Accept": "application/json, text/event-stream"})
    spans = {span.name: span for span in _ended(sent) if span.name != "duckdb.query"}
    outer = next(span for name, span in spans.items() if "/mcp" in name)
    inner = next(span for name, span in spans.items() if "/api/v1/" in name)
    assert inner.context.trace_id == outer.context.trace_id
    assert answer.headers["X-Request-Id"] == f"{outer.context.trace_id:032x}"


def test_an_error_is_named_by_its_class_and_its_log_by_the_id(
    sent: InMemorySpanExporter, caplog: pytest.LogCaptureFixture
) -> None:
    app = FastAPI()

    @app.get("/failing")
    def failing() -> None:
        logging.getLogger("api.failing").warning("it fails")
        raise ValueError("zaphod@example.org is unknown")

    lines: list[str] = []

    class Lines(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(JsonFormatter().format(record))

    handler = Lines()
    logging.getLogger("api.failing").addHandler(handler)
    observed = ObservedRequests(app, Templates(app))
    with TestClient(observed, raise_server_exceptions=False) as served:
        served.get("/failing")
    logging.getLogger("api.failing").removeHandler(handler)
    [span] = _ended(sent)
    assert span.attributes is not None
    assert (span.name, span.attributes["error.type"]) == ("GET /failing", "ValueError")
    assert b"zaphod" not in encode_spans([span]).SerializeToString()
    [line] = map(json.loads, lines)
    assert line["requestId"] == f"{span.context.trace_id:032x}"
    assert (line["level"], line["message"]) == ("WARNING", "it fails")


def test_a_step_that_fails_is_a_failed_span_of_its_run(tmp_path: Path) -> None:
    folder = tmp_path / "dagster"
    folder.mkdir()
    with receiver() as (address, spans):
        done = _ran(RUN, tmp_path, address, str(folder))
    run = next(span for span in spans if span.name == "reading")
    step = next(span for span in spans if span.name == "zaphod_step")
    assert done.stdout.split()[-1] in {one.value.string_value for one in run.attributes}
    assert step.parent_span_id == run.span_id
    assert step.status.code == Status.STATUS_CODE_ERROR
    assert b"example.org" not in step.SerializeToString() + run.SerializeToString()


def test_without_a_receiver_nothing_is_imported_or_sent() -> None:
    program = (
        "import sys; from api.operator import traces; traces.start('eas-api')\n"
        "with traces.span('x') as span: assert span is None\n"
        "assert 'opentelemetry.sdk' not in sys.modules"
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")}
    subprocess.run([sys.executable, "-c", program], env=kept, check=True)
