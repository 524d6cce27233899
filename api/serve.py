"""The server: several processes on one port, each with the whole application.

The processes share no memory: builds are files, and all other state is in the control database. Keep out: the
application (app.py).
"""

import gc
import logging
import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType

import uvicorn
from fastapi import FastAPI
from uvicorn.config import STARTUP_FAILURE
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from api.control.database import problem_of, refuse_lost
from api.control.errors import DatabaseLost
from api.control.identity_providers.deployment import deployment_providers
from api.http.sockets.limits import Limits
from api.http.sockets.protocol import bounded
from api.log_format import logging_config
from api.monitoring.endpoint import Workers, offered, start_worker
from api.operator import traces
from api.operator.environment import value_of
from api.operator.metrics import PORT as METRICS_PORT
from api.operator.metrics import metrics_settings
from api.operator.settings import start_or_exit
from api.operator.variables import LOG_FORMAT
from api.settings import ApiSettings

logger = logging.getLogger("uvicorn.error")

SWITCH_SECONDS = 0.0005
# Just below a build, which runs with 0. With 0 for both, a publish beside 20 readers without pause took 2.9 and 4.1
# times its time alone (15,000 commits, two cores); with 1 it took 2.3. With 4, readers who pause waited 4 times as long
# beside a build as without, against 1 to 2 with 0.
NICE = 1
# Seconds between two looks at the processes, and before an ended one starts again: one that always ends must not spin.
LOOK_SECONDS = 0.5
_is_ending = threading.Event()
"""Set after a signal to this process."""


def serve() -> None:
    """Serve with the settings of the environment until interrupted.

    Raises SystemExit with 2 for settings with which nothing starts, with 1 where the address cannot be used or the
    control database is lost, and with 3 where the control database or the application does not start.
    """
    start_or_exit(deployment_providers)
    settings = ApiSettings()
    metrics = metrics_settings()
    _refuse_unusable_address(settings.host, settings.port, "EAS_API_PORT")
    if settings.grpc_port is not None:
        _refuse_unusable_address(settings.host, settings.grpc_port, "EAS_GRPC_PORT")
    if metrics is not None:
        _refuse_unusable_address(metrics.host, metrics.port, METRICS_PORT)
    try:
        refuse_lost(settings.data_dir)
    except DatabaseLost as error:
        sys.exit(f"Error: {error}")
    config = _config(settings)
    if problem := problem_of(settings.control_url):
        logger.critical("the control database cannot be opened: %s; `eas doctor` says more", problem)
        sys.exit(STARTUP_FAILURE)
    workers = Workers(settings.processes)
    with offered(metrics, settings.data_dir, settings.port, workers) as counted:
        if settings.processes == 1:
            start_worker(counted, 0)
            _serve_here(config, None)
        elif not _serve_in_processes(_sockets(config, settings.processes), workers, counted):
            sys.exit(STARTUP_FAILURE)


def _refuse_unusable_address(host: str, port: int, setting: str) -> None:
    """Raises SystemExit where nothing can listen at the address; the server would name neither it nor its setting."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        socket.create_server(address[:2], family=family).close()
    except OSError as error:
        sys.exit(
            f"Error: the API cannot listen at port {port} of {host}: {error.strerror}; set EAS_API_HOST and"
            f" {setting} to an address of this machine and a free port"
        )


def _config(settings: ApiSettings) -> uvicorn.Config:
    limits = Limits(connections_per_client=settings.connections_per_client)
    # Networks and "*" are read as uvicorn reads them for X-Forwarded-For.
    proxies = ProxyHeadersMiddleware(_no_application, settings.trusted_proxies).trusted_hosts
    return uvicorn.Config(
        "api.serve:serving_app",
        factory=True,
        host=settings.host,
        port=settings.port,
        log_config=logging_config(as_json=value_of(LOG_FORMAT) == "json"),
        # A line per request costs more than the request's own Python.
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=settings.trusted_proxies,
        http=bounded(limits, lambda host: host in proxies),
        # No route speaks it, and an upgraded connection would leave these limits.
        ws="none",
        backlog=limits.backlog,
    )


async def _no_application(*_: object) -> None:
    """Never called: only the list of a middleware is used."""


class Server(uvicorn.Server):
    """A server that tells its application of a signal, also while the application starts."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        _is_ending.set()
        super().handle_exit(sig, frame)


def _serve_here(config: uvicorn.Config, sockets: list[socket.socket] | None) -> None:
    server = Server(config)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # The server has shut down by then and raises the received signal again.
    with suppress(KeyboardInterrupt):
        server.run(sockets)
    if not server.started:
        sys.exit(STARTUP_FAILURE)


def _serve_in_processes(sockets: list[socket.socket], counts: Workers, counted: Path | None) -> bool:
    """Run a process per socket until a signal, and replace a process that ends; false when the application cannot
    start.

    One interpreter runs one Python thread at a time, for any number of cores.
    """
    signals: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda received, _: signals.append(received))
    workers = [_start(one, place, counted) for place, one in enumerate(sockets)]
    counts.count_running = lambda: len(workers) - len(wait([worker.sentinel for worker in workers], 0))
    can_start = True
    while can_start and not signals:
        wait([worker.sentinel for worker in workers], LOOK_SECONDS)
        for place, worker in enumerate(workers):
            can_start = can_start and worker.exitcode != STARTUP_FAILURE
            if can_start and not signals and worker.exitcode is not None:
                logger.warning("process %s ended (%s); starting another", worker.pid, worker.exitcode)
                time.sleep(LOOK_SECONDS)
                # New connections wait at the socket meanwhile.
                workers[place] = _start(sockets[place], place, counted)
                counts.replaced += 1
    for worker in workers:
        worker.terminate()
    for worker in workers:
        worker.join()
    return can_start


def _start(listener: socket.socket, place: int, counted: Path | None) -> BaseProcess:
    process = multiprocessing.get_context("spawn").Process(target=_serve_on, args=(listener, place, counted))
    process.start()
    return process


def _serve_on(listener: socket.socket, place: int, counted: Path | None) -> None:
    start_worker(counted, place)
    _serve_here(_config(ApiSettings()), [listener])


def _sockets(config: uvicorn.Config, count: int) -> list[socket.socket]:
    """One socket per process on the same port; the system distributes connections among them.

    With one shared socket, the first process to look would take all waiting connections. Raises SystemExit for a used
    port.
    """
    with config.bind_socket() as probe:
        family, address = probe.family, probe.getsockname()
    listeners = [socket.socket(family) for _ in range(count)]
    for listener in listeners:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind(address)
    return listeners


def serving_app() -> FastAPI:
    """The application, in a process that does nothing but serve it and that ends with the one that started it."""
    # Every thread that starts later inherits it.
    os.nice(NICE)
    traces.start("eas-api")
    # All that is loaded now stays for good: looking for garbage in it takes a fifth of the start.
    gc.disable()
    from api.app import create_app  # noqa: PLC0415 - the parent of the worker processes does without the application

    app = create_app(warms_up=True, is_ending=_is_ending.is_set)
    # A collection over all of it would stop every request for 0.1 s.
    gc.collect()
    gc.freeze()
    gc.enable()
    # The longest wait of a thread for another that renders; the default of 5 ms is half a read.
    sys.setswitchinterval(SWITCH_SECONDS)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), name="parent", daemon=True).start()
    return app


def _end_with(parent: BaseProcess) -> None:
    """End this process with its parent: a killed parent sends no signal, and its port would stay in use."""
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
