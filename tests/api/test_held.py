"""Tables that are kept in memory beside a build: filled once, bounded, there as long as somebody reads them."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import duckdb
import pytest

from api.held import FEWEST_VALUES, Held, Query


class Counting:
    """Cursors on a database in memory that know which tables were made and dropped."""

    def __init__(self) -> None:
        self.connection = duckdb.connect()
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
    held = Held(counting.cursor)
    for _ in range(3):
        for number in (1, 2):
            with held.table(*numbered(number), key="n") as table:
                assert counting.values(table) == [number]
    assert counting.tables() == 2


def test_what_nobody_asked_for_the_longest_is_dropped(counting: Counting) -> None:
    held = Held(counting.cursor, 3 * FEWEST_VALUES)
    for number in (1, 2, 3, 1, 4):
        with held.table(*numbered(number)) as table:
            assert counting.values(table) == [number]
    assert held.values == 3 * FEWEST_VALUES
    assert counting.tables() == 3
    before = counting.made
    with held.table(*numbered(1)):
        assert counting.made == before, "still there"
    with held.table(*numbered(2)):
        assert counting.made > before, "dropped, and made again"


def test_a_table_stays_while_it_is_read_however_full_memory_is(counting: Counting) -> None:
    held = Held(counting.cursor, 0)
    with held.table(*numbered(1)) as one, held.table(*numbered(2)) as other:
        assert counting.values(one) == [1]
        assert counting.values(other) == [2]
    assert counting.tables() == 0
    assert held.values == 0


def test_a_query_that_fails_leaves_nothing_and_can_be_asked_again(counting: Counting) -> None:
    held = Held(counting.cursor)
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
    held = Held(counting.cursor, 0)
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
