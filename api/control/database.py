"""Engine and migrations of the control database.

Keep out: queries (store.py and the packages beside it).
"""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError
from sqlalchemy import Engine, create_engine, event, make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

from api.control.errors import SchemaTooNew, SchemaTooOld

MIGRATIONS = Path(__file__).parent / "migrations"
# Any constant of this project's own: it names the advisory lock that migrating processes share.
POSTGRES_LOCK = 0x0EA5
# Revisions of development that the initial revision replaces.
SQUASHED = {f"{number:04}" for number in range(1, 24)}


def database_url(data_dir: Path) -> str:
    """`CONTROL_DATABASE_URL` where it is set, else the SQLite file `control.db` of the data directory."""
    return os.environ.get("CONTROL_DATABASE_URL") or f"sqlite:///{(data_dir / 'control.db').absolute()}"


def connect(url: str) -> Engine:
    """An engine for `url`. SQLite files get WAL, foreign keys and a patient writer lock."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return create_engine(parsed, pool_pre_ping=True)
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


class ChangeCounter:
    """Tells whether the control database changed since it was last asked, where that is cheap to know."""

    def __init__(self, engine: Engine) -> None:
        self._connection: sqlite3.Connection | None = None
        file = engine.url.database
        if engine.dialect.name == "sqlite" and file and file != ":memory:":
            self._connection = sqlite3.connect(file, check_same_thread=False)

    def version(self) -> object:
        """A value that changes with every commit of any process. On PostgreSQL it differs on every call."""
        if self._connection is None:
            # PostgreSQL is asked each time: what another process revokes must end at once.
            return object()
        return self._connection.execute("PRAGMA data_version").fetchone()[0]

    def close(self) -> None:
        """Release the connection that watches the database."""
        if self._connection is not None:
            self._connection.close()


def migrate(engine: Engine) -> None:
    """Bring the schema to the newest revision; processes that start together take turns.

    Raises SchemaTooNew when a newer release has migrated the database further, SchemaTooOld when the database is at
    a revision from before the initial one.
    """
    scripts = ScriptDirectory(str(MIGRATIONS))
    head = scripts.get_current_head()
    if _revision(engine) == head:
        return
    with _alone(engine):
        current = _revision(engine)
        if current is not None:
            try:
                scripts.get_revision(current)
            except CommandError as error:
                if current in SQUASHED:
                    raise SchemaTooOld(
                        f"{_shown(engine.url)} is at schema revision {current} of a development version before the "
                        "first release, which this release does not migrate; move the database away and start with a "
                        "new one, or open it once with the development version at revision 0024 and then with this one"
                    ) from error
                raise SchemaTooNew(
                    f"{_shown(engine.url)} is at schema revision {current}, which this release does not know; "
                    "run the release that migrated it, or restore a backup"
                ) from error
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
        with engine.begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")


def _revision(engine: Engine) -> str | None:
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


@contextmanager
def _alone(engine: Engine) -> Iterator[None]:
    if engine.dialect.name == "sqlite" and engine.url.database not in (None, "", ":memory:"):
        with Path(f"{engine.url.database}.migrating").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        return
    if engine.dialect.name == "postgresql":
        with engine.connect() as connection:
            connection.execute(text("select pg_advisory_lock(:key)"), {"key": POSTGRES_LOCK})
            try:
                yield
            finally:
                connection.execute(text("select pg_advisory_unlock(:key)"), {"key": POSTGRES_LOCK})
        return
    yield


def _shown(url: URL) -> str:
    return url.render_as_string(hide_password=True)
