"""Address and engine of the control database.

Keep out: its schema (schema.py), queries (store.py and the packages beside it).
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import DatabaseError, DBAPIError, InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import ConnectionPoolEntry

from api.control.errors import DatabaseDamaged, DatabaseLost
from api.operator.variables import DATABASE

# A host that is switched off does not refuse a connection, and a frozen server accepts it and says nothing.
SECONDS_TO_CONNECT = 5
SECONDS_TO_ANSWER = 15
"""The longest wait for an answer to one statement, a commit included. Writes that wait for others of their organization
count as well.
"""
# What a process leaves that is stopped amid a transaction: its locks stop every write of the organization.
SECONDS_IDLE_IN_TRANSACTION = 60
# A connection whose peer is gone without a word ends within a minute.
TCP = {
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": SECONDS_TO_ANSWER * 1000,
}
# The key in `Session.info` of the clock by which the session's store goes.
CLOCK = "clock"


def database_url(data_dir: Path) -> str:
    """`CONTROL_DATABASE_URL` where it is set, else the SQLite file `control.db` of the data directory."""
    return os.environ.get(DATABASE, "").strip() or f"sqlite:///{(data_dir / 'control.db').absolute()}"


REMEDY = (
    "It holds what people decided: settings, teams, exclusions, accounts and keys, and nothing else can make it again."
    " Restore a backup of it; or go on without these decisions: `eas doctor --fix` starts a new one and keeps the old"
    " file beside it"
)


def database_file(data_dir: Path) -> Path | None:
    """The SQLite file of a data directory; None where another database is set."""
    return None if os.environ.get(DATABASE, "").strip() else (data_dir / "control.db").absolute()


def refuse_lost(data_dir: Path) -> None:
    """Raise DatabaseLost if the file is missing or empty although the deployment has published figures.

    Opening would make a new database without any decision, and the next build would publish figures without them.
    """
    file = database_file(data_dir)
    if file is None or (file.exists() and (file.stat().st_size or not file.is_file())):
        return
    # `journal` is the run state of a release before 0.6.
    published = ("run_state/*/build.json", "journal/*/build.json", "published/*/current.json")
    if any(any(data_dir.glob(pattern)) for pattern in published):
        raise DatabaseLost(
            f"the control database {file} is {'empty' if file.exists() else 'missing'}. {REMEDY}"
        )


@contextmanager
def reporting_damage(data_dir: Path) -> Iterator[None]:
    """Raise DatabaseDamaged where SQLite finds its file damaged."""
    try:
        yield
    except DatabaseError as error:
        # Locks and full disks are operational errors, and pass.
        if database_file(data_dir) is None or type(error) is not DatabaseError:
            raise
        raise DatabaseDamaged(
            f"the control database {database_file(data_dir)} is damaged ({error.orig}). {REMEDY}"
        ) from error


def check_file(data_dir: Path) -> None:
    """Raise DatabaseLost or DatabaseDamaged unless SQLite finds its whole file in order."""
    refuse_lost(data_dir)
    file = database_file(data_dir)
    if file is None or not file.exists():
        return
    if not file.is_file():
        raise DatabaseDamaged(f"the control database {file} is no file. {REMEDY}")
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
            [(answer,), *_] = connection.execute("pragma integrity_check(1)").fetchall()
    except sqlite3.OperationalError:
        return  # locked at the moment
    except sqlite3.DatabaseError as error:
        answer = str(error)
    if answer != "ok":
        raise DatabaseDamaged(f"the control database {file} is damaged ({answer}). {REMEDY}")


def connect(url: str) -> Engine:
    """An engine for `url`. SQLite files get WAL, foreign keys, and a long timeout of the writer lock."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        engine = create_engine(
            parsed,
            pool_pre_ping=True,
            pool_timeout=SECONDS_TO_ANSWER,
            connect_args={"connect_timeout": SECONDS_TO_CONNECT, **TCP},
        )
        event.listen(engine, "connect", _bound_postgresql)
        return engine
    if parsed.database and parsed.database != ":memory:":
        Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(parsed, connect_args={"timeout": 30})
    event.listen(engine, "connect", _tune_sqlite)
    return engine


def _tune_sqlite(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    # WAL keeps the file consistent at NORMAL; only the last commits before a power cut can be lost.
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _bound_postgresql(connection: Any, _: ConnectionPoolEntry) -> None:
    """Bound its statements: in the server, which ends them, and here, because a frozen server says nothing."""
    wait = connection.wait

    def bounded_wait(generator: Any, *interval: float, **options: Any) -> Any:
        try:
            return wait(generator, *interval, **{"timeout": SECONDS_TO_ANSWER} | options)
        except Exception:
            if connection.info.transaction_status is connection.info.transaction_status.ACTIVE:
                # The statement goes on: its answer would be taken for that of the next one.
                connection.pgconn.finish()
            raise

    connection.wait = bounded_wait
    connection.autocommit = True
    connection.execute(f"set statement_timeout = '{SECONDS_TO_ANSWER}s'")
    connection.execute(f"set idle_in_transaction_session_timeout = '{SECONDS_IDLE_IN_TRANSACTION}s'")
    connection.autocommit = False


def without_limits(connection: Connection) -> None:
    """Take the limit of time from a connection that changes the schema, or waits for another process that does."""
    if connection.dialect.name == "postgresql":
        connection.detach()
        driver: Any = connection.connection.dbapi_connection
        del driver.wait
        connection.exec_driver_sql("set statement_timeout = 0")
        connection.exec_driver_sql("set idle_in_transaction_session_timeout = 0")
        connection.commit()


def is_out_of_reach(error: BaseException) -> bool:
    """Whether an error means that the database cannot be used now: it is down, locked, unreadable or damaged.

    Other errors of the driver mean a wrong statement or value.
    """
    if isinstance(error, PoolTimeout):
        return True
    found = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(found, sqlite3.Error):
        # A table can only be missing in a file that is not the migrated one.
        is_statement = getattr(found, "sqlite_errorcode", 0) == sqlite3.SQLITE_ERROR
        is_known = type(found) in (sqlite3.DatabaseError, sqlite3.OperationalError)
        return is_known and (not is_statement or "no such table" in str(found))
    return isinstance(error, OperationalError | InterfaceError) or type(error) is DatabaseError


def check(engine: Engine) -> None:
    """Read something from the database. Raises SQLAlchemyError or sqlite3.Error."""
    statement = "select version_num from alembic_version"
    file = engine.url.database
    if engine.dialect.name == "sqlite" and file and file != ":memory:":
        # A new connection, because an open one answers from its cache. `rw` makes no file where there is none.
        address = f"{Path(file).absolute().as_uri()}?mode=rw"
        with closing(sqlite3.connect(address, uri=True)) as own:
            own.execute(statement).fetchall()
        return
    with engine.connect() as connection:
        connection.execute(text(statement))


def problem_of(url: str) -> str | None:
    """The reason why a database cannot be opened at all; None where it can."""
    try:
        engine = connect(url)
    except OSError as error:  # its folder cannot be made
        return f"{error.filename}: {error.strerror}"
    try:
        with engine.connect() as connection:
            connection.execute(text("select 1"))
    except SQLAlchemyError as error:
        return str(error.orig if isinstance(error, DBAPIError) else error).strip()
    finally:
        engine.dispose()
    return None


class ChangeCounter:
    """Detects changes of the control database since the last call, if that is cheap."""

    def __init__(self, engine: Engine) -> None:
        self._connection: sqlite3.Connection | None = None
        file = engine.url.database
        if engine.dialect.name == "sqlite" and file and file != ":memory:":
            # Asked by the thread that serves all requests: it must not wait for a lock.
            self._connection = sqlite3.connect(file, check_same_thread=False, timeout=0)

    def version(self) -> object:
        """A value that changes with every commit of any process. On PostgreSQL it differs on every call."""
        if self._connection is None:
            # PostgreSQL is asked each time: what another process revokes must end at once.
            return object()
        try:
            return self._connection.execute("PRAGMA data_version").fetchone()[0]
        except sqlite3.Error:
            # The next read of the database raises the error with its reason.
            return object()

    def close(self) -> None:
        """Release the connection that watches the database."""
        if self._connection is not None:
            self._connection.close()
