"""The routes that can answer a path, found by the parts of the path.

The framework tries every router in turn: 450 expressions for a path of the last one, a third of the processor time of
a read that is in the cache. Keep out: the routes themselves, and the methods of a path (methods.py).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from fastapi.routing import iter_route_contexts
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

CHOSEN = "eas.chosen_route"


@dataclass(slots=True)
class _Node:
    """The routes below the first parts of a path, by their positions."""

    fixed: "dict[str, _Node]" = field(default_factory=dict)
    any: "_Node | None" = None
    ends: set[int] = field(default_factory=set)
    reaches_further: set[int] = field(default_factory=set)
    """Routes that take any number of further parts."""

    def add(self, parts: Sequence[str], position: int) -> None:
        """Remember a route whose path goes on with these parts; a part with a brace takes any text."""
        if not parts:
            self.ends.add(position)
        elif ":path}" in parts[0]:
            self.reaches_further.add(position)
        elif "{" in parts[0]:
            self.any = self.any or _Node()
            self.any.add(parts[1:], position)
        else:
            self.fixed.setdefault(parts[0], _Node()).add(parts[1:], position)

    def find(self, parts: Sequence[str]) -> Iterator[int]:
        """Every route that may match; its own expression decides."""
        yield from self.reaches_further
        if not parts:
            yield from self.ends
            return
        for node in (self.fixed.get(parts[0]), self.any):
            if node is not None:
                yield from node.find(parts[1:])


class RouteIndex(BaseRoute):
    """A route before all others. It takes a request that one of them answers, and passes it on to the first of these.

    What no route answers is left to the framework, also a path with another method, and every path below a root path.
    """

    def __init__(self, routes: Sequence[BaseRoute]) -> None:
        self._routes = tuple(routes)
        self._known = _Node()
        for position, route in enumerate(self._routes):
            for found in iter_route_contexts([route]):
                self._known.add((found.path or "").split("/"), position)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """As every route: whether it answers the request, and what that adds to the scope."""
        if scope["type"] != "http" or scope.get("root_path"):
            return Match.NONE, {}
        for position in sorted(set(self._known.find(scope["path"].split("/")))):
            match, added = self._routes[position].matches(scope)
            if match is Match.FULL:
                return match, {**added, CHOSEN: self._routes[position]}
        return Match.NONE, {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the route that matched."""
        chosen: Any = scope.pop(CHOSEN)
        await chosen.handle(scope, receive, send)
