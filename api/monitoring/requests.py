"""ASGI middleware that counts, times and traces requests by the template of their route, and gives each an id.

Keep out: the metrics (api/instruments.py), sending of traces (api/operator/traces.py).
"""

from __future__ import annotations

import secrets
import time
from functools import cached_property

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api import instruments
from api.http.inner_requests import INNER
from api.operator import traces
from api.request_ids import request_id

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
NO_ROUTE = "none"
ID_HEADER = "X-Request-Id"


class Templates:
    """The whole path of each route of an application, with its prefix: the framework's scope names the last part."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app

    @cached_property
    def _paths(self) -> dict[int, str]:
        found = [(one.original_route, one.path or NO_ROUTE) for one in iter_route_contexts(self._app.routes)]
        # Of a route without parameters of the framework the scope has the endpoint alone.
        endpoints = {id(getattr(route, "endpoint", None)): path for route, path in found}
        return endpoints | {id(route): path for route, path in found}

    def of(self, scope: Scope) -> str:
        """The template of the route that took a request; `none` where no route did."""
        taken = scope.get("route") or scope.get("endpoint")
        return NO_ROUTE if taken is None else self._paths.get(id(taken), NO_ROUTE)


class ObservedRequests:
    """ASGI middleware: each request is counted, timed and traced when its answer ends.

    A request from within the process has the id of the one that caused it, and a span in its trace.
    """

    def __init__(self, app: ASGIApp, templates: Templates) -> None:
        self._app = app
        self._templates = templates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_inner = INNER in scope
        method = scope["method"] if scope["method"] in METHODS else "other"
        source = "inner" if is_inner else "client"
        began = time.perf_counter()
        instruments.RUNNING_REQUESTS.inc()
        # An answer that never began: an error ended the request.
        status = 500
        headers = None if is_inner or not traces.are_sent() else Headers(scope=scope)
        try:
            with traces.span(
                method,
                {"http.request.method": method, "eas.source": source},
                headers=headers,
                is_request=True,
            ) as span:
                known = request_id.get() if is_inner else None
                current = known or (traces.trace_id(span) if span else secrets.token_hex(16))

                async def named(message: Message) -> None:
                    nonlocal status
                    if message["type"] == "http.response.start":
                        status = message["status"]
                        MutableHeaders(scope=message)[ID_HEADER] = current
                    await send(message)

                token = request_id.set(current)
                try:
                    await self._app(scope, receive, named)
                finally:
                    request_id.reset(token)
                    route = self._templates.of(scope)
                    if span is not None:
                        span.update_name(f"{method} {route}")
                        span.set_attributes({"http.route": route, "http.response.status_code": status})
        finally:
            route = self._templates.of(scope)
            instruments.REQUESTS.labels(source, method, route, f"{status // 100}xx").inc()
            instruments.REQUEST_SECONDS.labels(source, method, route).observe(time.perf_counter() - began)
            instruments.RUNNING_REQUESTS.dec()
