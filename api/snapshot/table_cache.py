"""Query results that reads of an open build need repeatedly, cached as tables in memory.

A build never changes, so a cached table stays valid while the build is open. The caller names everything that decides
its rows, above all the row access. Without the cache, lists over 50,000 developers take 46 ms instead of 13 (median,
`python -m tests.benchmarks.latency.bench_lists`), and the slowest hundredth 159 ms instead of 53.
Keep out: the choice of what to cache (read/).
"""

import hashlib
import itertools
import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import duckdb

MEMORY = "memory"
MIN_INDEXED_ROWS = 10_000
"""Rows below which looking at all of them takes no longer than an index."""
# Memory of a table in DuckDB, as duckdb_memory() shows it: per column room for a vector of 2,048 values of
# at most 16 bytes, then blocks of 256 KiB for more, and a null mask for more than 16,384.
FIRST_ROWS = 2048
FIRST_WIDTH = 16
BLOCK = 262_144
FIRST_VALIDITY_ROWS = 16_384
WIDTHS = {"BOOLEAN": 1, "INTEGER": 4, "DATE": 4, "BIGINT": 8, "DOUBLE": 8, "TIMESTAMP": 8, "HUGEINT": 16}
LONG = 40
"""Bytes of a text or nested value: an id and its position."""
INDEX_WIDTH = 128
"""An index of ids as text takes 93 to 131 bytes a row."""

Query = tuple[str, Sequence[Any]]


@dataclass(slots=True, eq=False)
class _Table:
    # Names are never reused, so a drop cannot hit a table that was filled later.
    name: str
    # Locked while the table is filled: other readers wait instead of repeating the query.
    filling: threading.Lock = field(default_factory=threading.Lock)
    is_filled: bool = False
    bytes: int = 0
    readers: int = 0


class TableCache:
    """Cached tables of one build; the least recently used are dropped first.

    Their size is estimated. DuckDB frees a dropped table only when no older query runs, so during a long query a
    measured size would stay too high.
    """

    def __init__(
        self,
        cursor: Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]],
        max_bytes: int,
    ) -> None:
        """`cursor` opens a cursor on the build. A database `memory` for these tables alone must be attached to it."""
        self._cursor = cursor
        self._most = max_bytes
        self._bytes = 0
        self._numbers = itertools.count()
        self._tables: OrderedDict[bytes, _Table] = OrderedDict()
        self._mutex = threading.Lock()

    @contextmanager
    def table(
        self, what: tuple[Any, ...], query: Callable[[], Query], *, key: str | None = None
    ) -> Iterator[str]:
        """The name of a table with the rows of a query, which exists until the end of the block; `key` adds an index.

        `what` identifies the table within the build. `query` returns SQL and parameters, and is called only for a new
        table.
        """
        digest = hashlib.blake2b(repr(what).encode(), digest_size=16).digest()
        with self._mutex:
            found = self._tables.get(digest)
            if found is None:
                found = self._tables[digest] = _Table(f"{MEMORY}.rows_{next(self._numbers)}")
            self._tables.move_to_end(digest)
            found.readers += 1
        try:
            if not found.is_filled:
                with found.filling:
                    if not found.is_filled:
                        self._fill(found, *query(), key)
            yield found.name
        finally:
            with self._mutex:
                found.readers -= 1
                has_failed = not found.is_filled and not found.readers
                if has_failed:
                    del self._tables[digest]
            if has_failed:
                self._drop(found)
            if self._bytes > self._most:
                self._drop_idle(down_to=self._most)

    @property
    def bytes(self) -> int:
        """Approximate memory of all tables and their indices."""
        return self._bytes

    def _fill(self, table: _Table, sql: str, parameters: Sequence[Any], key: str | None) -> None:
        try:
            taken = self._create(table.name, sql, parameters, key)
        except duckdb.OutOfMemoryException:
            self._drop_idle(down_to=0)
            taken = self._create(table.name, sql, parameters, key)
        with self._mutex:
            table.bytes, table.is_filled = taken, True
            self._bytes += taken

    def _create(self, name: str, sql: str, parameters: Sequence[Any], key: str | None) -> int:
        with self._cursor() as cursor:
            (rows,) = cursor.execute(f"create or replace table {name} as {sql}", parameters).fetchall()[0]
            types = [str(column[1]) for column in cursor.execute(f"from {name} limit 0").description or ()]
            taken = sum(column_bytes(kind, rows) for kind in types)
            # Half a megabyte however few rows there are.
            if key is not None and rows >= MIN_INDEXED_ROWS:
                cursor.execute(f"create index {name.partition('.')[2]}_{key} on {name} ({key})")
                taken += rows * INDEX_WIDTH
            return taken

    def _drop_idle(self, *, down_to: int) -> None:
        """Drop unused tables, the oldest first, until the rest fits."""
        dropped = []
        with self._mutex:
            for digest, table in list(self._tables.items()):
                if self._bytes <= down_to:
                    break
                if table.is_filled and not table.readers:
                    del self._tables[digest]
                    self._bytes -= table.bytes
                    dropped.append(table)
        for table in dropped:
            self._drop(table)

    def _drop(self, table: _Table) -> None:
        with self._cursor() as cursor:
            cursor.execute(f"drop table if exists {table.name}")


def column_bytes(kind: str, rows: int) -> int:
    """The approximate memory of a column with this many rows; text counts like ids."""
    width = WIDTHS.get(kind, LONG)
    first = FIRST_ROWS * min(width, FIRST_WIDTH)
    more = math.ceil(max(0, rows * width - first) / BLOCK) + (rows > FIRST_VALIDITY_ROWS)
    return first + FIRST_ROWS + more * BLOCK
