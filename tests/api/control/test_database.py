"""A control database out of reach: down, locked, damaged or gone. Requests then get 503, never a traceback."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import SQLAlchemyError

from api.control.database import ChangeCounter, check, connect, is_out_of_reach, problem_of
from api.control.store import open_store
from api.http.statuses import item_status
from tests.api import postgres
from tests.api.conftest import client_for, serving

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


@postgres.required
def test_a_database_that_is_down_is_unavailable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with postgres.running() as url:
        monkeypatch.setenv("CONTROL_DATABASE_URL", url(tmp_path))
        served = serving(tmp_path)
        address = served.__enter__()
        with client_for(address, KEY) as client:
            assert client.get("/readyz").status_code == 200
            assert client.get("/api/v1/organizations").status_code == 401
    try:
        with client_for(address, KEY) as client:
            expect_unavailable(client.get("/readyz"))
            for method, path, options in REQUESTS:
                expect_unavailable(client.request(method, path, **options))
    finally:
        served.__exit__(None, None, None)


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
