"""ASGI middleware that counts and times requests by the template of their route.

Keep out: the metrics (api/instruments.py).
"""

from __future__ import annotations

import time
from functools import cached_property

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api import instruments
from api.http.inner_requests import INNER

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
NO_ROUTE = "none"


class Templates:
    """The whole path of each route of an application, with its prefix: the framework's scope names the last part."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app

    @cached_property
    def _paths(self) -> dict[int, str]:
        found = iter_route_contexts(self._app.routes)
        return {id(one.original_route): one.path or NO_ROUTE for one in found}

    def of(self, scope: Scope) -> str:
        """The template of the route that took a request; `none` where no route did."""
        return self._paths.get(id(scope.get("route")), NO_ROUTE)


class CountedRequests:
    """ASGI middleware: each request is counted and timed when its answer ends."""

    def __init__(self, app: ASGIApp, templates: Templates) -> None:
        self._app = app
        self._templates = templates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # An answer that never began: the process ended the request.
        status = 500

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        began = time.perf_counter()
        instruments.RUNNING_REQUESTS.inc()
        try:
            await self._app(scope, receive, watched)
        finally:
            instruments.RUNNING_REQUESTS.dec()
            source = "inner" if INNER in scope else "client"
            method = scope["method"] if scope["method"] in METHODS else "other"
            route = self._templates.of(scope)
            instruments.REQUESTS.labels(source, method, route, f"{status // 100}xx").inc()
            instruments.REQUEST_SECONDS.labels(source, method, route).observe(time.perf_counter() - began)
