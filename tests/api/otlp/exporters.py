"""The SDK and the exporters of OpenTelemetry, and events of AI tools as they send them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from typing import Any

from opentelemetry.sdk.resources import Resource


@dataclass(frozen=True)
class Event:
    """A log record: its body and attributes, at an instant in nanoseconds. `name` is that of the record itself."""

    at: int
    body: str
    attributes: Mapping[str, Any]
    name: str | None = None


@dataclass
class Batches:
    """A processor of log records that sends them only when told to, so that a test decides about batches."""

    exporter: Any
    records: list[Any] = field(default_factory=list)

    def on_emit(self, record: Any) -> None:
        self.records.append(record)

    def send(self) -> str:
        """Send what was logged in one batch, as often as the exporter tries; SUCCESS or FAILURE."""
        return str(self.exporter.export(self.records).name)

    def shutdown(self) -> None:
        self.exporter.shutdown()

    def force_flush(self, timeout_millis: int = 0) -> bool:
        return True


def part(group: str, name: str) -> Any:
    """A part of OpenTelemetry by its entry point, as tools find it that are set up by variables."""
    [found] = entry_points(group=group, name=name)
    return found.load()


def exporter(signal: str, address: str, key: str, **options: Any) -> Any:
    """The exporter of a signal (logs, metrics, traces) as a tool is set up with it."""
    return part(f"opentelemetry_{signal}_exporter", "otlp_proto_http")(
        endpoint=f"{address}/otlp/v1/{signal}",
        headers={"Authorization": f"Bearer {key}"},
        **{"timeout": 20, **options},
    )


def logged(
    address: str, key: str, resource: Mapping[str, Any], events: Sequence[Event], **options: Any
) -> Batches:
    """Log events through the SDK; they wait for `send`."""
    batches = Batches(exporter("logs", address, key, **options))
    provider = part("opentelemetry_logger_provider", "sdk_logger_provider")(
        resource=Resource.create(dict(resource)), shutdown_on_exit=False
    )
    provider.add_log_record_processor(batches)
    logger = provider.get_logger("events")
    for event in events:
        logger.emit(
            timestamp=event.at, body=event.body, attributes=dict(event.attributes), event_name=event.name
        )
    return batches
