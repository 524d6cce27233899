"""Starting the server: processes that share one port, each with the whole application.

Keep out: what is served (app.py). The processes share nothing in memory: builds are files, everything else is in the
control database.
"""

import gc
import multiprocessing
import os
import signal
import sys
import threading
from contextlib import suppress
from multiprocessing.process import BaseProcess

import uvicorn
from fastapi import FastAPI
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors import Multiprocess

from api.settings import ApiSettings

SWITCH_SECONDS = 0.0005
# A worker that answers none of its parent's pings for so many seconds is replaced: a busy machine is no reason.
SILENT_SECONDS = 60


def serve() -> None:
    """Serve with the settings of the environment until interrupted.

    Raises ValidationError for a bad setting, SystemExit where the port is taken or the application cannot start.
    """
    settings = ApiSettings()
    config = uvicorn.Config(
        "api.serve:serving_app",
        factory=True,
        # One interpreter runs one thread's Python at a time, whatever the number of cores.
        workers=settings.processes,
        timeout_worker_healthcheck=SILENT_SECONDS,
        host=settings.host,
        port=settings.port,
        # A line per request costs more than the request's own Python.
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=settings.trusted_proxies,
    )
    if config.workers == 1:
        server = uvicorn.Server(config)
        # It has ended in order by then, and raises again what it was told to end by.
        with suppress(KeyboardInterrupt):
            server.run()
        started = server.started
    else:
        supervisor = Multiprocess(config, sockets=[config.bind_socket()])
        signal.signal(signal.SIGCHLD, lambda *_: _hang_up(supervisor))
        supervisor.run()
        started = all(process.exitcode != STARTUP_FAILURE for process in supervisor.processes)
    if not started:
        sys.exit(STARTUP_FAILURE)


def serving_app() -> FastAPI:
    """The application, in a process that does nothing but serve it and that ends with the one that started it."""
    # Here, as a parent of processes needs nothing of it.
    from api.app import create_app

    app = create_app()
    # What is loaded by now stays: a collection that looks through all of it stops every request for 0.1 s.
    gc.collect()
    gc.freeze()
    # A thread whose query has ended waits this long at most for one that renders; 5 ms, the default, is half a read.
    sys.setswitchinterval(SWITCH_SECONDS)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), name="parent", daemon=True).start()
    return app


def _hang_up(supervisor: Multiprocess) -> None:
    """Who waits for the answer of a process that has died meanwhile holds its end of the line, too, and would go on."""
    for process in supervisor.processes:
        if not process.process.is_alive():
            process.child_conn.close()


def _end_with(parent: BaseProcess) -> None:
    """A parent that was killed tells nobody, and its port would stay taken."""
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
