"""`/metrics` over processes that count, one of which is killed and replaced."""

import multiprocessing
import os
import signal
import socket
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import httpx
import pytest

from api.monitoring.endpoint import Workers, offered, start_worker
from api.operator.environment import StartRefused
from api.operator.metrics import MetricsSettings
from api.operator.settings import problems
from tests.api.monitoring.reading import parsed, value

TOKEN = "0123456789abcdef0123456789abcdef"
WITH_TOKEN = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def endpoint(tmp_path: Path) -> Iterator[tuple[str, Path, Workers]]:
    """Address, folder and processes of an endpoint."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    workers = Workers(2)
    with offered(MetricsSettings(port, token=TOKEN), tmp_path, 8000, workers) as folder:
        assert folder is not None
        yield f"http://127.0.0.1:{port}/metrics", folder, workers
    assert not folder.exists()


def _count(folder: Path, place: int, requests: int) -> None:
    """A process that answers requests, has one build open, and is killed."""
    start_worker(folder, place)
    # Its values are files from here on.
    instruments = import_module("api.instruments")

    for _ in range(requests):
        instruments.REQUESTS.labels("client", "GET", "/healthz", "2xx").inc()
        instruments.REQUEST_SECONDS.labels("client", "GET", "/healthz").observe(0.003)
    instruments.OPEN_BUILDS.inc()
    os.kill(os.getpid(), signal.SIGKILL)


def test_processes_are_added_up_and_a_replaced_one_counts_on(endpoint: tuple[str, Path, Workers]) -> None:
    address, folder, workers = endpoint
    context = multiprocessing.get_context("spawn")
    for place, requests in ((0, 3), (1, 4), (1, 5)):
        process = context.Process(target=_count, args=(folder, place, requests))
        process.start()
        process.join()
        assert process.exitcode == -signal.SIGKILL
    workers.replaced += 1
    metrics = parsed(httpx.get(address, headers=WITH_TOKEN).raise_for_status().text)
    assert value(metrics, "eas_http_requests_total", route="/healthz", status="2xx") == 12
    assert value(metrics, "eas_http_request_seconds_bucket", le="0.002") == 0
    assert value(metrics, "eas_http_request_seconds_bucket", le="0.005") == 12
    # One of each place: the killed process has none open any more.
    assert value(metrics, "eas_open_builds") == 2
    assert value(metrics, "eas_worker_processes_replaced_total") == 1


def test_only_the_token_reads_metrics(endpoint: tuple[str, Path, Workers]) -> None:
    address, _, _ = endpoint
    for headers in ({}, {"Authorization": f"Bearer {TOKEN[:-1]}0"}, {"Authorization": TOKEN}):
        refused = httpx.get(address, headers=headers)
        assert (refused.status_code, refused.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert httpx.get(address.replace("/metrics", "/"), headers=WITH_TOKEN).status_code == 404
    assert httpx.post(address, headers=WITH_TOKEN).status_code == 404


def test_an_open_address_needs_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EAS_METRICS_PORT", "9464")
    monkeypatch.setenv("EAS_METRICS_HOST", "0.0.0.0")
    # Every process refuses to start, and `eas doctor` says so.
    assert [error.name for error in problems()] == ["EAS_METRICS_HOST"]
    with pytest.raises(StartRefused, match="EAS_METRICS_TOKEN"):
        MetricsSettings(9464, "0.0.0.0")
    MetricsSettings(9464, "0.0.0.0", TOKEN)
    MetricsSettings(9464, "::1")
