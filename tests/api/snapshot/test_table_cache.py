"""The table cache of a build: each table is filled once, memory is bounded, and read tables stay."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

import duckdb
import pytest

from api.snapshot.table_cache import MIN_INDEXED_ROWS, Query, TableCache, column_bytes

PLENTY = 10**9


class Counting:
    """Cursors on a database in memory that record created and dropped tables."""

    def __init__(self, memory: str = "1GB") -> None:
        self.connection = duckdb.connect(config={"memory_limit": memory})
        self.made = 0

    @contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with self.connection.cursor() as cursor:
            self.made += 1
            yield cursor

    def tables(self) -> int:
        found = self.connection.execute("select count(*) from duckdb_tables()").fetchall()
        return int(found[0][0])

    def values(self, table: str) -> list[int]:
        return [row[0] for row in self.connection.cursor().execute(f"select * from {table}").fetchall()]


SUM = "select sum(n)::bigint as n from range(20000) as t (n)"


def numbered(number: int) -> tuple[tuple[str, int], Callable[[], Query]]:
    return ("numbered", number), lambda: ("select ?::integer as n", (number,))


@pytest.fixture
def counting() -> Iterator[Counting]:
    found = Counting()
    yield found
    found.connection.close()


def test_the_same_is_asked_once_and_another_thing_is_another_table(counting: Counting) -> None:
    held = TableCache(counting.cursor, PLENTY)
    for _ in range(3):
        for number in (1, 2):
            with held.table(*numbered(number), key="n") as table:
                assert counting.values(table) == [number]
    assert counting.tables() == 2


def test_the_least_recently_used_table_is_dropped(counting: Counting) -> None:
    one = column_bytes("INTEGER", 1)
    held = TableCache(counting.cursor, 3 * one)
    for number in (1, 2, 3, 1, 4):
        with held.table(*numbered(number)) as table:
            assert counting.values(table) == [number]
    assert held.bytes == 3 * one > 0
    assert counting.tables() == 3
    asked: list[int] = []

    def noted(number: int) -> Query:
        asked.append(number)
        return numbered(number)[1]()

    for number in (1, 2):
        with held.table(("numbered", number), partial(noted, number)):
            pass
    assert asked == [2], "the first is still there, the second was dropped and is made again"


@pytest.mark.parametrize("rows", [1, 20, 2000, 2100, 7000, 17000, 60000])
def test_estimated_sizes_of_tables_equal_those_of_the_database(counting: Counting, rows: int) -> None:
    held = TableCache(counting.cursor, PLENTY)
    columns = "n, n::integer, n % 2 = 0, n::double, n::hugeint, timestamp '2026-01-01', uuid()::varchar as id"
    used = "select sum(memory_usage_bytes) from duckdb_memory() where tag in ('IN_MEMORY_TABLE', 'ART_INDEX')"
    with held.table(("all",), lambda: (f"select {columns} from range({rows}) as t (n)", ()), key="id"):
        (told,) = counting.connection.cursor().execute(used).fetchall()[0]
    assert 0.7 * told <= held.bytes <= 1.4 * told


def test_an_older_query_that_still_runs_costs_no_table_but_the_oldest(counting: Counting) -> None:
    counting.connection.execute("create table read as select 1")
    held = TableCache(counting.cursor, 3 * column_bytes("INTEGER", 1))
    reader = counting.connection.cursor()
    reader.execute("begin")
    reader.execute("from read")
    for number in range(1, 10):
        with held.table(*numbered(number)):
            pass
        # What is dropped takes memory as long as the query runs, of which the others are not guilty.
        assert counting.tables() == 1 + min(number, 3)
    reader.execute("commit")


def test_a_table_stays_while_it_is_read_however_full_memory_is(counting: Counting) -> None:
    held = TableCache(counting.cursor, 0)
    with held.table(*numbered(1)) as one, held.table(*numbered(2)) as other:
        assert counting.values(one) == [1]
        assert counting.values(other) == [2]
    assert counting.tables() == 0
    assert held.bytes == 0


def test_a_query_that_fails_leaves_nothing_and_can_be_asked_again(counting: Counting) -> None:
    held = TableCache(counting.cursor, PLENTY)
    for _ in range(2):
        with (
            pytest.raises(duckdb.CatalogException),
            held.table(("later",), lambda: ("select * from later", ())),
        ):
            pytest.fail("there is no such table")
    assert counting.tables() == 0
    counting.connection.execute("create table later as select 7 as n")
    with held.table(("later",), lambda: ("select * from later", ())) as table:
        assert counting.values(table) == [7]


def test_readers_at_the_same_time_share_one_table(counting: Counting) -> None:
    held = TableCache(counting.cursor, 0)
    start, found = threading.Barrier(8), []

    def read() -> None:
        start.wait()
        for _ in range(20):
            with held.table(("sum",), lambda: (SUM, ())) as table:
                found.append(counting.values(table))

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[sum(range(20000))]] * 160
    assert counting.tables() == 0


def test_small_tables_of_many_never_fill_the_memory() -> None:
    counting = Counting("40MB")
    # More than there is: without room the oldest must go all the same.
    held = TableCache(counting.cursor, PLENTY)
    columns = ", ".join(f"'some text ' || n as c{number}" for number in range(30))
    for number in range(100):
        with held.table(
            ("wide", number), lambda: (f"select n, {columns} from range(20) as t (n)", ()), key="n"
        ) as table:
            assert len(counting.values(table)) == 20
    assert 0 < counting.tables() < 100
    counting.connection.close()


def test_a_table_whose_index_fails_is_not_left_behind(counting: Counting) -> None:
    held = TableCache(counting.cursor, PLENTY)
    many = f"select n from range({MIN_INDEXED_ROWS}) as t (n)"
    with (
        pytest.raises(duckdb.Error),
        held.table(("many",), lambda: (many, ()), key="nothing"),
    ):
        pytest.fail("there is no such column")
    assert (counting.tables(), held.bytes) == (0, 0)
