"""Address and engine of the control database.

Keep out: its schema (schema.py), queries (store.py and the packages beside it).
"""

import os
import sqlite3
from pathlib import Path

from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry


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
