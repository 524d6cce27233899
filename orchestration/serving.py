"""Runs the API and the Dagster UI, each in its own process.

Add: a server of the deployment. Keep out: what the servers serve. Both listen on the loopback address only: the
Dagster UI has no login, and access to the API from other machines needs a proxy.
"""

from __future__ import annotations

import ctypes
import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from ingest.settings import CHECKOUT
from orchestration.deployment import Deployment
from orchestration.runtime import server_output
from orchestration.runtime.instance import home

LOOPBACK = "127.0.0.1"
# Dagster stops its code server, daemon and web server in turn.
SECONDS_TO_STOP = 20
LOOK_SECONDS = 0.3
# What a server has still written is read for so long after its end. Its own children can keep the pipe open.
SECONDS_TO_READ = 2
PARENT_DEATH_SIGNAL = 1
"""The option PR_SET_PDEATHSIG of Linux's prctl."""


@dataclass(frozen=True)
class Server:
    """A running server: its address as people open it, and a path that answers 200 once it is ready."""

    name: str
    port: int
    address: str
    ready_path: str
    process: subprocess.Popen[str]

    def is_ready(self) -> bool:
        """Whether it answers."""
        connection = http.client.HTTPConnection(LOOPBACK, self.port, timeout=1)
        try:
            connection.request("GET", self.ready_path)
            return connection.getresponse().status == http.client.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


def serve_until_interrupted(deployment: Deployment, console: Console, *, api_port: int, ui_port: int) -> int:
    """Run both servers until a signal arrives or one of them ends. Returns the exit code of `eas serve`."""
    for server, port in (("API", api_port), ("Dagster UI", ui_port)):
        if is_port_in_use(port):
            console.print(
                f"Port {port} of the {server} is in use; choose another one with --api-port or --ui-port."
            )
            return 1
    environment = deployment.environment() | {"EAS_API_HOST": LOOPBACK, "EAS_API_PORT": str(api_port)}
    # Without it Dagster makes a temporary home in the checkout, which stays there when it is killed.
    environment["DAGSTER_HOME"] = str(home(deployment.settings))
    # Lines arrive when they are written, not when a buffer is full.
    environment["PYTHONUNBUFFERED"] = "1"
    console.print("Starting the API and the Dagster UI. Ctrl-C stops both.")
    api = f"http://{LOOPBACK}:{api_port}"
    ui = f"http://{LOOPBACK}:{ui_port}"
    dagster = str(Path(sys.executable).with_name("dagster"))
    servers = [
        Server(
            "API",
            api_port,
            f"{api}/api/v1, documentation at {api}/docs",
            "/healthz",
            start([sys.executable, "-m", "api"], environment),
        ),
        Server(
            "Dagster UI",
            ui_port,
            ui,
            "/server_info",
            start(
                # Each look of a sensor is a line of level INFO.
                [dagster, "dev", "--host", LOOPBACK, "--port", str(ui_port), "--log-level", "warning"],
                # Dagster's notices about its commands address developers.
                environment | {"PYTHONWARNINGS": "ignore"},
            ),
        ),
    ]
    return run(servers, console)


def is_port_in_use(port: int) -> bool:
    """Whether a process listens on this port of the loopback address."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return True
    return False


def start(command: list[str], environment: dict[str, str]) -> subprocess.Popen[str]:
    """Start a server. Its output is read by `run`."""
    return subprocess.Popen(
        command,
        cwd=CHECKOUT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        # A new session: Ctrl-C reaches only this process, which then stops the servers in order.
        start_new_session=True,
        preexec_fn=_prepare,  # noqa: PLW1509 # no thread runs yet
    )


def _prepare() -> None:
    """Have a server end by SIGINT, and when `eas serve` is killed: it would keep its port."""
    # A shell without job control has its background commands ignore SIGINT.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGTERM)


def run(servers: list[Server], console: Console) -> int:
    """Show what the servers say until a signal arrives or one of them ends; then end them. Returns the exit code."""
    readers = [threading.Thread(target=_show, args=(one.process, console), daemon=True) for one in servers]
    for reader in readers:
        reader.start()
    try:
        return _wait(servers, console)
    finally:
        for reader in readers:
            reader.join(SECONDS_TO_READ)
        _print(console, "Stopped.")


def _show(process: subprocess.Popen[str], console: Console) -> None:
    lines = server_output.Lines()
    assert process.stdout is not None
    for line in process.stdout:
        for shown in lines.shown(line):
            _print(console, shown)
    for shown in lines.end():
        _print(console, shown)


def _print(console: Console, line: str, style: str | None = None) -> None:
    console.print(line, style=style, markup=False, highlight=False, soft_wrap=True)


def _wait(servers: list[Server], console: Console) -> int:
    signals: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda received, _: signals.append(received))
    starting = list(servers)
    try:
        while not signals:
            ended = [one.name for one in servers if one.process.poll() is not None]
            if ended:
                names = " and the ".join(ended)
                _print(console, f"The {names} ended unexpectedly; stopping both servers.", "bold red")
                return 1
            for one in [server for server in starting if server.is_ready()]:
                starting.remove(one)
                _print(console, f"{one.name} is ready: {one.address}")
            time.sleep(LOOK_SECONDS)
        _print(
            console,
            f"Stopping; a running build is stopped too and starts anew later. This takes up to {SECONDS_TO_STOP}"
            " seconds; Ctrl-C again ends everything at once.",
        )
        signals.clear()
        return 0
    finally:
        _stop(servers, signals)


def _stop(servers: list[Server], signals: list[int]) -> None:
    """Ask every server to end, then end what is left after SECONDS_TO_STOP or another signal."""
    for one in servers:
        if one.process.poll() is None:
            one.process.send_signal(signal.SIGINT)
    deadline = time.monotonic() + SECONDS_TO_STOP
    while any(one.process.poll() is None for one in servers):
        if signals or time.monotonic() > deadline:
            break
        time.sleep(LOOK_SECONDS / 3)
    for one in servers:
        if one.process.poll() is None:
            os.killpg(one.process.pid, signal.SIGKILL)
            one.process.wait()
