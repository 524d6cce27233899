"""What reads of an open build find again and again, kept as tables in memory beside it.

A build never changes, so a table has the same rows for as long as it is open; whoever asks names everything that
decides which rows these are, above all the scope. Keep out: what is worth keeping (read/).
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import duckdb

MEMORY = "memory"
FEWEST_INDEXED = 10_000
"""Rows below which looking at all of them takes no longer than an index."""
USED = "select coalesce(sum(memory_usage_bytes), 0) from duckdb_memory() where tag in ('IN_MEMORY_TABLE', 'ART_INDEX')"

Query = tuple[str, Sequence[Any]]


@dataclass(slots=True)
class _Table:
    name: str
    # Held while it is filled: who asks meanwhile waits instead of asking the same.
    filling: threading.Lock = field(default_factory=threading.Lock)
    is_filled: bool = False
    readers: int = 0


class Held:
    """Tables of one build, those that nobody asked for the longest dropped first."""

    def __init__(
        self,
        cursor: Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]],
        most_bytes: int,
    ) -> None:
        """With cursors on the build, beside which there must be a database named `memory` for these tables alone."""
        self._cursor = cursor
        self._most = most_bytes
        self._has_grown = False
        self._tables: OrderedDict[str, _Table] = OrderedDict()
        self._mutex = threading.Lock()

    @contextmanager
    def table(
        self, what: tuple[Any, ...], query: Callable[[], Query], *, key: str | None = None
    ) -> Iterator[str]:
        """The name of a table with the rows of a query, there to the end of the block; `key` finds rows by an index.

        `what` tells all tables of the build apart; `query` gives SQL and parameters, and is only called for a new one.
        """
        name = f"rows_{hashlib.blake2b(repr(what).encode(), digest_size=16).hexdigest()}"
        with self._mutex:
            found = self._tables.setdefault(name, _Table(f"{MEMORY}.{name}"))
            self._tables.move_to_end(name)
            found.readers += 1
        try:
            with found.filling:
                if not found.is_filled:
                    self._fill(found.name, *query(), key)
                    found.is_filled = self._has_grown = True
            yield found.name
        finally:
            with self._mutex:
                found.readers -= 1
                self._drop_surplus()

    @property
    def bytes(self) -> int:
        """Memory that all tables and their indices take."""
        with self._cursor() as cursor:
            return int(cursor.execute(USED).fetchall()[0][0])

    def _fill(self, name: str, sql: str, parameters: Sequence[Any], key: str | None) -> None:
        try:
            self._create(name, sql, parameters, key)
        except duckdb.OutOfMemoryException:
            with self._mutex:
                self._drop_idle(down_to=0)
            self._create(name, sql, parameters, key)

    def _create(self, name: str, sql: str, parameters: Sequence[Any], key: str | None) -> None:
        with self._cursor() as cursor:
            (rows,) = cursor.execute(f"create or replace table {name} as {sql}", parameters).fetchall()[0]
            # Half a megabyte however few rows there are.
            if key is not None and rows >= FEWEST_INDEXED:
                cursor.execute(f"create index {name.partition('.')[2]}_{key} on {name} ({key})")

    def _drop_surplus(self) -> None:
        if self._has_grown or any(not table.is_filled for table in self._tables.values()):
            self._has_grown = self._drop_idle(down_to=self._most) > self._most

    def _drop_idle(self, *, down_to: int) -> int:
        """Drop tables that nobody reads: those that failed, then the oldest until all take no more; what they take."""
        used = self.bytes
        for name, table in list(self._tables.items()):
            if table.readers or (table.is_filled and used <= down_to):
                continue
            with self._cursor() as cursor:
                cursor.execute(f"drop table if exists {table.name}")
            del self._tables[name]
            used = self.bytes
        return used
