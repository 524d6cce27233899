"""The index of windows agrees with counting every window of every file in a dictionary."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.git.classify import block_index
from ingest.git.classify.block_index import BlockIndex, Windows, affected_windows, cover, window_hashes

SIZE = 3
VALUES = st.lists(st.integers(1, 4), max_size=12)


def hashes(values: list[int], size: int = SIZE) -> list[int]:
    found: list[int] = window_hashes(np.asarray(values, np.uint64), size).tolist()
    return found


def windows(values: list[int], size: int = SIZE) -> list[tuple[int, ...]]:
    return [tuple(values[start : start + size]) for start in range(len(values) - size + 1)]


@given(VALUES, VALUES)
def test_windows_have_the_same_hash_if_and_only_if_their_lines_are_the_same(
    one: list[int], two: list[int]
) -> None:
    named = list(zip(windows(one) + windows(two), hashes(one) + hashes(two), strict=True))

    assert len({window for window, _ in named}) == len({value for _, value in named}) == len(set(named))


def test_the_order_of_lines_matters() -> None:
    assert hashes([1, 2, 3]) != hashes([3, 2, 1])


@given(
    st.lists(st.booleans(), max_size=30),
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 4)), max_size=4),
    st.integers(1, 4),
)
def test_affected_windows_are_those_that_touch_or_straddle_a_span(
    takes_part: list[bool], raw: list[tuple[int, int]], size: int
) -> None:
    spans: list[tuple[int, int]] = []
    for start, length in sorted(raw):
        if start + length <= len(takes_part) and (not spans or start > spans[-1][1]):
            spans.append((start, start + length))
    positions = [at for at, takes in enumerate(takes_part) if takes]

    found = {
        window for start, stop in affected_windows(positions, spans, size) for window in range(start, stop)
    }

    expected = set()
    for window in range(len(positions) - size + 1):
        first, last = positions[window], positions[window + size - 1]
        for start, stop in spans:
            touches = any(start <= position < stop for position in positions[window : window + size])
            if touches or first < start <= last:
                expected.add(window)
    assert found == expected


@given(
    st.lists(st.lists(st.tuples(st.integers(1, 4), st.integers(0, 9)), min_size=SIZE, max_size=8), max_size=4)
)
def test_gathered_windows_never_reach_from_one_run_into_the_next(runs: list[list[tuple[int, int]]]) -> None:
    gathered = Windows(SIZE)
    at = 0
    for place, run in enumerate(runs):
        gathered.gather(np.arange(at, at + len(run)), place)
        at += len(run)
    values = np.asarray([value for run in runs for value, _ in run], np.uint64)
    weights = np.asarray([weight for run in runs for _, weight in run], np.uint8)

    found, places, heavy = gathered.hashes(values, weights, least_weight=12)

    expected = [
        (value, place, sum(weight for _, weight in run[start : start + SIZE]) >= 12)
        for place, run in enumerate(runs)
        for start, value in enumerate(hashes([value for value, _ in run]))
    ]
    assert list(zip(found.tolist(), places.tolist(), heavy.tolist(), strict=True)) == expected


@given(st.lists(st.integers(SIZE, 7), max_size=4), st.data())
def test_a_line_is_covered_if_one_of_its_windows_was_found(lengths: list[int], data: st.DataObject) -> None:
    found = [data.draw(st.booleans()) for length in lengths for _ in range(length - SIZE + 1)]

    covered = cover(np.asarray(found, bool), lengths, SIZE).tolist()

    expected: list[bool] = []
    rest = list(found)
    for length in lengths:
        mine, rest = rest[: length - SIZE + 1], rest[length - SIZE + 1 :]
        expected += [any(mine[max(0, at - SIZE + 1) : at + 1]) for at in range(length)]
    assert covered == expected


STEP = st.tuples(st.integers(0, 3), VALUES)


@pytest.mark.parametrize("merge_above", [0, 3, 50_000])
@given(st.lists(STEP, max_size=12))
def test_the_index_knows_the_windows_of_the_tree_and_names_only_files_that_have_them(
    merge_above: int, steps: list[tuple[int, list[int]]]
) -> None:
    """Each step rewrites a file. Small limits merge the changes into the array at every step."""
    files: dict[int, list[int]] = {}
    index = BlockIndex()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_index, "_MERGE_ABOVE", merge_above)
        for place, values in steps:
            old, new = hashes(files.get(place, [])), hashes(values)
            index.update(_hashes(old), _places(old, place), _hashes(new), _places(new, place))
            files[place] = values

    standing = Counter(value for values in files.values() for value in hashes(values))
    wanted = sorted({value for _, values in steps for value in hashes(values)})
    found, places = index.find(_hashes(wanted))
    assert found.tolist() == [standing[value] > 0 for value in wanted]
    for value, known in zip(wanted, places, strict=True):
        assert known is None or value in hashes(files[known])


@given(st.lists(STEP, max_size=8), st.lists(STEP, max_size=8))
def test_an_index_goes_on_from_its_checkpoint_as_if_it_had_never_stopped(
    before: list[tuple[int, list[int]]], after: list[tuple[int, list[int]]]
) -> None:
    answers = []
    for stops in (False, True):
        files: dict[int, list[int]] = {}
        index = BlockIndex()
        for number, (place, values) in enumerate([*before, *after]):
            if stops and number == len(before):
                arrays: dict[str, Any] = index.arrays()
                index = BlockIndex()
                index.restore(arrays["hashes"], arrays["counts"], arrays["places"])
            old, new = hashes(files.get(place, [])), hashes(values)
            index.update(_hashes(old), _places(old, place), _hashes(new), _places(new, place))
            files[place] = values
        wanted = sorted({value for _, values in [*before, *after] for value in hashes(values)})
        found, places = index.find(_hashes(wanted))
        answers.append((found.tolist(), places))
    assert answers[0] == answers[1]


def _hashes(values: list[int]) -> block_index.Hashes:
    return np.asarray(values, np.uint64)


def _places(values: list[int], place: int) -> np.ndarray:
    return np.full(len(values), place, np.int32)
