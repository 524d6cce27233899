"""The receiver of telemetry: OTLP over HTTP, as the exporters of OpenTelemetry speak it."""
