"""`/metrics` at a port of its own: figures of all processes that answer, and of the data directory.

The process that starts the others serves it, so it also answers when they are busy. Each of them writes what it counts
into files of its place (`start_worker`), and one that replaces it counts on. Keep out: the figures themselves.
"""

from __future__ import annotations

import hmac
import os
import shutil
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer
from wsgiref.types import StartResponse, WSGIEnvironment

import prometheus_client.values
from prometheus_client import CollectorRegistry, multiprocess
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import make_wsgi_app
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from api.monitoring.directory import DirectoryFigures
from api.operator.metrics import MetricsSettings

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""Where the library writes what a process counts."""
PATH = "/metrics"
MAX_READERS = 4
SECONDS_TO_READ = 5


class Workers(Collector):
    """The processes that answer: those that should run, those that run, and how often one was replaced."""

    def __init__(self, configured: int) -> None:
        self.configured = configured
        self.replaced = 0
        self.count_running: Callable[[], int] = lambda: configured

    def collect(self) -> Iterable[Metric]:
        """The three numbers."""
        yield GaugeMetricFamily(
            "eas_worker_processes_configured", "Processes that should answer.", value=self.configured
        )
        yield GaugeMetricFamily("eas_worker_processes", "Processes that answer.", value=self.count_running())
        yield CounterMetricFamily(
            "eas_worker_processes_replaced", "Processes that ended and were replaced.", value=self.replaced
        )


def start_worker(folder: Path | None, place: int) -> None:
    """Have this process write what it counts into files of its place. Call it before `api.app` is imported."""
    if folder is None:
        return
    # A gauge of a process that ended here would stay for ever; its counters count on.
    for file in folder.glob(f"gauge_live*_{place}.db"):
        file.unlink()
    os.environ[FOLDER] = str(folder)
    values: Any = prometheus_client.values
    values.ValueClass = values.MultiProcessValue(lambda: place)


@contextmanager
def offered(
    settings: MetricsSettings | None, data_dir: Path, port: int, workers: Workers
) -> Iterator[Path | None]:
    """Answer `/metrics` while the block runs. Yields the folder for `start_worker`; None without settings.

    `port` is that of the API: two servers of one data directory count apart. Raises OSError.
    """
    if settings is None:
        yield None
        return
    folder = data_dir / "metrics" / str(port)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    registry = CollectorRegistry()
    of_processes: Any = multiprocess.MultiProcessCollector
    for one in (of_processes(None, str(folder)), workers, DirectoryFigures(data_dir)):
        registry.register(one)
    with _server(settings, registry) as server:
        threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
        try:
            yield folder
        finally:
            server.shutdown()
            shutil.rmtree(folder, ignore_errors=True)


class _Server(ThreadingMixIn, WSGIServer):
    """Few readers at once: more are turned away."""

    daemon_threads = True
    _places = threading.BoundedSemaphore(MAX_READERS)

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._places.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def server_bind(self) -> None:
        # The base class asks the name service for the name of this machine, which may take seconds.
        socket.socket.bind(self.socket, self.server_address)
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]
        self.setup_environ()


class _Handler(WSGIRequestHandler):
    timeout = SECONDS_TO_READ

    def log_message(self, *_: Any) -> None:
        """A reader comes every few seconds: no line for it."""


def _server(settings: MetricsSettings, registry: CollectorRegistry) -> _Server:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    kind = type("_FamilyServer", (_Server,), {"address_family": family, "allow_reuse_address": True})
    server = kind((settings.host, settings.port), _Handler)
    assert isinstance(server, _Server)
    server.set_app(_guarded(settings.token, make_wsgi_app(registry)))
    return server


def _guarded(token: str | None, app: Callable[..., Any]) -> Callable[..., Any]:
    """The application for those who send the token, at one path."""
    expected = None if token is None else f"Bearer {token}".encode()

    def answered(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        given = environ.get("HTTP_AUTHORIZATION", "").encode("latin-1", "replace")
        if expected is not None and not hmac.compare_digest(given, expected):
            start("401 Unauthorized", [("WWW-Authenticate", "Bearer"), ("Content-Type", "text/plain")])
            return [b"send EAS_METRICS_TOKEN as a bearer token\n"]
        if environ["PATH_INFO"] != PATH or environ["REQUEST_METHOD"] not in ("GET", "HEAD"):
            start("404 Not Found", [("Content-Type", "text/plain")])
            return [b"metrics are at GET /metrics\n"]
        found: Iterable[bytes] = app(environ, start)
        return found

    return answered
