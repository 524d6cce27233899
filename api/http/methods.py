"""The methods of a path, from the routes: 405 with all of them in `Allow`, also for custom verbs.

The framework names the methods of the first route that matches, and takes `{id}:accept` for an id where a route of
the item has the method. Keep out: the body of the answer (error_handlers.py).
"""

import re
from functools import cached_property

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from api.http.error_handlers import render_http_exception

# Monitors ask these with HEAD. Not every GET is free of effects: a callback uses up its sign-in.
WITH_HEAD = frozenset(
    {
        "/", "/healthz", "/readyz", "/docs", "/signIn", "/signUp", "/invitation",
        "/requestPasswordReset",
    }
)  # fmt: skip
PARAMETER = re.compile(r"\{(\w+)\}")


class Methods:
    """The methods of every path of an application, read from its routes when first asked."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app

    @cached_property
    def _offered(self) -> list[tuple[re.Pattern[str], frozenset[str]]]:
        found = iter_route_contexts(self._app.routes)
        return [(_pattern(route.path or ""), frozenset(route.methods or ())) for route in found]

    def of(self, path: str) -> frozenset[str]:
        """All methods of the path; none where no route has it."""
        found = (methods for pattern, methods in self._offered if pattern.fullmatch(path))
        return frozenset({"HEAD"} if path in WITH_HEAD else ()).union(*found)


class OfferedMethods:
    """ASGI middleware: pages and probes answer HEAD as GET, and custom verbs refuse other methods before they are taken
    for an id.
    """

    def __init__(self, app: ASGIApp, methods: Methods) -> None:
        self._app = app
        self._methods = methods

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and ":" in scope["path"]:
            offered = self._methods.of(scope["path"])
            if offered and scope["method"] not in offered:
                refused = await render_http_exception(Request(scope), HTTPException(405))
                await refused(scope, receive, send)
                return
        if scope["type"] == "http" and scope["method"] == "HEAD" and scope["path"] in WITH_HEAD:
            # The server keeps the method of the request, and so sends the headers alone.
            scope = {**scope, "method": "GET"}
        await self._app(scope, receive, send)


def _pattern(path: str) -> re.Pattern[str]:
    """An expression for the paths of a route. An id has no colon, so a verb is never a part of one."""
    # Every other part is fixed text, because split puts the names between them.
    parts = PARAMETER.split(path)
    return re.compile("".join("[^/:]+" if at % 2 else re.escape(part) for at, part in enumerate(parts)))
