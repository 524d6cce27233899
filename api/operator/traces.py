"""OpenTelemetry traces of the service, sent by OTLP where the standard variables name a receiver; else nothing.

A span has names of the service's own parts, templates and statuses: no text of a request, no name of a tenant or
person, no message of an error. Every part may import this module, so the library is imported where traces start.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
DISABLED = "OTEL_SDK_DISABLED"

# Empty, or the one tracer of this process.
_tracers: list[Tracer] = []


def start(service: str) -> None:
    """Send the spans of this process from here on, as `service`, where the environment names a receiver."""
    if not any(os.environ.get(name, "").strip() for name in ENDPOINTS):
        return
    if not _tracers and os.environ.get(DISABLED, "").strip().lower() != "true":
        _tracers.append(_library().tracer(service))


def are_sent() -> bool:
    """Whether spans of this process are sent."""
    return bool(_tracers)


@contextmanager
def span(
    name: str,
    attributes: Mapping[str, str | int] | None = None,
    *,
    headers: Mapping[str, str] | None = None,
    is_request: bool = False,
) -> Iterator[Span | None]:
    """A span around the block; None where none are sent. An error that leaves the block is named by its class.

    `headers`: those of a request, which may name the trace that it belongs to.
    """
    if not _tracers:
        yield None
        return
    with _library().span(_tracers[0], name, attributes or {}, headers, is_request) as one:
        yield one


def fail() -> None:
    """Mark the present span as failed, where no error leaves its block."""
    if _tracers:
        _library().fail()


def trace_id(one: Span) -> str:
    """The id of the trace of a span, 32 hexadecimal digits."""
    return f"{one.get_span_context().trace_id:032x}"


def _library() -> Any:
    """The module that imports OpenTelemetry's SDK, which takes a third of a second."""
    return import_module("api.operator.sent_traces")
