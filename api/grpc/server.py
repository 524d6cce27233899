"""The server of gRPC in the process of the API, with the standard services for health and reflection.

It listens on a port of its own and has no TLS: as with REST, a proxy in front ends it.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, cast

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from starlette.types import ASGIApp
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from api.grpc.contract import service
from api.grpc.endpoint import Methods

# Of each process; more are answered RESOURCE_EXHAUSTED at once instead of waiting unseen.
CALLS_AT_ONCE = 256
# For calls that run when the server stops.
SECONDS_TO_END = 5


@asynccontextmanager
async def grpc_server(
    app: ASGIApp, state: Mapping[str, Any], address: str, trusted_proxies: str = ""
) -> AsyncIterator[int]:
    """Serve the methods over an application with its services until the context ends; the port.

    Several processes may listen at one address. Raises RuntimeError where nothing can listen at it.
    """
    server = grpc.aio.server(maximum_concurrent_rpcs=CALLS_AT_ONCE)
    server.add_generic_rpc_handlers([Methods(_behind(app, trusted_proxies), state)])
    standing = health.aio.HealthServicer()
    health_pb2_grpc.add_HealthServicer_to_server(standing, server)
    name = service().full_name
    for one in ("", name):
        await standing.set(one, health_pb2.HealthCheckResponse.SERVING)
    reflection.enable_server_reflection([name, health.SERVICE_NAME, reflection.SERVICE_NAME], server)
    port = server.add_insecure_port(address)
    await server.start()
    try:
        yield port
    finally:
        await standing.enter_graceful_shutdown()
        await server.stop(SECONDS_TO_END)


def _behind(app: ASGIApp, trusted_proxies: str) -> ASGIApp:
    """The application, which sees the client that a trusted proxy names."""
    if not trusted_proxies:
        return app
    # The types of uvicorn and of Starlette name the same protocol in two ways.
    return cast(ASGIApp, ProxyHeadersMiddleware(cast(Any, app), trusted_proxies))
