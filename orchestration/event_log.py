"""Dagster's event log in SQLite, with the databases' engines kept.

Dagster makes an engine for each event that it stores, and each new one compiles its statements anew: a tenth of the
processor time of analysing a small repository. Files and tables are Dagster's own; dagster.yaml names this class.
"""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from dagster._core.storage.event_log import SqliteEventLogStorage
from dagster._core.storage.sqlite import SQLITE_BUSY_TIMEOUT_SECONDS
from dagster._serdes import ConfigurableClassData
from sqlalchemy import Connection, Engine, NullPool, create_engine

MOST_ENGINES = 16
"""Each run has a database of its own; whoever lists runs looks at many."""


class KeptEngineEventLog(SqliteEventLogStorage):
    """The event log of an instance below `base_dir`."""

    def __init__(self, base_dir: str, inst_data: ConfigurableClassData | None = None) -> None:
        self._engines: OrderedDict[str, Engine] = OrderedDict()
        super().__init__(base_dir, inst_data)

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> "KeptEngineEventLog":
        """Made by Dagster of what dagster.yaml says."""
        return cls(inst_data=inst_data, **config_value)

    @contextmanager
    def _connect(self, shard: str) -> Iterator[Connection]:
        with self._db_lock:
            engine = self._engine(shard)
            if shard not in self._initialized_dbs:
                self._initdb(engine)
                self._initialized_dbs.add(shard)
            with engine.connect() as connection, connection.begin():
                yield connection

    def _engine(self, shard: str) -> Engine:
        engine = self._engines.pop(shard, None) or create_engine(
            self.conn_string_for_shard(shard),
            # Connections are not kept: other processes move and remove these files.
            poolclass=NullPool,
            connect_args={"timeout": SQLITE_BUSY_TIMEOUT_SECONDS},
        )
        self._engines[shard] = engine
        if len(self._engines) > MOST_ENGINES:
            self._engines.popitem(last=False)
        return engine
