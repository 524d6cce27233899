"""Lines around a change: those near it, and those of the functions in which it lies."""

import pytest

from ingest.git.diff.context import MICRO, REACH, surroundings
from tests.ingest.git.diff.unpacked import function_lines, near_lines

C = """\
static int limit;

int
first(int a,
      int b)
{
\tif (a)
\t\treturn b;
out:
#ifdef X
\treturn a;
#endif
}

int second(void) {
\treturn limit;
}
"""
PYTHON = """\
import os

class Cache(Base):
    size = 1

    def get(
        self, key
    ):
        # note
        if key:

            return os.environ[key]
        return None

    @property
    def full(self):
        return False

def outside(): return 1
"""
JAVASCRIPT = """\
const a = 1;
class Queue {
  push(item) {
    if (item.isOld()) {
      this.items.push(item);
    }
  }
  pop() {
    return this.items.pop();
  }
}
"""
PLACES = [
    (C, 8, 1, range(4, 14)),
    (C, 11, 0, range(4, 14)),
    (C, 7, 0, range(4, 14)),
    (C, 16, 1, range(15, 18)),
    (C, 15, 1, range(15, 18)),
    (C, 1, 1, ()),
    (C, 14, 0, ()),
    (PYTHON, 12, 1, range(6, 14)),
    (PYTHON, 11, 0, range(6, 14)),
    (PYTHON, 17, 1, range(16, 19)),
    (PYTHON, 4, 1, ()),
    (PYTHON, 1, 1, ()),
    (JAVASCRIPT, 5, 1, range(3, 8)),
    (JAVASCRIPT, 9, 0, range(8, 11)),
    (JAVASCRIPT, 1, 0, ()),
]


@pytest.mark.parametrize(("text", "start", "count", "expected"), PLACES)
def test_the_function_around_a_change_is_found_by_indentation(
    text: str, start: int, count: int, expected: range
) -> None:
    lines = text.encode().splitlines()
    said = {number for number in expected if any(c.isalnum() for c in text.splitlines()[number - 1])}
    assert function_lines(surroundings(lines, [(start, count, start, 1)], len(lines))) == said


def test_near_lines_weigh_less_the_further_they_are_and_never_twice() -> None:
    lines = [b"a", b"b", b"c", b"", b"e", b"f", b"g", b"h", b"i", b"j"]
    found = surroundings(lines, [(3, 1, 3, 1), (5, 0, 6, 1)], len(lines))
    assert near_lines(found) == {
        1: MICRO // 2,
        2: MICRO,
        5: MICRO,
        6: MICRO,
        7: MICRO // 2,
        8: MICRO // 3,
        9: MICRO // 4,
    }
    assert found.lines == 10


def test_a_change_at_either_end_of_a_file_has_neighbours_on_one_side() -> None:
    lines = [b"a", b"b", b"c"]
    assert near_lines(surroundings(lines, [(0, 0, 1, 2)], len(lines))) == {
        1: MICRO,
        2: MICRO // 2,
        3: MICRO // 3,
    }
    assert near_lines(surroundings(lines, [(3, 0, 4, 1)], len(lines))) == {
        3: MICRO,
        2: MICRO // 2,
        1: MICRO // 3,
    }
    assert near_lines(surroundings(lines, [(1, 3, 0, 0)], len(lines))) == {}


def test_a_function_without_end_is_followed_only_so_far() -> None:
    lines = [b"def f():", *(b"    x = %d" % i for i in range(5000))]
    assert function_lines(surroundings(lines, [(100, 1, 100, 1)], len(lines))) == set(range(1, 600))
    assert function_lines(surroundings(lines, [(2000, 1, 2000, 1)], len(lines))) == set()


@pytest.mark.parametrize("count", [0, 1, 700])
def test_lines_far_below_the_last_hunk_say_nothing(count: int) -> None:
    """A function may end at any place; blank lines and lines at its depth go on or end it."""
    for below in range(REACH - 3, REACH + 4):
        body = [b"    x = 1"] * (100 + count + below)
        lines = [b"def f(x):", *body, b"y = 2", *[b"z = 3"] * 600]
        hunks = [(50, 1, 50, 1), (101, count, 101, 1)]
        last = hunks[-1][0] + count
        whole = surroundings(lines, hunks, len(lines))
        assert surroundings(lines[: last + REACH], hunks, len(lines)) == whole
