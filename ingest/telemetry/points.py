"""Data points of metrics: the counters that models use, by one name for all tools.

Tokens and costs are in events and spans; their metrics are read by nobody, because they would count twice. Keep out:
the sum of a counter over time, which models make of its points.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from google.protobuf.message import Message
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.metrics.v1.metrics_pb2 import (
    AggregationTemporality,
    DataPointFlags,
    Metric,
    NumberDataPoint,
    Sum,
)

from ingest.telemetry.attributes import Attributes, WrongValue, refuse_many
from ingest.telemetry.rows import Row, Rows, about, key_of, tool_of

# The name of a metric without the prefix of its tool, for each tool that has it.
SESSIONS = {"session.count", "thread.started"}
LINES = {"lines_of_code.count", "lines.changed"}
DECISIONS = {"code_edit_tool.decision", "edit.acceptance.count"}
COUNTERS = {
    "commit.count": "commits",
    "pull_request.count": "pull_requests",
    "active_time.total": "active_seconds",
    "code.lines_added": "lines_added",
}
PREFIXES = ("claude_code", "codex", "gemini_cli", "copilot_chat", "github.copilot")
LINE_KINDS = {
    "added": "lines_added",
    "removed": "lines_removed",
    "deleted": "lines_removed",
    "suggested": "lines_suggested",
    "accepted": "lines_accepted",
}
DECISION_KINDS = {
    "accept": "edits_accepted",
    "accepted": "edits_accepted",
    "reject": "edits_rejected",
    "rejected": "edits_rejected",
}
MAX_VALUE = 1e12
# A list of agents in the background is no session of work.
NO_SESSION = "agents_view"


def sizes(request: ExportMetricsServiceRequest) -> Iterator[int]:
    """The number of points of each metric, and 0 for each resource and scope."""
    for resource in request.resource_metrics:
        yield 0
        for scope in resource.scope_metrics:
            yield 0
            yield from (_size(metric) for metric in scope.metrics)


def _size(metric: Metric) -> int:
    kind = metric.WhichOneof("data")
    return len(getattr(metric, kind).data_points) if kind else 0


def read(request: ExportMetricsServiceRequest, rows: Rows) -> None:
    """Add the rows of a request."""
    for resource in request.resource_metrics:
        of_resource = Attributes(resource.resource.attributes)
        sender: str | None = None
        for scope in resource.scope_metrics:
            for metric in scope.metrics:
                name = _known(metric.name)
                if name is None:
                    continue
                sender = sender or key_of(*_content(resource.resource.attributes))
                series = key_of(rows.sender, sender, scope.scope.name, metric.name)
                _read(metric, name, of_resource, series, rows)


def _known(given: str) -> str | None:
    """The name of a metric without prefix if one of its counters may be used."""
    name = next((given.removeprefix(f"{one}.") for one in PREFIXES if given.startswith(f"{one}.")), None)
    return name if name in SESSIONS | LINES | DECISIONS | COUNTERS.keys() else None


def _read(metric: Metric, name: str, of_resource: Attributes, series: str, rows: Rows) -> None:
    kind = metric.WhichOneof("data")
    if kind != "sum":
        for _ in range(_size(metric)):
            with rows.record():
                raise WrongValue(f"{name} is a {kind} and not a sum")
        return
    for point in metric.sum.data_points:
        with rows.record():
            found = Attributes(point.attributes, of_resource)
            counted = _metric(name, found)
            if (
                counted is not None
                and not point.flags & DataPointFlags.DATA_POINT_FLAGS_NO_RECORDED_VALUE_MASK
            ):
                refuse_many(point.attributes)
                rows.add("points", _row(metric, counted, point, found, series, rows))


def _metric(name: str, found: Attributes) -> str | None:
    """The counter that a point belongs to; None for one that is not used."""
    if name in SESSIONS:
        return "sessions" if found.text("start_type") != NO_SESSION else None
    if name in LINES:
        return LINE_KINDS.get(found.text("type", "copilot_chat.lines.kind") or "")
    if name in DECISIONS:
        told = found.text("decision", "copilot_chat.edit.outcome", "copilot_chat.edit.action")
        return DECISION_KINDS.get(told or "")
    return COUNTERS[name]


def _row(
    metric: Metric, counted: str, point: NumberDataPoint, found: Attributes, series: str, rows: Rows
) -> Row:
    value = _value(point, metric.sum)
    identity = key_of(series, *_content(point.attributes))
    return {
        "event_key": key_of(identity, point.start_time_unix_nano, point.time_unix_nano, value),
        "series": identity,
        "started_at": rows.instant(point.start_time_unix_nano) if point.start_time_unix_nano else None,
        "happened_at": rows.instant(point.time_unix_nano),
        "is_cumulative": _is_cumulative(metric.sum),
        "is_monotonic": metric.sum.is_monotonic,
        **about(found, tool_of(found.text("service.name"), metric.name)),
        "metric": counted,
        "model": found.text("model", "gen_ai.request.model"),
        "language": found.text("language", "language_id"),
        "value": value,
    }


def _value(point: NumberDataPoint, of: Sum) -> float:
    value = float(point.as_int if point.WhichOneof("value") == "as_int" else point.as_double)
    if not math.isfinite(value) or abs(value) > MAX_VALUE or (of.is_monotonic and value < 0):
        raise WrongValue("a value is no number that a counter can have")
    return value


def _is_cumulative(of: Sum) -> bool:
    if of.aggregation_temporality == AggregationTemporality.AGGREGATION_TEMPORALITY_UNSPECIFIED:
        raise WrongValue("a sum names no temporality, delta or cumulative")
    return of.aggregation_temporality == AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE


def _content(attributes: Iterable[Message]) -> list[bytes]:
    """All attributes in one order: they tell series apart, and only a hash of them is kept."""
    return sorted(bytes(one.SerializeToString()) for one in attributes)
