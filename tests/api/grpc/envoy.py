"""A real Envoy that runs with one configuration, on a free port of this machine."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]
ENVOY = Path(sys.executable).parent / "envoy"
SHIPPED = (CHECKOUT / "api/grpc/envoy.yaml").read_text(encoding="utf-8")
"""The configuration that ships: HTTP and JSON in front of gRPC."""
LISTENER, SERVICE = "8003", "8002"
"""The ports that a configuration names for Envoy itself and for the service behind it."""


@contextmanager
def envoy_running(config: str, folder: Path, service_port: str) -> Iterator[str]:
    """Host and port of an Envoy with this configuration, in front of the port of a service."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    file = folder / "envoy.yaml"
    file.write_text(config.replace(LISTENER, str(port)).replace(SERVICE, service_port), encoding="utf-8")
    options = ["--concurrency", "1", "--disable-hot-restart", "--log-level", "error"]
    process = subprocess.Popen([ENVOY, "-c", file, *options], cwd=CHECKOUT)
    try:
        _await_port(port, process)
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


def _await_port(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        assert process.poll() is None, "Envoy ended"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError("Envoy does not listen")
