"""Accepts requests of OTLP exporters: the only module of `ingest.telemetry` that the API may import.

A request becomes rows; what is not needed of it is dropped before anything is stored. Keep out: HTTP and credentials
(api/otlp), the way into the lake (`loading`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import orjson
from google.protobuf.message import Message
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2 as logs
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2 as metrics
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as traces

from ingest.telemetry import events, points, spans
from ingest.telemetry.bodies import (
    MAX_BODY,
    Encoding,
    Refused,
    decoded,
    encoded,
    encoding_of,
    refuse_many,
    status,
)
from ingest.telemetry.rows import Rows
from ingest.telemetry.spool import Spool

__all__ = [
    "MAX_BODY",
    "Accepted",
    "Encoding",
    "Refused",
    "Sender",
    "Signal",
    "Spool",
    "accept",
    "encoding_of",
    "status",
]


class Signal(StrEnum):
    """The last part of the path."""

    LOGS = "logs"
    METRICS = "metrics"
    TRACES = "traces"


@dataclass(frozen=True, slots=True)
class Sender:
    """The ingest token of a request, and the address of the developer whom it names."""

    token_id: str
    email: str | None


@dataclass(frozen=True, slots=True)
class Accepted:
    """What of a request belongs into the spool (None: nothing), and the answer to it."""

    line: bytes | None
    answer: bytes


@dataclass(frozen=True, slots=True)
class _Kind:
    request: type[Message]
    response: type[Message]
    # The field of `partial_success` with the number of rejected records.
    rejected: str
    sizes: Callable[[Any], Iterator[int]]
    read: Callable[[Any, Rows], None]


KINDS = {
    Signal.LOGS: _Kind(
        logs.ExportLogsServiceRequest,
        logs.ExportLogsServiceResponse,
        "rejected_log_records",
        events.sizes,
        events.read,
    ),
    Signal.METRICS: _Kind(
        metrics.ExportMetricsServiceRequest,
        metrics.ExportMetricsServiceResponse,
        "rejected_data_points",
        points.sizes,
        points.read,
    ),
    Signal.TRACES: _Kind(
        traces.ExportTraceServiceRequest,
        traces.ExportTraceServiceResponse,
        "rejected_spans",
        spans.sizes,
        spans.read,
    ),
}


def accept(
    signal: Signal,
    encoding: Encoding,
    content_encoding: str,
    body: bytes,
    sender: Sender,
    received_at: datetime,
) -> Accepted:
    """The rows of a request as one line of the spool, and its answer. Raises Refused."""
    kind = KINDS[signal]
    rows = Rows(received_at, sender.token_id)
    request = decoded(kind.request, encoding, content_encoding, body)
    refuse_many(kind.sizes(request))
    kind.read(request, rows)
    response: Any = kind.response()
    if rows.rejected:
        setattr(response.partial_success, kind.rejected, rows.rejected)
        response.partial_success.error_message = rows.message
    line = None
    if rows.by_table:
        content = {
            "token_id": sender.token_id,
            "token_email": sender.email,
            "received_at": round(received_at.timestamp() * 1e6),
            "rows": rows.by_table,
        }
        line = orjson.dumps(content)
    return Accepted(line, encoded(response, encoding))
