"""A control database out of reach: down, locked, damaged or gone. Requests then get 503, never a traceback."""

import itertools
import signal
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import create_engine, select, text
from sqlalchemy.exc import SQLAlchemyError

from api.control import database
from api.control.accounts.tokens import create_token
from api.control.database import (
    ChangeCounter,
    check,
    connect,
    is_out_of_reach,
    problem_of,
    without_limits,
)
from api.control.models import Team
from api.control.store import open_store
from api.http.statuses import item_status
from tests.api import postgres
from tests.api.conftest import ROOT, client_for, serving
from tests.api.published_facts import ORGANIZATION

KEY = "service_" + "a" * 43
# Each asks the database: for the key, for an account, for a link.
REQUESTS: list[tuple[str, str, dict[str, Any]]] = [
    ("GET", "/api/v1/organizations", {}),
    ("POST", "/auth/signIn", {"json": {"email": "a@example.org", "password": "Correct-horse 9 staple"}}),
    ("POST", "/auth/verifyEmail", {"json": {"token": "a" * 43}}),
]


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    open_store(tmp_path).close()
    return tmp_path


def damage(file: Path) -> None:
    file.write_bytes(b"no database" * 5_000)
    for extra in ("-wal", "-shm"):
        file.with_name(file.name + extra).unlink(missing_ok=True)


def expect_unavailable(answer: httpx.Response) -> None:
    assert answer.status_code == 503, answer.text
    assert int(answer.headers["retry-after"]) > 0
    assert answer.json()["code"] == 14
    assert "the control database" in answer.json()["message"]


def test_a_damaged_database_is_unavailable(data_dir: Path) -> None:
    with serving(data_dir) as address, client_for(address, KEY) as client:
        assert client.get("/api/v1/organizations").status_code == 401
        damage(data_dir / "control.db")
        expect_unavailable(client.get("/readyz"))
        # A connection that is open may still answer from its cache.
        for method, path, options in REQUESTS:
            answer = client.request(method, path, **options)
            if answer.status_code not in (400, 401):
                expect_unavailable(answer)


def test_a_lost_database_is_not_ready_and_not_made_anew(data_dir: Path) -> None:
    with serving(data_dir) as address, client_for(address, None) as client:
        (data_dir / "control.db").unlink()
        expect_unavailable(client.get("/readyz"))
        assert not (data_dir / "control.db").exists()


@pytest.fixture(scope="module")
def server() -> Iterator[postgres.Server]:
    """A server that tests freeze and crash, and that they leave running."""
    made = postgres.Server()
    yield made
    made.remove()


def url_of(server: postgres.Server) -> str:
    return f"{server.address}/postgres".replace("postgresql:", "postgresql+psycopg:")


@postgres.required
def test_a_database_that_is_down_is_unavailable(
    server: postgres.Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONTROL_DATABASE_URL", url_of(server))
    with serving(tmp_path) as address, client_for(address, KEY) as client:
        assert client.get("/readyz").status_code == 200
        assert client.get("/api/v1/organizations").status_code == 401
        server.crash()
        try:
            expect_unavailable(client.get("/readyz"))
            for method, path, options in REQUESTS:
                expect_unavailable(client.request(method, path, **options))
        finally:
            server.start()


class Writers:
    """Twenty clients that make teams without a pause, and what they were answered."""

    def __init__(self, address: str, key: str) -> None:
        self.made: list[str] = []
        self.refused: list[httpx.Response] = []
        self._is_over = threading.Event()
        self._threads = [threading.Thread(target=self._write, args=(address, key, one)) for one in range(20)]
        for thread in self._threads:
            thread.start()

    def _write(self, address: str, key: str, writer: int) -> None:
        with client_for(address, key) as client:
            for number in itertools.count():
                if self._is_over.is_set():
                    return
                answer = client.post(f"{ROOT}/teams", json={"name": f"{writer} {number}"})
                if answer.status_code == 200:
                    self.made.append(answer.json()["id"])
                else:
                    self.refused.append(answer)

    def await_more(self, found: list[Any], count: int) -> None:
        """Wait until a list has so many more."""
        wanted, until = len(found) + count, time.monotonic() + 60
        while len(found) < wanted:
            assert time.monotonic() < until, (len(found), wanted, [one.text for one in self.refused[-3:]])
            time.sleep(0.02)

    def end(self) -> None:
        """Let every writer end."""
        self._is_over.set()
        for thread in self._threads:
            thread.join()


@postgres.required
def test_nothing_acknowledged_is_lost_while_postgresql_is_frozen_and_killed_under_twenty_writers(
    server: postgres.Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "SECONDS_TO_ANSWER", 2)
    monkeypatch.setattr(database, "SECONDS_TO_CONNECT", 2)
    monkeypatch.setenv("CONTROL_DATABASE_URL", url_of(server))
    store = open_store(tmp_path)
    store.ensure_organization("Acme", organization_id=ORGANIZATION, slug="acme")
    key = create_token(store, "acme", "writers", scope="write").key
    with serving(tmp_path) as address, client_for(address, None) as probe:
        writers = Writers(address, key)
        try:
            writers.await_more(writers.made, 20)
            server.signal(signal.SIGSTOP)
            began = time.monotonic()
            expect_unavailable(probe.get("/readyz"))
            assert time.monotonic() - began < 10  # 2 s to answer, on a machine that is busy
            writers.await_more(writers.refused, 20)
            server.signal(signal.SIGCONT)
            writers.await_more(writers.made, 20)
            server.crash()
            writers.await_more(writers.refused, 20)
            server.start()
            writers.await_more(writers.made, 20)
        finally:
            server.signal(signal.SIGCONT)
            writers.end()
    with store.session() as session:
        kept = set(session.scalars(select(Team.id)))
    store.close()
    assert set(writers.made) <= kept
    for answer in writers.refused:
        # A commit without an answer may have been made: the name of the next attempt is taken.
        expect_unavailable(answer)


@postgres.required
def test_a_migration_may_take_longer_than_a_statement(
    server: postgres.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "SECONDS_TO_ANSWER", 1)
    engine = connect(url_of(server))
    slow = text("select pg_sleep(1.5)")
    with engine.connect() as connection, pytest.raises(SQLAlchemyError) as found:
        connection.execute(slow)
    assert is_out_of_reach(found.value)
    with engine.connect() as connection:
        without_limits(connection)
        connection.execute(slow)
    engine.dispose()


@pytest.fixture
def locked(data_dir: Path) -> Iterator[Path]:
    """A database that another connection has for itself."""
    file = data_dir / "control.db"
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = exclusive")
        other.execute("BEGIN EXCLUSIVE")
        yield file


def test_a_locked_database_is_out_of_reach(locked: Path) -> None:
    engine = create_engine(f"sqlite:///{locked}", connect_args={"timeout": 0})
    with pytest.raises(SQLAlchemyError) as found, engine.connect() as connection:
        connection.execute(text("select 1 from alembic_version"))
    assert is_out_of_reach(found.value)
    assert item_status(found.value)["code"] == 14


def test_the_counter_of_changes_never_waits_for_a_lock(locked: Path) -> None:
    """The thread of all requests asks it."""
    counter = ChangeCounter(create_engine(f"sqlite:///{locked}"))
    assert counter.version() != counter.version()
    counter.close()


@pytest.mark.parametrize("statement", ["select nothing from sqlite_master", "selec", "select 1 where"])
def test_a_wrong_statement_is_no_unreachable_database(statement: str) -> None:
    with pytest.raises(SQLAlchemyError) as found, create_engine("sqlite://").connect() as connection:
        connection.execute(text(statement))
    assert not is_out_of_reach(found.value)


def test_a_database_that_cannot_be_opened_is_named_before_the_start(tmp_path: Path) -> None:
    file = tmp_path / "control.db"
    assert problem_of(f"sqlite:///{file}") is None
    damage(file)
    assert "not a database" in str(problem_of(f"sqlite:///{file}"))
    assert "refused" in str(problem_of("postgresql+psycopg://eas@127.0.0.1:1/eas"))


def test_a_database_in_memory_is_checked(tmp_path: Path) -> None:
    engine = connect("sqlite://")
    with pytest.raises(SQLAlchemyError):
        check(engine)
    with engine.begin() as connection:
        connection.execute(text("create table alembic_version (version_num text)"))
    check(engine)
