"""Runs the API and the Dagster UI, each in its own process.

Add: a server of the deployment. Keep out: what the servers serve. Both listen on the loopback address only, unless
the API is asked to listen at every address: the Dagster UI has no login.
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
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from api.operator.settings import REFUSED
from ingest.settings import CHECKOUT
from orchestration.commands import dashboard
from orchestration.deployment import Deployment
from orchestration.runtime import server_output
from orchestration.runtime.instance import home

LOOPBACK, EVERY_ADDRESS = "127.0.0.1", "0.0.0.0"
# Dagster stops its code server, daemon and web server in turn.
SECONDS_TO_STOP = 20
LOOK_SECONDS = 0.3
# Seconds for which the output of a server is read after its end. Its children can keep the pipe open.
SECONDS_TO_READ = 2
PARENT_DEATH_SIGNAL = 1
"""The option PR_SET_PDEATHSIG of Linux's prctl."""


@dataclass(frozen=True)
class Server:
    """A server: its address as people open it, and a path that answers 200 once it is ready.

    `announce` is called then.
    """

    name: str
    port: int
    address: str
    ready_path: str
    command: Sequence[str | Path]
    environment: Mapping[str, str]
    announce: Callable[[], None] | None = None

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


def serve_until_interrupted(
    deployment: Deployment, console: Console, *, api_port: int, ui_port: int, api_host: str = LOOPBACK
) -> int:
    """Run both servers until a signal arrives or one of them ends. Returns the exit code of `eas serve`.

    `api_host` is an address of the API that includes the loopback address.
    """
    for server, port in (("API", api_port), ("Dagster UI", ui_port)):
        if is_port_in_use(port):
            console.print(
                f"Port {port} of the {server} is in use; choose another one with --api-port or --ui-port."
            )
            return 1
    environment = deployment.environment() | {"EAS_API_HOST": api_host, "EAS_API_PORT": str(api_port)}
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
            [sys.executable, "-m", "api"],
            environment,
            lambda: dashboard.open_locally(deployment, api, console),
        ),
        Server(
            "Dagster UI",
            ui_port,
            ui,
            "/server_info",
            # Each look of a sensor is a line of level INFO.
            [dagster, "dev", "--host", LOOPBACK, "--port", str(ui_port), "--log-level", "warning"],
            # Dagster's notices about its commands address developers.
            environment | {"PYTHONWARNINGS": "ignore"},
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


class _Running:
    """A started server, with the thread that shows what it says."""

    def __init__(self, server: Server, console: Console) -> None:
        self.server, self.is_ready = server, False
        self.process = subprocess.Popen(
            server.command,
            cwd=CHECKOUT,
            env=server.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            # A new session: Ctrl-C reaches only this process, which then stops the servers in order.
            start_new_session=True,
            preexec_fn=_prepare,  # noqa: PLW1509 # it calls two functions of the system and takes no lock
        )
        self.reader = threading.Thread(target=_show, args=(self.process, console), daemon=True)
        self.reader.start()


_LIBC = ctypes.CDLL(None)


def _prepare() -> None:
    """Have a server end by SIGINT, and when `eas serve` is killed: it would keep its port."""
    # A shell without job control has its background commands ignore SIGINT.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.platform == "linux":
        _LIBC.prctl(PARENT_DEATH_SIGNAL, signal.SIGTERM)


def run(servers: Sequence[Server], console: Console) -> int:
    """Start one server after the other, each when the one before is ready, and show what they say.

    Ends them at a signal, or when one of them ends. Returns the exit code. The servers start in turn, because a
    server that is stopped during its start prints a stack, and the reason why another one ended is lost above it.
    """
    running: list[_Running] = []
    try:
        return _wait(list(servers), running, console)
    finally:
        for one in running:
            one.reader.join(SECONDS_TO_READ)
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


def _wait(waiting: list[Server], running: list[_Running], console: Console) -> int:
    signals: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda received, _: signals.append(received))
    try:
        while not signals:
            if waiting and all(one.is_ready for one in running):
                running.append(_Running(waiting.pop(0), console))
            ended = [one for one in running if one.process.poll() is not None]
            if ended:
                return _say_end(ended, console)
            for one in running:
                if not one.is_ready and one.server.is_ready():
                    one.is_ready = True
                    _print(console, f"{one.server.name} is ready: {one.server.address}")
                    if one.server.announce is not None:
                        one.server.announce()
            time.sleep(LOOK_SECONDS)
        signals.clear()
        _print(
            console,
            f"Stopping; a running build is stopped too and starts anew later. This takes up to {SECONDS_TO_STOP}"
            " seconds; Ctrl-C again ends everything at once.",
        )
        return 0
    finally:
        _stop([one.process for one in running], signals)


def _say_end(ended: Sequence[_Running], console: Console) -> int:
    """Say that servers ended. Returns the exit code."""
    for one in ended:
        one.reader.join(SECONDS_TO_READ)
    names = " and the ".join(one.server.name for one in ended)
    if all(one.is_ready for one in ended):
        _print(console, f"The {names} ended unexpectedly; stopping both servers.", "bold red")
        return 1
    _print(console, f"The {names} did not start; it says the reason above.", "bold red")
    return REFUSED if any(one.process.returncode == REFUSED for one in ended) else 1


def _stop(processes: Sequence[subprocess.Popen[str]], signals: list[int]) -> None:
    """Ask every server to end, then end what is left after SECONDS_TO_STOP or another signal."""
    for process in processes:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
    deadline = time.monotonic() + SECONDS_TO_STOP
    while any(process.poll() is None for process in processes):
        if signals or time.monotonic() > deadline:
            break
        time.sleep(LOOK_SECONDS / 3)
    for process in processes:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
