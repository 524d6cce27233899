"""Spans of OpenTelemetry, sent by OTLP over HTTP. `traces` imports this module where they are sent.

Keep out: whether they are (traces.py).
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer, get_current_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from api.operator.release import release

# A receiver that is gone does not keep a process that ends.
SECONDS_TO_END = 2


def tracer(service: str) -> Tracer:
    """A tracer whose spans are sent as of `service`, the last ones when the process ends."""
    resource = Resource.create({"service.name": service, "service.version": release()})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))

    def end() -> None:
        ending = threading.Thread(target=provider.shutdown, daemon=True)
        ending.start()
        ending.join(SECONDS_TO_END)

    atexit.register(end)
    return provider.get_tracer("eas", release())


@contextmanager
def span(
    one: Tracer,
    name: str,
    attributes: Mapping[str, str | int],
    headers: Mapping[str, str] | None,
    is_request: bool,
) -> Iterator[Span]:
    """A span around the block, in the trace that the headers of a request name."""
    with one.start_as_current_span(
        name,
        context=_named_in(headers),
        kind=SpanKind.SERVER if is_request else SpanKind.INTERNAL,
        attributes=dict(attributes),
        # Messages of errors may have names and addresses.
        record_exception=False,
        set_status_on_exception=False,
    ) as begun:
        try:
            yield begun
        except BaseException as error:
            begun.set_attribute("error.type", type(error).__name__)
            begun.set_status(Status(StatusCode.ERROR))
            raise


def fail() -> None:
    """Mark the present span as failed."""
    get_current_span().set_status(Status(StatusCode.ERROR))


def _named_in(headers: Mapping[str, str] | None) -> Context | None:
    return None if headers is None else TraceContextTextMapPropagator().extract(headers)
