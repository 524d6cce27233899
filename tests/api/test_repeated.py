"""The tests that PostgreSQL leaves out exist, so that none is left out or kept by a name that is gone."""

import inspect
import re

import pytest
from fastapi.routing import APIRoute, iter_route_contexts

from api.app import create_app
from api.settings import ApiSettings
from tests.api.repeated import HERE, LEFT_OUT, reads_of_builds

APP = create_app(ApiSettings())


@pytest.mark.parametrize("file", LEFT_OUT)
def test_what_postgresql_leaves_out_and_keeps_exists(file: str) -> None:
    tests = set(re.findall(r"^def (test_\w+)", (HERE / file).read_text(), re.MULTILINE))
    assert LEFT_OUT[file] < tests


def test_reads_of_builds_leave_the_control_database_alone() -> None:
    found = reads_of_builds(APP)
    assert len(found) > 20
    for route in iter_route_contexts(APP.routes):
        if isinstance(route.original_route, APIRoute) and found & {
            (method.lower(), str(route.path)) for method in route.methods or ()
        }:
            handler = inspect.getsource(route.original_route.endpoint)
            assert not re.search(r"\bstore\b|\bservices\(", handler), route.path
