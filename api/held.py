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

# Values of all tables of a build together, about 10 bytes each.
MOST_VALUES = 20_000_000
# What a table counts as at least, so that there are not too many either.
FEWEST_VALUES = 10_000
MEMORY = "memory"

Query = tuple[str, Sequence[Any]]


@dataclass(slots=True)
class _Table:
    name: str
    # Held while it is filled: who asks meanwhile waits instead of asking the same.
    filling: threading.Lock = field(default_factory=threading.Lock)
    values: int | None = None
    readers: int = 0


class Held:
    """Tables of one build, those that nobody asked for the longest dropped first."""

    def __init__(
        self,
        cursor: Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]],
        most_values: int = MOST_VALUES,
    ) -> None:
        """With cursors on the build, beside which there must be a database named `memory`."""
        self._cursor = cursor
        self._most = most_values
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
                if found.values is None:
                    found.values = self._fill(found.name, *query(), key)
            yield found.name
        finally:
            with self._mutex:
                found.readers -= 1
                self._drop_surplus()

    @property
    def values(self) -> int:
        """Values of all tables together."""
        return sum(table.values or 0 for table in self._tables.values())

    def _fill(self, name: str, sql: str, parameters: Sequence[Any], key: str | None) -> int:
        with self._cursor() as cursor:
            rows = cursor.execute(f"create or replace table {name} as {sql}", parameters).fetchall()[0][0]
            if key is not None:
                cursor.execute(f"create index {name.partition('.')[2]}_{key} on {name} ({key})")
            columns = cursor.execute(f"from {name} limit 0").description or ()
            return max(FEWEST_VALUES, int(rows) * len(columns))

    def _drop_surplus(self) -> None:
        surplus = self.values - self._most
        for name, table in list(self._tables.items()):
            failed = table.values is None
            if table.readers or not (failed or surplus > 0):
                continue
            if table.values is not None:
                with self._cursor() as cursor:
                    cursor.execute(f"drop table {table.name}")
                surplus -= table.values
            del self._tables[name]
