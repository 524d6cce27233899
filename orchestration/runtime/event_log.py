"""Dagster's event log in SQLite, with databases that stay open.

Dagster opens a database for each event that it stores. The engine then compiles its statements again, and closing
writes the journal back to the file. On a busy disk that took most of the time for a small repository. Files and tables
are Dagster's own; dagster.yaml names this class.
"""

import os
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from dagster._core.storage.event_log import SqliteEventLogStorage
from dagster._core.storage.event_log.sqlite.sqlite_event_log import INDEX_SHARD_NAME
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS
from dagster._serdes import ConfigurableClassData
from sqlalchemy import Connection, Engine, QueuePool, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

from api.control.identity_providers.deployment import deployment_providers
from api.operator.settings import start_or_exit

MAX_ENGINES = 16
"""Maximum number of open databases. Each run has its own, and a list of runs reads many."""


class KeptEngineEventLog(SqliteEventLogStorage):
    """Dagster's event log in the folder `base_dir`, with one engine per database that stays open."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engines: OrderedDict[str, Engine] = OrderedDict()
        self._tables: set[str] = set()
        self._has_index_columns = False
        self._empty: bytes | None = None
        super().__init__(base_dir, inst_data)

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> "KeptEngineEventLog":
        """Create the event log from the configuration in dagster.yaml. Dagster calls this.

        It does so in each of its processes before anything else, so here they end with settings with which nothing
        starts.
        """
        start_or_exit(deployment_providers)
        return cls(inst_data=inst_data, **config_value)

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        with self._db_lock:
            if shard not in self._initialized_dbs:
                self._initialize(shard)
                self._initialized_dbs.add(shard)
            with self._engine(shard).connect() as connection, connection.begin():
                yield connection

    def _initialize(self, shard: str) -> None:
        """Create the tables of a database, unless it has them.

        The database of a new run is a copy of an empty one: creating the tables takes a third of the processor time
        of a run over a small repository.
        """
        file = Path(self.path_for_shard(shard))
        is_new_run = shard != INDEX_SHARD_NAME and not file.exists()
        if is_new_run and self._empty is not None:
            partial = file.with_suffix(f".{os.getpid()}")
            partial.write_bytes(self._empty)
            with suppress(FileExistsError):  # another process has just created it
                os.link(partial, file)
            partial.unlink()
            return
        engine = self._engine(shard)
        self._initdb(engine)
        if is_new_run:
            engine.dispose()  # which writes the journal back
            self._empty = file.read_bytes()

    def has_table(self, table_name: str) -> bool:
        """Whether the index has the table. Cached, because every event asks several times and no table is ever
        dropped.
        """
        if table_name not in self._tables and super().has_table(table_name):
            self._tables.add(table_name)
        return table_name in self._tables

    def _has_asset_key_index_cols_on_connection(self, conn: Connection) -> bool:
        # Dagster inspects the table at each event of an asset. Columns are added only.
        if not self._has_index_columns:
            self._has_index_columns = super()._has_asset_key_index_cols_on_connection(conn)
        return self._has_index_columns

    def delete_events(self, run_id: str) -> None:
        """Delete the events of a run from the index, and its database as a whole."""
        with self.index_connection() as connection:
            self.delete_events_for_run(connection, run_id)
        with self._db_lock:
            if (engine := self._engines.pop(run_id, None)) is not None:
                engine.dispose()
            self._initialized_dbs.discard(run_id)
            file = Path(self.path_for_shard(run_id))
            for suffix in ("", "-wal", "-shm"):
                file.with_name(file.name + suffix).unlink(missing_ok=True)

    def dispose(self) -> None:
        """Close every database."""
        with self._db_lock:
            for engine in self._engines.values():
                engine.dispose()
            self._engines.clear()
        super().dispose()

    def _engine(self, shard: str) -> Engine:
        engine = self._engines.pop(shard, None) or self._open(shard)
        self._engines[shard] = engine
        if len(self._engines) > MAX_ENGINES:
            self._engines.popitem(last=False)[1].dispose()
        return engine

    def _open(self, shard: str) -> Engine:
        engine = create_engine(
            self.conn_string_for_shard(shard),
            poolclass=QueuePool,
            # One connection is in use at a time; the creation of tables briefly needs more.
            pool_size=1,
            max_overflow=-1,
            connect_args={"timeout": SQLITE_BUSY_TIMEOUT_SECONDS, "check_same_thread": False},
        )
        event.listen(engine, "connect", _use_normal_synchronous)
        return engine


def _use_normal_synchronous(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    # A power cut can lose the last events. Waiting for the disk at each event costs more than storing the event.
    cursor = connection.cursor()
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.close()
