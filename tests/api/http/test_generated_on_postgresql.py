"""Generated requests within the document against a service on PostgreSQL.

Requests against the document are refused before any statement, and what reads a build sends the same statements for
every value: both are tried on SQLite alone (test_schemathesis.py).
"""

import inspect
import re
from collections.abc import Iterator
from typing import Any, get_args

import pytest
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, iter_route_contexts

from api.callers.dependencies import OwnRowAccess, Viewer
from tests.api import postgres
from tests.api.both_databases import POSTGRESQL, Databases
from tests.api.conftest import Deployment, deploy, serving
from tests.api.http.test_schemathesis import (
    APP,
    OPERATIONS,
    credential,
    described,
    expect_documented_answers,
    show,
)
from tests.api.published_facts import Facts

# What a route depends on that reads a build.
READS = {get_args(alias)[1].dependency for alias in (Viewer, OwnRowAccess)}
# PostgreSQL cannot keep a NUL, wherever in a request it is.
WITH_NUL = frozenset({"request"})


def _reads_of_builds() -> dict[tuple[str, str], APIRoute]:
    """Routes that read a build and no more: the values of a request reach no statement."""
    return {
        ("get", str(found.path)): route
        for found in iter_route_contexts(APP.routes)
        if isinstance(route := found.original_route, APIRoute)
        and "GET" in (found.methods or ())
        and not READS.isdisjoint(_called(route.dependant))
        and not _asks_the_control_database(route)
    }


def _asks_the_control_database(route: APIRoute) -> bool:
    """Whether the handler reads records beside the build, as `/me` reads the teams that somebody leads."""
    return re.search(r"\bstore\b|\bservices\(", inspect.getsource(route.endpoint)) is not None


def _called(dependant: Dependant) -> set[object]:
    return {dependant.call}.union(*map(_called, dependant.dependencies))


LEFT_OUT = _reads_of_builds()


@pytest.fixture(scope="module")
def deployed(
    tmp_path_factory: pytest.TempPathFactory, facts: Facts, warehouse: Any, control_databases: Databases
) -> Iterator[Deployment]:
    with control_databases.on(POSTGRESQL):
        deployment = deploy(tmp_path_factory.mktemp("generated"), facts, warehouse)
    deployment.publish()
    yield deployment
    deployment.store.close()


@pytest.fixture(scope="module")
def schema(deployed: Deployment) -> Iterator[Any]:
    with serving(deployed.data_dir) as address:
        yield described(address)


@postgres.required
@pytest.mark.parametrize(("method", "path"), [one for one in OPERATIONS if one not in LEFT_OUT])
def test_requests_within_the_document_get_documented_answers_on_postgresql(
    deployed: Deployment, schema: Any, method: str, path: str
) -> None:
    key = credential(deployed, method, path)
    expect_documented_answers(schema[path][method], key, method, path, WITH_NUL)
    if path.endswith("/settings"):
        show(deployed)


def test_reads_beside_a_build_are_tried_on_postgresql() -> None:
    assert len(LEFT_OUT) > 20
    assert ("get", "/api/v1/organizations/{organization}/me") not in LEFT_OUT
