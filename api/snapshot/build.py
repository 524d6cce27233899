"""One open build: a read-only database, its cursors, and what is kept of it.

Keep out: which build is current (builds.py), queries (read/).
"""

import fcntl
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast

import duckdb

from api.instruments import OPEN_BUILDS, QUERY_ERRORS, QUERY_SECONDS, timed
from api.operator import traces
from api.snapshot.table_cache import TableCache

MAX_CACHED_ROWS = 2000
MAX_LATE_ROWS = 1100
"""Up to this limit a page is found by its sort keys alone, and its other columns are read for its rows only. A page of
50 pull requests of 50,000 takes 7 ms instead of 52, one of 1,000 takes 24 instead of 68. The largest page has 1,001
rows: one more than is shown.
"""

Row = dict[str, Any]
Found = TypeVar("Found")


class Build:
    """An open build. Queries run in the calling thread, each on a cursor of its own."""

    def __init__(self, build_id: str, path: Path, memory_mb: int) -> None:
        self._begin(build_id, path)
        if not path.is_file():
            raise FileNotFoundError(path)  # opening a named pipe would wait for ever
        self._lock: BinaryIO = path.open("rb")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_SH)
            # The file is attached to a database in memory, which holds the cached tables.
            self._connection = duckdb.connect(
                config={
                    # Requests are the parallelism, and extra threads only fight over the cores.
                    "threads": 1,
                    "memory_limit": f"{memory_mb}MB",
                    "late_materialization_max_rows": MAX_LATE_ROWS,
                },
            )
            quoted = str(path).replace("'", "''")
            self._connection.execute(f"attach '{quoted}' as build (read_only)")
        except BaseException:
            self._lock.close()
            raise
        OPEN_BUILDS.inc()
        self._refuse_foreign()
        self._connection.execute("set TimeZone = 'UTC'")
        self._connection.execute("set enable_external_access = false")
        self._connection.execute("set lock_configuration = true")
        # The other half is for what queries themselves need.
        self.tables = TableCache(self.cursor, memory_mb * 1_000_000 // 2)

    def _begin(self, build_id: str, path: Path) -> None:
        self.id = build_id
        self.path = path
        self.leases = 0
        self._cursors: list[duckdb.DuckDBPyConnection] = []
        self._facts: dict[str, Any] = {}
        self._finding = threading.RLock()
        self._only_rows: dict[tuple[str, tuple[Any, ...]], Row] = {}

    def _refuse_foreign(self) -> None:
        """Raise ValueError unless the file is of the organization of its folder."""
        try:
            found = self._connection.execute("select organization_id from build.organizations").fetchall()
        except duckdb.CatalogException:
            return  # of another release, which reads report
        if [row[0] for row in found] != [self.path.parent.name]:
            self.close()
            raise ValueError(f"{self.path} is not of the organization {self.path.parent.name}")

    @contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor for one query, returned to the pool afterwards."""
        try:
            cursor = self._cursors.pop()
        except IndexError:
            cursor = self._connection.cursor()
            cursor.execute("use build")
        yield cursor
        # After an error the cursor is dropped instead: it may hold a half-read result.
        self._cursors.append(cursor)

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """Every row of a query as a dictionary."""
        with self.cursor() as cursor, _timed():
            cursor.execute(sql, parameters)
            names = [column[0] for column in cursor.description or ()]
            return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def value(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        """The first column of the only row."""
        with self.cursor() as cursor, _timed():
            return cursor.execute(sql, parameters).fetchall()[0][0]

    def batches(
        self, sql: str, parameters: Sequence[Any] = (), size: int = 2000
    ) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of a query in batches; the cursor stays open to the end."""
        with self.cursor() as cursor:
            cursor.execute(sql, parameters)
            while rows := cursor.fetchmany(size):
                yield rows

    def count(self, sql: str, parameters: tuple[Any, ...]) -> int:
        """The result of a counting query. Raises like `only_row`."""
        return int(next(iter(self.only_row(sql, parameters).values())))

    def only_row(self, sql: str, parameters: tuple[Any, ...]) -> Row:
        """The only row of a query, computed once per build: every page of a list has the same count and totals."""
        key = (sql, parameters)
        found = self._only_rows.get(key)
        if found is None:
            (found,) = self.rows(sql, parameters)
            if len(self._only_rows) >= MAX_CACHED_ROWS:
                self._only_rows.clear()
            self._only_rows[key] = found
        return found

    def remembered(self, key: str, find: Callable[["Build"], Found]) -> Found:
        """The result of `find` for this build, computed once: for small facts that many reads need."""
        if key not in self._facts:
            # Many readers of a new build wait for the first one. Reentrant: a fact can need another.
            with self._finding:
                if key not in self._facts:
                    self._facts[key] = find(self)
        return cast(Found, self._facts[key])

    def close(self) -> None:
        """Release the file; the publisher may remove it from here on."""
        for cursor in self._cursors:
            cursor.close()
        self._cursors.clear()
        self._connection.close()
        self._lock.close()
        OPEN_BUILDS.dec()


@contextmanager
def _timed() -> Iterator[None]:
    """Time a query. Its span has the name of the function that reads: the text of a query may have ids in it."""
    if not traces.are_sent():
        with timed(QUERY_SECONDS, QUERY_ERRORS):
            yield
        return
    with traces.span("duckdb.query", {"eas.read": _reader()}), timed(QUERY_SECONDS, QUERY_ERRORS):
        yield


def _reader() -> str:
    """The nearest function that decides what is read, as `api.read.teams.table`."""
    frame = sys._getframe(1)
    while frame.f_back is not None:
        name = frame.f_globals.get("__name__", "")
        if name.startswith("api.") and not name.startswith(("api.snapshot.", "api.query.")):
            return f"{name}.{frame.f_code.co_name}"
        frame = frame.f_back
    return "none"
