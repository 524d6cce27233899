"""A small published organization, served over real HTTP, and keys to read it."""

import asyncio
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from starlette.routing import Router
from starlette.types import Receive, Scope, Send

from api.app import Lifespan, create_app, services_of
from api.control.accounts.tokens import create_token
from api.control.store import ControlStore, open_store, utc_now
from api.settings import ApiSettings
from tests.api import both_databases
from tests.api.both_databases import Databases
from tests.api.drawn_once import drawing_once
from tests.api.examples.recording import recorded
from tests.api.people import Clock
from tests.api.published_facts import ORGANIZATION, Facts, make_facts
from tests.api.published_rows import write
from tests.published_tables import copy_filled, publish_marts

ROOT = "/api/v1/organizations/acme"


@dataclass
class Deployment:
    """A data directory with an organization, and the facts behind its published build."""

    data_dir: Path
    store: ControlStore
    facts: Facts
    warehouse: Path

    def key(self, name: str = "test", **options: Any) -> str:
        """A fresh API key of the organization."""
        return create_token(self.store, ORGANIZATION, name, **options).key

    def publish(self, **options: Any) -> str:
        """Publish the warehouse; the build id."""
        root = self.data_dir / "published"
        return publish_marts(self.warehouse, root, ORGANIZATION, by=copy_filled, **options).build_id


def deploy(data_dir: Path, facts: Facts, warehouse: Path) -> Deployment:
    """An organization `acme` in this directory, with a built warehouse that is not published yet."""
    data_dir.mkdir(parents=True, exist_ok=True)
    store = open_store(data_dir)
    store.ensure_organization("Acme", organization_id=ORGANIZATION, slug="acme")
    return Deployment(data_dir, store, facts, warehouse)


@cache
def application() -> FastAPI:
    """The application of every server of this process: its routes are resolved once, by their first requests."""
    return create_app(ApiSettings())


class Deployed:
    """The application with the services of one deployment."""

    def __init__(self, services: Lifespan) -> None:
        self._life = Router(lifespan=services)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        serve = self._life if scope["type"] == "lifespan" else recorded(application())
        await serve(scope, receive, send)


class PromptServer(uvicorn.Server):
    """A server that stops when told to. The original looks every 0.1 s and again waits so long for its connections.

    Nearly a thousand tests would wait for it.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._told = asyncio.Event()

    async def main_loop(self) -> None:
        """Serve until `stop`. Every second it renews the `Date` of the answers."""
        self._loop = asyncio.get_running_loop()
        while not await self.on_tick(0):
            with suppress(TimeoutError):
                await asyncio.wait_for(self._told.wait(), timeout=1)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer the requests that run, close the connections, and end the application."""
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        while self.server_state.connections or self.server_state.tasks:
            await asyncio.sleep(0.002)
        await self.lifespan.shutdown()

    def stop(self) -> None:
        """End the main loop, from another thread."""
        self.should_exit = True
        if self._loop is not None:
            # A server that failed has closed its loop already.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._told.set)


@contextmanager
def serving(data_dir: Path, now: Callable[[], datetime] = utc_now, **settings: Any) -> Iterator[str]:
    """Address of a server over this directory, which runs in a thread to the end of the block."""
    cheap = {"EAS_PASSWORD_MEMORY_KIB": 8}
    app = Deployed(services_of(ApiSettings(EAS_DATA_DIR=data_dir, **(cheap | settings)), now=now))
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = PromptServer(uvicorn.Config(app, log_level="warning", access_log=False))
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.stop()
            thread.join()


@cache
def certificates() -> ssl.SSLContext:
    """What every client trusts, read once. Reading them takes longer than most requests."""
    return httpx.create_ssl_context()


def client_for(address: str, key: str | None = None) -> httpx.Client:
    """A client that sends this key."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return httpx.Client(base_url=address, headers=headers, timeout=30, verify=certificates())


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", both_databases.MARK)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what is marked once on each database. A test without a directory of its own has none."""
    mark = metafunc.definition.get_closest_marker("both_databases")
    if mark is not None and "tmp_path_factory" in metafunc.fixturenames:
        assert "published" not in metafunc.fixturenames, "the published organization is on SQLite alone"
        is_rare = mark.kwargs.get("postgresql") == "release"
        databases = both_databases.POSTGRESQL_IN_RELEASE if is_rare else both_databases.EACH
        metafunc.parametrize("database", databases, indirect=True, scope="module")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests on PostgreSQL last: what a module has on SQLite is made once."""

    def is_on_postgresql(item: pytest.Item) -> bool:
        spec = getattr(item, "callspec", None)
        return spec is not None and spec.params.get("database") == both_databases.POSTGRESQL

    items.sort(key=is_on_postgresql)


@pytest.fixture
def clock() -> Clock:
    """A clock that advances only when a test advances it."""
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[ControlStore]:
    """An empty control database with the clock of the test."""
    store = open_store(tmp_path, now=clock)
    yield store
    store.close()


@pytest.fixture(scope="session", autouse=True)
def control_databases() -> Iterator[Databases]:
    """The control databases of the tests of this process."""
    with both_databases.control_databases() as databases:
        yield databases


@pytest.fixture(scope="session", autouse=True)
def _drawing() -> Iterator[None]:
    with drawing_once():
        yield


@pytest.fixture(scope="module", autouse=True)
def database(request: pytest.FixtureRequest, control_databases: Databases) -> Iterator[str]:
    """The kind of database that the test runs on. A store of a whole module depends on it, to be made for each."""
    kind = getattr(request, "param", None) or both_databases.SQLITE
    with control_databases.on(kind):
        yield kind


@pytest.fixture(autouse=True)
def _databases_of_one_test(control_databases: Databases) -> Iterator[None]:
    with control_databases.of_one_test():
        yield


@pytest.fixture(scope="session")
def facts() -> Facts:
    return make_facts()


@pytest.fixture(scope="session")
def warehouse(tmp_path_factory: pytest.TempPathFactory, facts: Facts) -> Path:
    """The facts as a built warehouse. Tests do not write to it."""
    return write(facts, tmp_path_factory.mktemp("warehouse") / "built.duckdb")


@pytest.fixture(scope="session")
def published(
    tmp_path_factory: pytest.TempPathFactory, facts: Facts, warehouse: Path, control_databases: Databases
) -> Deployment:
    """The organization, published once, on SQLite; tests must not publish again."""
    with control_databases.on(both_databases.SQLITE):
        deployment = deploy(tmp_path_factory.mktemp("published"), facts, warehouse)
    deployment.publish()
    return deployment


@pytest.fixture(scope="session")
def address(published: Deployment) -> Iterator[str]:
    with serving(published.data_dir) as served:
        yield served


@pytest.fixture(scope="session")
def client(published: Deployment, address: str) -> Iterator[httpx.Client]:
    """A client with a good key of the published organization."""
    with client_for(address, published.key("session")) as made:
        yield made


@pytest.fixture
def deployment(tmp_path: Path, facts: Facts, warehouse: Path) -> Deployment:
    """An organization for one test, not published yet."""
    return deploy(tmp_path / "data", facts, warehouse)


@pytest.fixture
def serve() -> Callable[..., AbstractContextManager[str]]:
    return serving
