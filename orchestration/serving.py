"""Runs the API and the Dagster UI, each in its own process.

Add: a server of the deployment. Keep out: what the servers serve. Both listen on the loopback address only: the
Dagster UI has no login, and access to the API from other machines needs a proxy.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console

from api.control.operator.settings import REFUSED
from ingest.settings import CHECKOUT
from orchestration.deployment import Deployment
from orchestration.runtime.instance import home

LOOPBACK = "127.0.0.1"
# Dagster stops its code server, daemon and web server in turn.
SECONDS_TO_STOP = 20


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
    signals: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda received, _: signals.append(received))
    api = _start([sys.executable, "-m", "api"], environment)
    if not _is_up(api, api_port, signals):
        _stop([api])
        if signals:
            return 0
        console.print("The API did not start; it says the reason above.", style="bold red")
        return REFUSED if api.returncode == REFUSED else 1
    dagster = str(Path(sys.executable).with_name("dagster"))
    processes = {
        "API": api,
        "Dagster": _start(
            # Each look of a sensor is a line of level INFO.
            [dagster, "dev", "--host", LOOPBACK, "--port", str(ui_port), "--log-level", "warning"],
            # Dagster's notices about its commands address developers.
            environment | {"PYTHONWARNINGS": "ignore"},
        ),
    }
    api = f"http://{LOOPBACK}:{api_port}"
    console.print(
        f"API:        {api}/api/v1, documentation at {api}/docs, sign-in at {api}/auth/signIn",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    console.print(
        f"Dagster UI: http://{LOOPBACK}:{ui_port} (ready after about ten seconds). Ctrl-C stops both."
    )
    return _wait(processes, console, signals)


def is_port_in_use(port: int) -> bool:
    """Whether a process listens on this port of the loopback address."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return True
    return False


def _start(command: list[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    # A new session: Ctrl-C reaches only this process, which then stops the servers in order.
    return subprocess.Popen(command, cwd=CHECKOUT, env=environment, start_new_session=True)


def _is_up(api: subprocess.Popen[bytes], port: int, signals: list[int]) -> bool:
    """Wait until the API takes connections; false when it ended first, or at a signal.

    Dagster starts after it: while it starts, stopping it prints a stack, below which nobody finds the API's reason.
    """
    while api.poll() is None and not signals:
        with socket.socket() as probe:
            if probe.connect_ex((LOOPBACK, port)) == 0:
                return True
        time.sleep(0.1)
    return False


def _wait(processes: dict[str, subprocess.Popen[bytes]], console: Console, signals: list[int]) -> int:
    try:
        while not signals:
            ended = [name for name, process in processes.items() if process.poll() is not None]
            if ended:
                console.print(
                    f"{' and '.join(ended)} ended unexpectedly; stopping both servers.", style="bold red"
                )
                return 1
            time.sleep(0.3)
        return 0
    finally:
        _stop(list(processes.values()))


def _stop(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
    deadline = time.monotonic() + SECONDS_TO_STOP
    for process in processes:
        try:
            process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
