"""OpenTelemetry traces of the service, sent by OTLP where the standard variables name a receiver; else nothing.

A span has names of the service's own parts, templates and statuses: no text of a request, no name of a tenant or
person, no message of an error. Every part may import this module, so the library is imported where traces start.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from api.operator.release import release

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
DISABLED = "OTEL_SDK_DISABLED"
# A receiver that is gone does not keep a process that ends.
SECONDS_TO_END = 2

# Empty, or the one tracer of this process.
_tracers: list[Tracer] = []


def start(service: str) -> None:
    """Send the spans of this process from here on, as `service`, where the environment names a receiver."""
    if not any(os.environ.get(name, "").strip() for name in ENDPOINTS):
        return
    if _tracers or os.environ.get(DISABLED, "").strip().lower() == "true":
        return
    import atexit  # noqa: PLC0415
    import threading  # noqa: PLC0415

    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

    resource = Resource.create({"service.name": service, "service.version": release()})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))

    def end() -> None:
        ending = threading.Thread(target=provider.shutdown, daemon=True)
        ending.start()
        ending.join(SECONDS_TO_END)

    atexit.register(end)
    _tracers.append(provider.get_tracer("eas", release()))


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
    from opentelemetry.trace import SpanKind, Status, StatusCode  # noqa: PLC0415

    with _tracers[0].start_as_current_span(
        name,
        context=_named_in(headers),
        kind=SpanKind.SERVER if is_request else SpanKind.INTERNAL,
        attributes=dict(attributes or {}),
        # Messages of errors may have names and addresses.
        record_exception=False,
        set_status_on_exception=False,
    ) as one:
        try:
            yield one
        except BaseException as error:
            one.set_attribute("error.type", type(error).__name__)
            one.set_status(Status(StatusCode.ERROR))
            raise


def fail() -> None:
    """Mark the present span as failed, where no error leaves its block."""
    if _tracers:
        from opentelemetry.trace import Status, StatusCode, get_current_span  # noqa: PLC0415

        get_current_span().set_status(Status(StatusCode.ERROR))


def trace_id(one: Span) -> str:
    """The id of the trace of a span, 32 hexadecimal digits."""
    return f"{one.get_span_context().trace_id:032x}"


def _named_in(headers: Mapping[str, str] | None) -> Any:
    if headers is None:
        return None
    from opentelemetry.trace.propagation.tracecontext import (  # noqa: PLC0415
        TraceContextTextMapPropagator,
    )

    return TraceContextTextMapPropagator().extract(headers)
