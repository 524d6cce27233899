"""Lines of a clone take the stored classes, and the points of all of them stay the same."""

from collections import Counter
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.read.commits.line_matching import matched
from ingest.lines import AddedLine, RemovedLine

SHA = "a" * 40
KINDS = [*product(("NOVEL", "COPIED", "LAYOUT"), (0, 4, 9), (1, 2))]


def group(name: str, lines: int, weight: int, tokens: int = 0, rank: int = 1) -> dict[str, Any]:
    found = {"class": name, "originalClass": None, "tokens": tokens, "rank": rank, "note": None}
    return found | {"lines": lines, "weightMicros": weight, "pointsMicros": lines * weight}


def line(number: int, name: str, tokens: int = 0, rank: int = 1) -> AddedLine:
    return AddedLine(number, f"line {number}", name.lower(), tokens, rank, SHA)


def gone(number: int, *, is_gone: bool = True) -> RemovedLine:
    return RemovedLine(number, f"old {number}", is_gone, SHA)


def points(rows: list[dict[str, Any]], rest: list[dict[str, Any]]) -> int:
    amounts = [row["weightMicros"] or 0 for row in rows] + [row["pointsMicros"] for row in rest]
    return sum(map(int, amounts))


def test_lines_that_agree_are_certain() -> None:
    groups = [group("NOVEL", 1, 3_000_000, 9), group("NOVEL", 1, 2_000_000, 4), group("LAYOUT", 1, 0)]
    rows, rest = matched([line(7, "NOVEL", 4), line(8, "NOVEL", 9), line(9, "LAYOUT")], [], groups)
    assert [(row["number"], row["weightMicros"], row["isCertain"]) for row in rows] == [
        (7, 2_000_000, True),
        (8, 3_000_000, True),
        (9, 0, True),
    ]
    assert rest == []


def test_a_line_that_older_history_explains_takes_its_stored_class_and_is_marked() -> None:
    groups = [group("RETURNED", 1, 0, 9), group("NOVEL", 1, 2_000_000, 4)]
    rows, rest = matched([line(1, "NOVEL", 9), line(2, "NOVEL", 4)], [], groups)
    assert [(row["class"], row["isCertain"]) for row in rows] == [("RETURNED", False), ("NOVEL", True)]
    assert rest == []


def test_removed_lines_earn_where_all_that_are_gone_do() -> None:
    lines = [gone(3), gone(4, is_gone=False), gone(5)]
    rows, rest = matched([], lines, [group("REMOVED", 2, 1_000_000)])
    assert [(row["side"], row["number"], row["weightMicros"]) for row in rows] == [
        ("OLD", 3, 1_000_000),
        ("OLD", 4, None),
        ("OLD", 5, 1_000_000),
    ]
    assert rest == []


@pytest.mark.parametrize(
    "groups",
    [[group("REMOVED", 1, 1_000_000)], [group("REMOVED", 1, 1_000_000), group("REMOVED", 1, 50_000)]],
)
def test_removed_lines_of_which_some_earn_stay_a_class(groups: list[dict[str, Any]]) -> None:
    rows, rest = matched([], [gone(3), gone(4)], groups)
    assert [row["class"] for row in rows] == [None, None]
    assert rest == groups


def test_what_was_taken_back_later_is_no_line() -> None:
    taken = group("TAKEN_BACK", 1, -2_000_000, 4)
    rows, rest = matched([line(1, "NOVEL", 4)], [], [group("NOVEL", 1, 2_000_000, 4), taken])
    assert len(rows) == 1
    assert rest == [taken]


def test_lines_without_a_stored_class_earn_nothing_and_classes_without_lines_stay() -> None:
    rows, rest = matched([line(1, "NOVEL", 4), line(2, "NOVEL", 4)], [], [group("NOVEL", 1, 2_000_000, 4)])
    assert [row["weightMicros"] for row in rows] == [2_000_000, None]
    assert rest == []
    rows, rest = matched([line(1, "NOVEL", 4)], [], [group("NOVEL", 3, 2_000_000, 4)])
    assert [(one["lines"], one["pointsMicros"]) for one in rest] == [(2, 4_000_000)]


@given(st.lists(st.sampled_from(KINDS), max_size=12), st.lists(st.sampled_from(KINDS), max_size=12))
def test_points_of_lines_and_rest_are_those_of_the_classes(
    read: list[tuple[str, int, int]], stored: list[tuple[str, int, int]]
) -> None:
    groups = [
        group(name, lines, 1000 * tokens + rank, tokens, rank)
        for (name, tokens, rank), lines in Counter(stored).items()
    ]
    rows, rest = matched([line(n, *kind) for n, kind in enumerate(read, 1)], [], groups)
    assert points(rows, rest) == sum(one["pointsMicros"] for one in groups)
    assert [row["number"] for row in rows] == list(range(1, len(read) + 1))
    assert sum(row["class"] is not None for row in rows) == min(len(read), len(stored))
