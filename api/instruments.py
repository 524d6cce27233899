"""What the processes that answer count and time. Labels have few values: templates of routes, methods, status classes.

Add: a metric of a process. Keep out: what the data directory tells, and the endpoint (monitoring).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import Counter, Gauge, Histogram

# Seconds. Half of the reads take a few milliseconds; a build beside them makes some take seconds.
LATENCIES = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)

REQUESTS = Counter(
    "eas_http_requests",
    "Answered requests. `source` is client, or inner for reads of pages, assistants and gRPC within the process.",
    ("source", "method", "route", "status"),
)
REQUEST_SECONDS = Histogram(
    "eas_http_request_seconds",
    "Time from the head of a request to the last byte of its answer.",
    ("source", "method", "route"),
    buckets=LATENCIES,
)
RUNNING_REQUESTS = Gauge(
    "eas_http_requests_running", "Requests that are not answered yet.", multiprocess_mode="livesum"
)
QUERY_SECONDS = Histogram(
    "eas_duckdb_query_seconds",
    "Time of a query of a published build, with the reading of its rows.",
    buckets=LATENCIES,
)
QUERY_ERRORS = Counter("eas_duckdb_query_errors", "Queries of published builds that failed.")
OPEN_BUILDS = Gauge(
    "eas_open_builds", "Published builds that the processes have open.", multiprocess_mode="livesum"
)
CONTROL_SECONDS = Histogram(
    "eas_control_database_seconds", "Time of a statement of the control database.", buckets=LATENCIES
)
CONTROL_ERRORS = Counter(
    "eas_control_database_errors", "Statements for which the control database was out of reach."
)
ACKNOWLEDGEMENT_SECONDS = Histogram(
    "eas_telemetry_acknowledgement_seconds",
    "Time in which accepted telemetry is on the disk.",
    buckets=LATENCIES,
)
ACKNOWLEDGEMENT_ERRORS = Counter(
    "eas_telemetry_acknowledgement_errors", "Accepted requests of telemetry that could not be stored."
)


@contextmanager
def timed(seconds: Histogram, errors: Counter) -> Iterator[None]:
    """Record the time of the block, and count it as an error if it raises."""
    began = time.perf_counter()
    try:
        yield
    except BaseException:
        errors.inc()
        raise
    finally:
        seconds.observe(time.perf_counter() - began)
