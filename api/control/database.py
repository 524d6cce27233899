"""Engine and migrations of the control database.

Keep out: queries (store.py, tokens.py).
"""

import fcntl
import os
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

from api.control.errors import SchemaTooNew

MIGRATIONS = Path(__file__).parent / "migrations"
# Any constant of this project's own: it names the advisory lock that migrating processes share.
POSTGRES_LOCK = 0x0EA5


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


def migrate(engine: Engine) -> None:
    """Bring the schema to the newest revision; processes that start together take turns.

    Raises SchemaTooNew when a newer release has already migrated the database further.
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
