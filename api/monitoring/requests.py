"""ASGI middleware that counts, times and traces requests by the template of their route, and gives each an id.

Keep out: the metrics (api/instruments.py), sending of traces (api/operator/traces.py).
"""

from __future__ import annotations

import os
import time
from functools import cache, cached_property

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from prometheus_client import Counter, Histogram
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api import instruments
from api.http.inner_requests import INNER
from api.operator import traces
from api.request_ids import request_id

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
NO_ROUTE = "none"
ID_HEADER = b"x-request-id"
FAILED = 500
"""Status of a request without an answer: an error ended it."""


# Finding the values of labels takes longer than counting. There are a few for each route.
@cache
def _of(source: str, method: str, route: str, hundreds: int) -> tuple[Counter, Histogram]:
    return (
        instruments.REQUESTS.labels(source, method, route, f"{hundreds}xx"),
        instruments.REQUEST_SECONDS.labels(source, method, route),
    )


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
        try:
            if traces.are_sent():
                status = await self._traced(scope, receive, send, method, source)
            else:
                status = await self._answered(scope, receive, send, _known_id(scope) or os.urandom(16).hex())
        except BaseException:
            status = FAILED
            raise
        finally:
            count, seconds = _of(source, method, self._templates.of(scope), status // 100)
            count.inc()
            seconds.observe(time.perf_counter() - began)
            instruments.RUNNING_REQUESTS.dec()

    async def _traced(self, scope: Scope, receive: Receive, send: Send, method: str, source: str) -> int:
        """Answer within a span, which learns its route and status at the end."""
        headers = None if INNER in scope else Headers(scope=scope)
        attributes = {"http.request.method": method, "eas.source": source}
        with traces.span(method, attributes, headers=headers, is_request=True) as span:
            assert span is not None
            status = FAILED
            try:
                status = await self._answered(scope, receive, send, _known_id(scope) or traces.trace_id(span))
            finally:
                route = self._templates.of(scope)
                span.update_name(f"{method} {route}")
                span.set_attributes({"http.route": route, "http.response.status_code": status})
            return status

    async def _answered(self, scope: Scope, receive: Receive, send: Send, current: str) -> int:
        """Answer with an id; the status, FAILED where no answer began."""
        status = FAILED

        async def named(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), (ID_HEADER, current.encode())]
            await send(message)

        token = request_id.set(current)
        try:
            await self._app(scope, receive, named)
        finally:
            request_id.reset(token)
        return status


def _known_id(scope: Scope) -> str | None:
    """The id of the request that caused this one."""
    return request_id.get() if INNER in scope else None
