"""Starting the server."""

import gc
import sys

import uvicorn

from api.app import create_app
from api.settings import ApiSettings

SWITCH_SECONDS = 0.0005


def serve(settings: ApiSettings | None = None) -> None:
    """Serve until interrupted. One process: its worker threads use both cores of a small machine."""
    chosen = settings or ApiSettings()
    app = create_app(chosen)
    # What is loaded by now stays: a collection that looks through all of it stops every request for 0.1 s.
    gc.collect()
    gc.freeze()
    # A thread whose query has ended waits this long at most for one that renders; 5 ms, the default, is half a read.
    sys.setswitchinterval(SWITCH_SECONDS)
    uvicorn.run(
        app,
        host=chosen.host,
        port=chosen.port,
        # A line per request costs more than the request's own Python.
        access_log=False,
        server_header=False,
        proxy_headers=bool(chosen.trusted_proxies),
        forwarded_allow_ips=chosen.trusted_proxies,
    )
