"""Starting the server."""

import uvicorn

from api.app import create_app
from api.settings import ApiSettings


def serve(settings: ApiSettings | None = None) -> None:
    """Serve until interrupted. One process: its worker threads use both cores of a small machine."""
    chosen = settings or ApiSettings()
    uvicorn.run(
        create_app(chosen),
        host=chosen.host,
        port=chosen.port,
        # A line per request costs more than the request's own Python.
        access_log=False,
        server_header=False,
    )
