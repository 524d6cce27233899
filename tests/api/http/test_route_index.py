"""The index of routes chooses what the framework chooses by trying every route in turn."""

import re
from functools import cache

import pytest
from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.routing import BaseRoute, Match

from api.app import create_app
from api.http.route_index import CHOSEN, RouteIndex
from api.settings import ApiSettings

ODD = (
    "",
    "/",
    "//",
    "/nothing",
    "/api/v1/organizations//commits",
    "/api/v1/organizations/acme/",
    "/assets/a/b/c",
)
FILLED = re.compile(r"\{\w+(:path)?\}")
METHODS = ("GET", "POST", "DELETE")


@cache
def app() -> FastAPI:
    return create_app(ApiSettings())


@cache
def paths() -> tuple[str, ...]:
    """A path for every route, and for some one with an odd id, one with a part more, and one with a part less."""
    found = sorted({route.path or "" for route in iter_route_contexts(app().routes)})
    plain = [FILLED.sub("a1", path) for path in found]
    odd = [FILLED.sub(text, path) for text in ("x:y z", "..") for path in found[::5]]
    return (
        *plain,
        *odd,
        *(f"{path}/more" for path in plain[::5]),
        *(path.rpartition("/")[0] for path in plain[::5]),
    )


def asked(method: str, path: str) -> dict[str, object]:
    return {"type": "http", "method": method, "path": path, "root_path": "", "headers": []}


def by_turn(routes: list[BaseRoute], method: str, path: str) -> BaseRoute | None:
    scope = asked(method, path)
    return next((route for route in routes if route.matches(scope)[0] is Match.FULL), None)


@pytest.fixture(scope="module")
def index() -> RouteIndex:
    first = app().routes[0]
    assert isinstance(first, RouteIndex)
    return first


@pytest.mark.parametrize("method", METHODS)
def test_the_index_chooses_the_first_route_that_answers(index: RouteIndex, method: str) -> None:
    others = app().routes[1:]
    answered = 0
    for path in (*paths(), *ODD):
        match, added = index.matches(asked(method, path))
        expected = by_turn(others, method, path)
        assert added.get(CHOSEN) is expected, f"{method} {path}"
        assert (match is Match.FULL) is (expected is not None), f"{method} {path}"
        answered += expected is not None
    assert answered > 20


def test_the_index_leaves_a_path_below_a_root_to_the_framework(index: RouteIndex) -> None:
    assert index.matches(asked("GET", "/healthz"))[0] is Match.FULL
    assert index.matches(asked("GET", "/eas/healthz") | {"root_path": "/eas"})[0] is Match.NONE
